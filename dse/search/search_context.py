"""What jobs of a search need to know, wherever they are done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dse.jobs.digest import code_digest, digest
from dse.search.figures import Columns
from dse.search.isomorphic import group_content
from dse.space.mappings import MappingSpace


@dataclass(frozen=True)
class SearchContext:
    """A space and the columns that its designs are compared by."""

    space: MappingSpace
    columns: Columns

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchContext, (self.space, self.columns)  # what is remembered stays here

    def group_key(self, tasks: tuple[str, ...]) -> bytes:
        """The digest of what figures of designs of a group depend on, the designs aside."""
        if tasks not in self._group_keys:
            self._group_keys[tasks] = digest(self._prices, group_content(self.space, tasks))
        return self._group_keys[tasks]

    @cached_property
    def network_key(self) -> bytes:
        """The digest of what figures of all designs depend on."""
        return digest(self._prices, self.space.model.network)

    @cached_property
    def _group_keys(self) -> dict[tuple[str, ...], bytes]:
        return {}

    @cached_property
    def _prices(self) -> bytes:
        """The program, the platform and the columns; the network's word, and where rows count its addresses."""
        model, how = self.space.model, self.columns.how
        figures = tuple((figure.key, figure.scale) for figure in self.columns.figures)
        addresses = model.network if model.platform.memory.rows is not None else None
        order = tuple(model.network.arrays) if addresses else ()  # arrays lie in it
        return digest(
            code_digest(), model.platform, model.data_per_word, addresses, order, figures, how.largest, how.limits
        )
