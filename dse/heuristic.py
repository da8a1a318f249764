"""NSGA-II through a space of mappings too large to be searched exactly."""

from __future__ import annotations

from dse.columns import Columns
from dse.exact import Report, search_exactly
from dse.mapping_space import MappingSpace
from dse.searched import Searched


def search_heuristically(space: MappingSpace, columns: Columns, seed: int, report: Report) -> Searched:
    """TEMPORARY."""
    return search_exactly(space, columns, report)
