"""What a search through mappings is asked, what its jobs must know, and what it finds, whatever its method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError, error
from arrayol.plugins import METHODS as PLUGIN_METHODS
from arrayol.plugins import installed
from dse.jobs.digest import code_digest, digest
from dse.pareto.fronts import Front
from dse.pareto.hypervolume import Octaves, octaves_of
from dse.results.schema import Result
from dse.search.figures import Columns
from dse.search.group_front import Counts, GroupFront
from dse.search.integer_partitions import Coverage
from dse.search.isomorphic import group_content
from dse.search.lower_bounds import least_figures
from dse.space.mappings import MappingSpace
from dse.space.task_graph import Mask
from hwmodel.design import Design


@dataclass(frozen=True)
class SearchContext:
    """A space and the columns that its designs are compared by: what jobs need to know, wherever they are done."""

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
        return digest(self._prices, self.space.model.network, self.space.accesses.load, self.space.accesses.channels)

    @cached_property
    def least(self) -> Octaves:
        """What no whole design is below in the columns of objectives, on logarithmic axes."""
        return octaves_of(np.array(least_figures(self.space, self.columns)[: self.columns.leading]))

    @cached_property
    def _group_keys(self) -> dict[tuple[str, ...], bytes]:
        return {}

    @cached_property
    def _prices(self) -> bytes:
        """The program, the platform and the columns; the network's word, and where rows count its addresses."""
        model, columns = self.space.model, self.columns
        figures = tuple((figure.key, figure.scale) for figure in columns.figures)
        addresses = model.network if model.platform.has_rows else None
        order = tuple(model.network.arrays) if addresses else ()  # arrays lie in it
        return digest(
            code_digest(),
            model.platform,
            model.data_per_word,
            addresses,
            order,
            figures,
            columns.combination.largest,
            columns.combination.limits,
            columns.beside,
        )


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of a heuristic search: designs priced so far, and the hypervolume of the front so far.

    The hypervolume is a share of the last front's, on axes where that runs from 0 to 1, up to 1.1.
    """

    number: int
    evaluated: int
    hypervolume: float


@dataclass(frozen=True, slots=True)
class Evolution:
    """How a heuristic search went; `stalled` tells whether it ended because nothing more came."""

    seed: int
    population: int
    stalled: bool
    generations: tuple[Generation, ...]


@dataclass(frozen=True)
class Searched:
    """A front of whole designs in a search's columns, and `design`, what stands behind a point of it.

    `counts` are of group designs, or of whole designs where `counts_wholes`; `group_designs` and `whole_designs` are
    the size of the space (None: too many fusions to be counted). `groups` are there where groups were searched
    one by one. `refusal` is an example of a group that was refused, with the reason. `work` are the predicted seconds
    of what was done, where a budget bounds them.
    """

    front: Front
    design: Callable[[int], Design]
    counts: Counts
    exact: bool
    description: str
    group_designs: int
    whole_designs: int | None
    counts_wholes: bool = False
    complete: bool = True
    refusal: tuple[tuple[str, ...], str] | None = None
    groups: Mapping[Mask, GroupFront] = field(default_factory=dict)
    evolution: Evolution | None = None
    coverage: Coverage | None = None
    work: float | None = None


# The models and methods of an exploration by name, and what is asked of one.

Model = Literal["machine", "published"]
MODEL_NAMES: tuple[Model, ...] = get_args(Model)
MACHINE, _ = MODEL_NAMES
Method = Literal["auto", "partition", "exhaustive", "exact", "rounds", "nsga2"]
METHODS: tuple[Method, ...] = get_args(Method)
AUTO, PARTITION, EXHAUSTIVE, EXACT, ROUNDS, NSGA2 = METHODS
ASKED = "asked for"


def method_names() -> tuple[str, ...]:
    """The methods, and those of plug-ins."""
    return *METHODS, *(name for name in installed(PLUGIN_METHODS) if name not in METHODS)


BUDGET = 120.0  # seconds of predicted work
SEARCHED = 0.8  # of the time that is given: the rest is for what comes after the search
CLOCK = "then the time of {:g} s was over"


ReuseLevel = Callable[[SearchContext, Callable[[], Searched]], None]


def keeps_nothing(_context: SearchContext, _searched: Callable[[], Searched]) -> None:
    """What is found so far is kept nowhere."""


@dataclass(frozen=True)
class SearchRequest:
    """What is asked of a search.

    `budget` is what the rounds may take, in seconds of predicted work; `has_budget` says that it was given, and is not
    the usual one. `timeout` is what any method may take, in seconds of the clock. `write` is given the result so far
    every few seconds; `keep` is the same within the search: it is given what makes the front. `announce` is told the
    size of the space and the method before it starts, `report` how far it is. With `keep_all` the result holds more
    designs than those of the front. `rivals` are the objectives, (n, objectives) each, of designs that were found under
    other choices of loads and splits.
    """

    method: str = AUTO
    seed: int = 0
    budget: float = BUDGET
    timeout: float | None = None
    keep: ReuseLevel = keeps_nothing
    write: Callable[[Result], None] | None = None
    report: Callable[[Any], None] = lambda _: None
    announce: Callable[[str], None] = lambda _: None
    keep_all: bool = False
    has_budget: bool = False
    rivals: tuple[IntArray, ...] = ()

    @property
    def clock_text(self) -> str:
        """How the clock ended a search, for its description."""
        assert self.timeout is not None, "no clock ends a search without"
        return CLOCK.format(self.timeout)

    def idle_remarks(self, method: str) -> tuple[str, ...]:
        """What a result says of a budget of its own that a method has no use for; those of plug-ins may have."""
        if not self.has_budget or method == ROUNDS or method not in METHODS:
            return ()
        return (f"the budget of {self.budget:g} s was not used: it is for the method {ROUNDS}, and {method} was taken",)

    def announce_all(self, remarks: Iterable[str]) -> None:
        """Tell remarks of the result beforehand."""
        for remark in remarks:
            self.announce(f"remark: {remark}")

    def quietly(self) -> SearchRequest:
        """The request without any report of progress, and keeping nothing."""
        return replace(self, report=lambda _: None, announce=lambda _: None, keep=keeps_nothing)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A method and why it was taken; `seconds` are those of its work, where they were predicted to choose it."""

    name: str
    why: str
    seconds: float | None = None

    @property
    def text(self) -> str:
        """For people."""
        return f"method {self.name}" if self.why == ASKED else f"method {self.name}: {self.why}"


def refused(method: str, reason: str, hint: str) -> ArrayolError:
    """The error for a method that cannot be taken here."""
    return error("method-refused", f"the method '{method}' cannot be taken here: {reason}", hint=hint)
