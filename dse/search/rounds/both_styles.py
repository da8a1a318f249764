"""Streams beside the rounds: the whole designs that fronts of blocks and of streams make together.

The rounds go on as if there were blocks alone, from their own archive: what they find in a budget does not depend on
streams, so nothing of it is lost, and both styles join in a second archive. Streams of groups are few and quick to
price: they have a share of the budget that rounds do not have, of which the rest is for blocks beside streams.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dse.jobs.jobs import JobPlan
from dse.search.context import SearchContext
from dse.search.group_front import Counts, GroupFront, GroupPart, joined
from dse.search.groups.search import group_front
from dse.search.rounds.archive import Archive, Design
from dse.search.rounds.schedule import Schedule
from dse.search.streams.stream_search import StreamJob
from dse.space.task_graph import Mask

SHARE = 0.2  # of the budget, for streams of all groups and the designs that they make with blocks
BATCH = 0.4  # seconds of streams that are priced at once, at least


@dataclass
class BothStyles:
    """The streams of groups, by the first of their kind, and the archive of whole designs of both styles.

    `left` are the groups whose streams are not priced, since the share is spent.
    """

    context: SearchContext
    budget: float
    archive: Archive = field(init=False)
    streams: dict[Mask, GroupPart] = field(default_factory=dict)
    left: set[Mask] = field(default_factory=set)
    seconds: float = 0.0
    _waiting: dict[Mask, StreamJob] = field(default_factory=dict)
    _fronts: dict[Mask, tuple[GroupPart, GroupFront]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with no design."""
        self.archive = Archive(self.context.columns.combination)

    @property
    def unspent(self) -> float:
        """The share of the budget that is there yet."""
        return max(0.0, SHARE - self.seconds / self.budget)

    def take(self, group: Mask) -> bool:
        """Let the streams of a group wait, once, as far as the share goes; whether those that wait are a batch."""
        space = self.context.space
        if not space.study.has_streams or group in self.streams or group in self._waiting or group in self.left:
            return False
        job = StreamJob.of(space, space.tasks(group))
        if self._seconds + job.cost > SHARE * self.budget:
            self.left.add(group)
            return False
        self._waiting[group] = job
        waits = sum(job.cost for job in self._waiting.values())
        return waits > max(BATCH, self.seconds / 8)

    @property
    def _seconds(self) -> float:
        return self.seconds + sum(job.cost for job in self._waiting.values())

    def plans(self) -> list[tuple[Mask, JobPlan[GroupPart]]]:
        """The streams that wait, by group."""
        waiting, self._waiting = self._waiting, {}
        self.seconds += sum(job.cost for job in waiting.values())
        return [(group, self._plan(job)) for group, job in waiting.items()]

    def _plan(self, job: StreamJob) -> JobPlan[GroupPart]:
        return joined((yield [job]), self.context.columns)

    def front(self, group: Mask, blocks: GroupPart) -> GroupFront:
        """The front of a group's blocks and streams."""
        known = self._fronts.get(group)
        if known is None or known[0] is not blocks:
            parts = [self.streams[group], blocks] if group in self.streams else [blocks]
            known = self._fronts[group] = blocks, group_front(joined(parts, self.context.columns), self.context)
        return known[1]

    def add(self, group: Mask, streams: GroupPart) -> None:
        """Take the streams of a group."""
        self.streams[group] = streams
        self._fronts.pop(group, None)

    def join(
        self, of_blocks: Archive, schedule: Schedule, fronts: Mapping[Mask, GroupFront], design: Design, *, last: bool
    ) -> None:
        """Take the whole designs of blocks, and those of both styles: before the `last` time as far as the share goes.

        `fronts` are those of both styles, and `design` what is behind their rows.
        """
        wholes = of_blocks.wholes
        self.archive.wholes = self.archive.wholes.joined(wholes.values, wholes.units, wholes.designs.__getitem__)
        if last or self._seconds + self.archive.seconds <= SHARE * self.budget:
            self.archive.add(schedule, {group: own.front for group, own in fronts.items()}, design)
            self.seconds += self.archive.seconds

    @property
    def counts(self) -> Counts:
        """The streams that were looked at, and the groups whose streams were not."""
        return sum((own.counts for own in self.streams.values()), Counts(pruned=len(self.left)))

    @property
    def refusals(self) -> Sequence[tuple[Mask, str]]:
        """By group why some of its streams are refused."""
        return [(group, own.refusal) for group, own in self.streams.items() if own.refusal]
