"""Loads and splits as choices of the design: each combination is searched, and of all fronts one is made.

What is loaded once stands beside all groups, and which arrays do so says what groups load; a split sum makes another
network. So both are a matter of whole designs, and groups have fronts for each combination. Figures are the same under
all, so that the fronts of whole designs can be compared; of equal designs the one with the fewest units stays, then the
one whose choice comes first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import accumulate

import numpy as np

from dse.jobs.runner import JobRunner
from dse.pareto.fronts import front_of
from dse.search.context import EXACT, ROUNDS, SEARCHED, Chosen, SearchContext, Searched, SearchRequest
from dse.search.figures import columns_of, objective_values
from dse.search.group_front import Counts
from dse.search.integer_partitions import Coverage
from dse.search.methods import search
from dse.search.shown.slowest import slowed
from dse.space.mappings import MappingSpace
from dse.space.remarks import choices_text
from hwmodel.design import Design

UNSPLIT, UNSPLIT_OF_DATA = 0.5, 0.25  # of the budget, for networks without splits beside such with
STREAMS = 0.2  # of the time, for variants of streams alone beside others


def contexts_of(space: MappingSpace, objectives: Sequence[str]) -> tuple[SearchContext, ...]:
    """The variants of a space, in columns that have the same figures. Raises what `columns_of` does.

    Where data alone are compared, those with splits come first: they beat most of what the others have.
    """
    constraints, reuse_memory = space.study.constraints, space.study.reuse_memory
    contexts = [
        SearchContext(one, columns_of(objectives, constraints, one.model, reuse_memory=reuse_memory, known=known))
        for known in (space.figures,)
        for one in space.variants
    ]
    return tuple(sorted(contexts, key=lambda one: one.columns.compares_only_data and not one.space.splits))


def search_each(
    contexts: Iterable[SearchContext], method: Chosen, request: SearchRequest, runner: JobRunner
) -> tuple[Searched, ...]:
    """Search the variants of a space by a method, each with its share of budget and time.

    Where some are without splits, they share half of it, a quarter where data alone are compared: then splits gain
    most. Rounds leave out variants of streams alone, which are few: all of them are evaluated, in a fifth of the time.
    Each variant knows the figures of those before it. Where one is ended by an interrupt or the clock, the others are
    not begun.
    """
    contexts, parts = tuple(contexts), list[Searched]()
    quick = [one for one in contexts if _is_quick(one, method)]
    quick = quick if len(quick) < len(contexts) else []
    for context in contexts:
        if context in quick:
            chosen, share, time = Chosen(EXACT, method.why), 0.0, STREAMS / len(quick)
        else:
            chosen, share = method, _share(context, [one for one in contexts if one not in quick])
            time = share * (1 - STREAMS if quick else 1)
        timeout = None if request.timeout is None else request.timeout * time
        rivals = tuple(objective_values(context.columns, part.front.values) for part in parts)
        own = replace(request, budget=request.budget * share, timeout=timeout, rivals=rivals)
        with runner.within(None if timeout is None else SEARCHED * timeout):
            parts.append(search(context, chosen, own, runner))
        if context is not contexts[-1]:
            context.space.model.forget_tables()  # those of the next one need the room
        if not parts[-1].complete and timeout is None:
            break
    return tuple(parts)


def _is_quick(context: SearchContext, method: Chosen) -> bool:
    """Whether a variant has streams alone, and rounds are not needed for it."""
    return method.name == ROUNDS and not context.space.study.has_blocks and context.space.lists_groups


def _share(context: SearchContext, contexts: Sequence[SearchContext]) -> float:
    """The share of a variant among some."""
    split = sum(1 for one in contexts if one.space.splits)
    alike = split if context.space.splits else len(contexts) - split
    unsplit = UNSPLIT_OF_DATA if context.columns.compares_only_data else UNSPLIT
    of_kind = 1.0 if alike == len(contexts) else 1 - unsplit if context.space.splits else unsplit
    return of_kind / alike


def joined(parts: Sequence[Searched], contexts: Sequence[SearchContext]) -> Searched:
    """What the searches say together; neither groups nor how each evolved. Partitions are those without splits."""
    if len(parts) == 1:
        return parts[0]
    values, units = (np.concatenate([getattr(part.front, name) for part in parts]) for name in ("values", "units"))
    front, starts = front_of(values, units), list(accumulate((len(part.front) for part in parts), initial=0))

    def design(row: int) -> Design:
        place = int(front.origin[row])
        part = bisect_right(starts, place) - 1
        return parts[part].design(place - starts[part])

    wholes = [part.whole_designs for part in parts if part.whole_designs is not None]
    return Searched(
        front=front,
        design=design,
        counts=sum((part.counts for part in parts), Counts()),
        exact=all(part.exact for part in parts),
        complete=all(part.complete for part in parts),
        description="; so ".join((parts[0].description, *choices_text([one.space for one in contexts[: len(parts)]]))),
        group_designs=sum(part.group_designs for part in parts),
        whole_designs=sum(wholes) if len(wholes) == len(parts) else None,
        counts_wholes=parts[0].counts_wholes,
        refusal=next((part.refusal for part in parts if part.refusal), None),
        coverage=_all_covered(
            [part.coverage for part, one in zip(parts, contexts, strict=False) if not one.space.splits]
        ),
        work=sum(works) if (works := [part.work for part in parts if part.work is not None]) else None,
    )


def _all_covered(each: Sequence[Coverage | None]) -> Coverage | None:
    known = [one for one in each if one is not None]
    return reduce(Coverage.joined, known) if len(known) == len(each) else None


def slowed_each(contexts: Iterable[SearchContext], designs: Sequence[Design]) -> tuple[Design, ...]:
    """The designs with each processor at the largest interval that changes nothing: `dse.search.shown.slowest`."""
    slower: dict[Design, Design] = {}
    for context in contexts:
        own = [design for design in designs if design.choice == context.space.choice]
        slower.update(zip(own, slowed(context, own), strict=True))
    return tuple(slower[design] for design in designs)
