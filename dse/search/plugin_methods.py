"""Methods of search that plug-ins bring: called, and what they give checked before anything relies on it.

A front is taken as a method gives it; whether it is the whole one is up to the method. But each of its designs has to
be one of the space, with the figures that the machine model gives it, or the result would say what no design does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, replace
from typing import Any, Protocol

import numpy as np

from arrayol.errors import shown_object
from arrayol.plugins import METHODS, blamed, broken, plugin
from dse.jobs.runner import JobRunner
from dse.pareto.fronts import Front
from dse.search.context import Evolution, SearchContext, Searched, SearchRequest
from dse.search.group_front import Counts, GroupFront
from dse.search.integer_partitions import Coverage
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.design import Design


class SearchMethod(Protocol):
    """What a plug-in gives for a method: a function of a space with its columns, what is asked, and who works."""

    def __call__(self, context: SearchContext, request: SearchRequest, runner: JobRunner) -> Searched:
        """The front that it finds."""


def plugin_method(name: str) -> SearchMethod:
    """The method of that name. Raises KeyError for a name that is no method, ArrayolError (`broken-plugin`)."""
    found: SearchMethod = plugin(METHODS, name, callable, "function")
    return found


def search_by_plugin(name: str, context: SearchContext, request: SearchRequest, runner: JobRunner) -> Searched:
    """What a method of a plug-in finds.

    Raises ArrayolError (`broken-plugin`) where it raises something, or gives what is no front of designs of the space.
    """
    method = plugin_method(name)
    with blamed(METHODS, name):
        found: Any = method(context, request, runner)
    if not isinstance(found, Searched):
        raise broken(METHODS, name, "it does not give a 'Searched'")
    for wrong in _misfits(found, context):
        raise broken(METHODS, name, wrong)
    with blamed(METHODS, name):
        designs = [found.design(row) for row in range(len(found.front))]
    for row, design in enumerate(designs):
        _require_priced(name, context, design, found.front.values[row])
    return replace(found, design=designs.__getitem__)


def _is_whole(value: Any) -> bool:
    return type(value) is int and value >= 0


def _are_counts(value: Any) -> bool:
    return isinstance(value, Counts) and all(map(_is_whole, astuple(value)))


def _is_refusal(value: Any) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and isinstance(value[0], tuple)
        and all(isinstance(task, str) for task in value[0])
        and isinstance(value[1], str)
    )


def _are_groups(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        _is_whole(group) and isinstance(front, GroupFront) for group, front in value.items()
    )


_FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "front": (lambda value: isinstance(value, Front), "a Front"),
    "design": (callable, "a function of a row"),
    "counts": (_are_counts, "Counts, each 0 or more"),
    "exact": (lambda value: isinstance(value, bool), "true or false"),
    "description": (lambda value: isinstance(value, str), "a text"),
    "group_designs": (_is_whole, "a whole number, 0 or more"),
    "whole_designs": (lambda value: value is None or _is_whole(value), "a whole number, 0 or more, or None"),
    "counts_wholes": (lambda value: isinstance(value, bool), "true or false"),
    "complete": (lambda value: isinstance(value, bool), "true or false"),
    "refusal": (_is_refusal, "None, or the tasks of a group and a reason"),
    "groups": (_are_groups, "a GroupFront by group"),
    "evolution": (lambda value: value is None or isinstance(value, Evolution), "None or an Evolution"),
    "coverage": (lambda value: value is None or isinstance(value, Coverage), "None or a Coverage"),
}


def _misfits(found: Searched, context: SearchContext) -> Iterator[str]:
    """What of a 'Searched' is not what it should be, in words."""
    for name, (is_right, asked) in _FIELDS.items():
        value = getattr(found, name)
        if not is_right(value):
            yield f"its '{name}' is {shown_object(value)}, not {asked}"
            return
    values, units, figures = found.front.values, found.front.units, len(context.columns.figures)
    arrays = all(isinstance(one, np.ndarray) and one.dtype.kind in "iu" for one in (values, units))
    if not arrays or values.ndim != 2 or values.shape[1] != figures or units.shape != values.shape[:1]:
        yield f"its front is no array of integers of {figures} figures, with the units of each design"


def _require_priced(name: str, context: SearchContext, design: Any, values: Any) -> None:
    """Raises ArrayolError (`broken-plugin`) unless a design is one of the space, with the figures of its point."""
    space, columns = context.space, context.columns
    if not isinstance(design, Design):
        raise broken(METHODS, name, f"a design of its front is {shown_object(design)}, not a Design")
    with blamed(METHODS, name, "a design of its front is none of the space: "):
        if design.choice != space.choice:
            raise ValueError("it has other loads, splits or channels")
        estimate: DesignEstimate = space.model.evaluate(design, reuse_memory=space.study.reuse_memory)
    for figure, said in zip(columns.figures, values.tolist(), strict=True):
        exact = round(estimate.objective(figure.key) * figure.scale)
        if said != exact:
            raise broken(METHODS, name, f"it says {figure.name} {said:,} of a design that has {exact:,}")
    if not columns.combination.within(values[None, :])[0]:
        raise broken(METHODS, name, "a design of its front breaks a constraint")
