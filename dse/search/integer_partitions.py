"""Which integer partitions of the number of tasks a search has covered, as paper A counts its space (figure 9).

The sizes of a fusion's groups are an integer partition of the number of tasks, and partitions of equal numbers of parts
make a subspace. Fusions are ways through down-sets, so which partitions some groups make is found along these: of each
down-set the sizes of the groups that can have led there. Of many tasks there are too many partitions for that; then
what is counted are the subspaces, by numbers of groups.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dse.pareto.combine import completions_of
from dse.results.schema import PARTITIONS, SUBSPACES, PartitionCounts
from dse.space.mappings import MappingSpace
from dse.space.task_graph import Mask

PARTITIONS_TO = 20  # tasks, which have 627 of them

Code = int  # how many groups there are of each size, in one number; of many tasks how many groups
ILLEGAL, LONG = "no legal fusion", "longer groups than the study takes"
INFEASIBLE, LEFT_OUT = "no feasible design", "left out"
UNKNOWN = "left out, or no legal fusion"


@dataclass(frozen=True)
class Coverage:
    """The partitions that have `legal` fusions (None: not known), and those of which whole designs were looked at.

    With `is_whole` all designs of these were looked at, or are known to be beaten.
    """

    tasks: int
    longest: int | None
    legal: frozenset[Code] | None
    reached: frozenset[Code]
    is_whole: bool

    def counts(self) -> PartitionCounts:
        """How many there are, covered, looked at in part, and pruned, by why."""
        total, reached = _count(self.tasks, self.tasks), len(self.reached)
        short = total if self.longest is None else _count(self.tasks, self.longest)
        pruned = {LONG: total - short}
        if self.legal is None:
            pruned[UNKNOWN] = short - reached
        else:
            pruned[ILLEGAL] = short - len(self.legal)
            pruned[INFEASIBLE if self.is_whole else LEFT_OUT] = len(self.legal - self.reached)
        return PartitionCounts(
            counted=PARTITIONS if self.tasks <= PARTITIONS_TO else SUBSPACES,
            total=total,
            covered=reached if self.is_whole else 0,
            partly=0 if self.is_whole else reached,
            pruned={why: count for why, count in pruned.items() if count},
        )

    def joined(self, other: Coverage) -> Coverage:
        """What two searches of the same fusions have covered together, each under its own choices."""
        is_whole = self.is_whole and other.is_whole
        return replace(self, reached=self.reached | other.reached, is_whole=is_whole)


def coverage(space: MappingSpace, looked_at: Collection[Mask], *, is_whole: bool) -> Coverage | None:
    """Coverage of a search that has looked at designs of some groups; None where there are too many down-sets."""
    reached = codes_of(space, looked_at)
    return None if reached is None else covered(space, reached, is_whole=is_whole)


def covered(space: MappingSpace, reached: Iterable[Code], *, is_whole: bool) -> Coverage:
    """Coverage of a search that has looked at designs of these partitions."""
    legal = codes_of(space, space.groups) if space.lists_groups else None
    return Coverage(len(space.graph), space.study.longest_group, legal, frozenset(reached), is_whole)


def codes_of(space: MappingSpace, groups: Collection[Mask]) -> frozenset[Code] | None:
    """The partitions of the fusions that some groups make; None with too many down-sets."""
    completions = completions_of(space.graph, groups, space.fusions)
    if completions is None:
        return None
    return codes_along(completions.fusions, completions.following, len(space.graph))


def codes_along(
    fusions: Iterable[Sequence[Mask]], following: Mapping[Mask, Sequence[Mask]], tasks: int
) -> frozenset[Code]:
    """The partitions of some fusions, and of the ways to all tasks by the groups that may follow each down-set."""
    listed = (code_of(map(Mask.bit_count, fusion), tasks) for fusion in fusions)
    codes: dict[Mask, set[Code]] = {0: {0}}
    for done in sorted(following, key=Mask.bit_count):
        here = codes.get(done, ())
        for group in following[done] if here else ():
            more = _code(group.bit_count(), tasks)
            codes.setdefault(done | group, set()).update(code + more for code in here)
    return frozenset(codes.get((1 << tasks) - 1, ())).union(listed)


def code_of(sizes: Iterable[int], tasks: int) -> Code:
    """The partition of these sizes of groups."""
    return sum(_code(size, tasks) for size in sizes)


def _code(size: int, tasks: int) -> Code:
    return 1 << (tasks.bit_length() * (size - 1)) if tasks <= PARTITIONS_TO else 1


def _count(tasks: int, longest: int) -> int:
    """How many integer partitions, or numbers of groups, there are with no part longer than that."""
    return _partitions(tasks, longest) if tasks <= PARTITIONS_TO else tasks + 1 - -(-tasks // longest)


@lru_cache(maxsize=1024)
def _partitions(number: int, largest: int) -> int:
    if number == 0:
        return 1
    return sum(_partitions(number - part, part) for part in range(1, min(number, largest) + 1))
