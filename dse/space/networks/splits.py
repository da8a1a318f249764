"""Splits of sums as a choice of the design: the networks that a study's splits make of a task.

A sum inside an elementary is done at once, and all that it reads has to lie in the local memory. Split, it is a
dimension of the repetition, which can be cut in blocks as all others; but the task has other parts then, and groups are
others. So splits are a choice of whole designs, as loads are. A task is split along one range, or not at all.

Where nothing is compared but data that are moved or held, one network has all: blocks of a sum that is split term by
term read and hold what blocks of any other split do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from math import prod

from arrayol.errors import ArrayolError, Diagnostic
from arrayol.ir.divisors import divisors
from arrayol.ir.network import Network
from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.transforms.rewrite import call_name
from arrayol.transforms.split.split import Split
from arrayol.transforms.split.split_body import accumulated_ranges
from arrayol.transforms.steps import Canonical, with_splits
from dse.space.study import LADDER, NO_SPLITS, Study
from hwmodel.cost_model.metrics import MEMORY, TRAFFIC
from hwmodel.design import Splits
from hwmodel.platform import Platform

LADDER_FROM = 16  # terms of a sum, from which on the default splits it
LEAST_SIZE = 4  # terms of a block, for the default
RUNG = 4  # times as many blocks, from one rung of the ladder to the next
DATA = frozenset((*MEMORY, *TRAFFIC))  # figures of data alone
NETWORKS_AT_MOST = 8  # with the one without splits, for which the default combines the splits of several tasks


def split_networks(
    form: Canonical, study: Study, platform: Platform, figures: Collection[str]
) -> tuple[tuple[Splits, Network], ...]:
    """The networks that the splits of a study make of a task in canonical form, beside its own, in a fixed order.

    `figures` are the names of all figures that are compared or bounded. Raises ArrayolError (`study-misfit`) where a
    table asks for a split that cannot be made.
    """
    if study.splits == NO_SPLITS:
        return ()
    if study.splits != LADDER:
        chosen = _combined(_listed(form, study))
    elif DATA.issuperset(figures):
        offered = dict(_ladders(form, platform, _finest))
        chosen = [tuple(splits[0] for splits in offered.values())] if offered else []
    else:
        offered = dict(_ladders(form, platform, _sizes))
        few = prod(1 + len(splits) for splits in offered.values()) <= NETWORKS_AT_MOST
        chosen = _combined(offered) if few else _alike(offered)
    return tuple((tuple(map(str, splits)), with_splits(form, splits).network) for splits in chosen)


def _combined(offered: Mapping[str, tuple[Split, ...]]) -> list[tuple[Split, ...]]:
    """All combinations of a split of each task or none, but for none at all."""
    choices = product(*((None, *splits) for splits in offered.values()))
    return [splits for choice in choices if (splits := tuple(one for one in choice if one is not None))]


def _alike(offered: Mapping[str, tuple[Split, ...]]) -> list[tuple[Split, ...]]:
    """All tasks at one rung of their ladders, as far as these go."""
    most = max(map(len, offered.values()))
    return [tuple(splits[min(rung, len(splits) - 1)] for splits in offered.values()) for rung in range(most)]


def _ladders(
    form: Canonical, platform: Platform, sizes: Callable[[int, int], Sequence[int]]
) -> Iterator[tuple[str, tuple[Split, ...]]]:
    """By task the splits of its longest sum that can be split, of the `sizes` for its range and for all ranges.

    The last tasks come first: a step may give other names to later calls of the same task, not to earlier ones.
    """
    for name in reversed(tuple(form.network.processes)):
        definition = form.network.processes[name].definition
        ranges = accumulated_ranges(definition) if definition is not None else {}
        for variable, terms in sorted(ranges.items(), key=lambda one: -one[1]):
            wanted = sizes(terms, prod(ranges.values()))
            splits = tuple(Split(call_name(name), variable, size) for size in wanted)
            if splits and all(_has_network(form, split, platform) for split in splits):
                yield name, splits
                break


def _finest(terms: int, together: int) -> list[int]:
    """Blocks of one term, if all ranges together have enough: blocks of the repetition do all that longer ones do."""
    return [1] if together >= LADDER_FROM and terms > 1 else []


def _sizes(terms: int, _: int) -> list[int]:
    """A quarter of the terms in a block, a sixteenth, ..."""
    if terms < LADDER_FROM:
        return []
    sizes, most = [], terms // RUNG
    while most >= LEAST_SIZE:
        sizes.append(max(size for size in divisors(terms) if size <= most))
        most //= RUNG
    return list(dict.fromkeys(size for size in sizes if size >= LEAST_SIZE))


def _has_network(form: Canonical, split: Split, platform: Platform) -> bool:
    """Whether a split can be made, and the platform knows its parts."""
    try:
        processes = with_splits(form, [split]).network.processes
        return all(platform.intervals(one) for name, one in processes.items() if name not in form.network.processes)
    except ArrayolError:
        return False


def _listed(form: Canonical, study: Study) -> dict[str, tuple[Split, ...]]:
    """By task the splits of a table, the last tasks first."""
    names = tuple(form.network.processes)
    mistakes = [_unknown(study, name, names) for name in study.splits if name not in names]
    found: dict[str, tuple[Split, ...]] = {}
    for name in (name for name in reversed(names) if name in study.splits):
        ranges = study.splits[name].items()
        found[name] = tuple(Split(call_name(name), one, size) for one, sizes in ranges for size in sizes)
        for split in found[name]:
            try:
                with_splits(form, [split])
            except ArrayolError as refused:
                mistakes.append(_impossible(study, name, split, refused))
    if mistakes:
        raise ArrayolError(mistakes)
    return found


def _unknown(study: Study, name: str, names: Sequence[str]) -> Diagnostic:
    hint = did_you_mean(name, names) or f"the tasks are {', '.join(names)}"
    message = f"'splits' names '{name}', which is no task here"
    return Diagnostic("study-misfit", message, study.place("splits", name), hint)


def _impossible(study: Study, name: str, split: Split, refused: ArrayolError) -> Diagnostic:
    why = refused.diagnostics[0]
    message = f"'{split}', which 'splits.{name}' asks for, cannot be made: {why.message}"
    return Diagnostic("study-misfit", message, study.place("splits", name), why.hint)
