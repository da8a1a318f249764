"""The transformations that make a design's specification: fusions of its groups, changes of paving for its blocks.

A group of several tasks is fused by the blocks of its last one, a task alone gets another paving. A mapped design says
its blocks; the published model says only how much a processor holds, so blocks that divide are tried, smallest first.
Steps of a group depend on no other group: they are sought once each, as jobs. A design whose blocks leave a partial one
has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import prod
from typing import Any

from pydantic import TypeAdapter

from arrayol.checks.check import shown_extents
from arrayol.errors import ArrayolError
from arrayol.ir.divisors import divisors
from arrayol.ir.network import Network, Process
from arrayol.ir.spec import Component, RepetitiveTask, Spec
from arrayol.transforms.fuse import Fuse
from arrayol.transforms.pave import Pave
from arrayol.transforms.rewrite import CallName, Sizes, shown
from arrayol.transforms.steps import Step
from arrayol.transforms.trace import Transformed, identity
from dse.jobs.digest import code_digest, digest
from dse.jobs.jobs import DESCRIBING, JobPlan, Report, SearchProgress
from dse.jobs.runner import JobRunner, Share
from hwmodel.design import Design, GroupDesign
from hwmodel.published.group import PublishedDesign, size

_TRIED = 48  # blocks tried for one group, smallest first
Group = tuple[str, ...]
GroupSteps = tuple[str, ...] | str  # steps of a group as texts, or why there are none


@dataclass(frozen=True, slots=True)
class DesignSteps:
    """The steps of a design as texts, or why it has none."""

    steps: tuple[str, ...] | None
    remark: str | None = None


class NoStepsError(Exception):
    """Why a design's specification cannot be made by steps."""


@dataclass(slots=True)
class StepFinder:
    """Finds the steps of designs group by group.

    `original` is the specification of the user, `spec` its canonical form, made by the steps `first`, and `network`
    that form flattened.
    """

    original: Spec
    spec: Spec
    network: Network
    first: tuple[Step, ...] = ()
    _groups: dict[tuple[Group, int], tuple[Step, ...]] = field(default_factory=dict)
    _mappings: dict[tuple[Group, Sizes], GroupSteps] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        return StepFinder, (self.original, self.spec, self.network, self.first)  # what is remembered stays here

    @property
    def key(self) -> bytes:
        """The digest of what steps depend on, the designs aside."""
        return digest(code_digest(), self.spec, self.network)

    def needed(self, designs: Iterable[Design]) -> list[tuple[Group, Sizes]]:
        """The groups of designs, with the blocks of their last tasks, whose steps are not known yet; each once."""
        groups = dict.fromkeys(group for design in designs for group in design.groups)
        pairs = dict.fromkeys((group.tasks, group.blocks.shape) for group in groups if not self._partial(group))
        return [pair for pair in pairs if pair not in self._mappings]

    def learn(self, pairs: Iterable[tuple[Group, Sizes]], steps: Iterable[GroupSteps]) -> None:
        """Remember the steps of groups."""
        self._mappings.update(zip(pairs, steps, strict=True))

    def published(self, design: PublishedDesign) -> DesignSteps:
        """Fusions by the smallest dividing blocks of at least X_out data for every processor (paper A, section 4.2)."""
        blocks = {processor.process: processor.block for processor in design.processors}
        return self._steps(
            (group, self._published_group(group, self._most_blocks(group, blocks))) for group in design.fusion.groups
        )

    def mapped(self, design: Design) -> DesignSteps:
        """Fusions by the blocks of each group's last task, a change of paving for a task alone."""
        return self._steps((group.tasks, self._mapped_group(group)) for group in design.groups)

    def _steps(self, groups: Iterable[tuple[Group, Sequence[Step | str]]]) -> DesignSteps:
        try:
            found = sorted(groups, key=lambda group: self._turn(group[0]))
        except NoStepsError as reason:
            return DesignSteps(None, str(reason))
        return DesignSteps(tuple(map(str, (*self.first, *(step for _, steps in found for step in steps)))))

    def _turn(self, group: Group) -> int:
        """When a group's steps come: of those that write parts of one array the last first.

        A step gives the call that it changes a task of its own, and `TASK@RESULT_3` is then `TASK@RESULT_2`.
        """
        several = any(
            len(self.network.arrays[array].producers) > 1 for array in self.network.processes[group[-1]].writes
        )
        return -list(self.network.processes).index(group[-1]) if several else 1

    def _partial(self, group: GroupDesign) -> bool:
        """Whether its blocks leave a partial one."""
        extents = self.network.processes[group.tasks[-1]].repetition
        return any(
            extent is not None and extent % side for extent, side in zip(extents, group.blocks.shape, strict=True)
        )

    def _mapped_group(self, group: GroupDesign) -> tuple[str, ...]:
        last, sizes = self.network.processes[group.tasks[-1]], group.blocks.shape
        if self._partial(group):
            remark = (
                f"its blocks {shown(sizes)} of '{last.name}' leave a partial block of {shown_extents(last.repetition)}"
            )
            raise NoStepsError(remark)
        key = (group.tasks, sizes)
        if key not in self._mappings:
            self._mappings[key] = self.by_blocks(group.tasks, sizes)
        steps = self._mappings[key]
        if isinstance(steps, str):
            raise NoStepsError(steps)
        return steps

    def by_blocks(self, group: Group, sizes: Sizes) -> GroupSteps:
        """The steps of a group by blocks of its last task, or why there are none."""
        last = self.network.processes[group[-1]]
        if len(group) == 1 and prod(sizes) == 1:
            return ()
        try:
            steps, _ = self._paved(last, sizes) if len(group) == 1 else self._fused(group, sizes or None)
            return tuple(map(str, steps))
        except ArrayolError as refusal:
            return refusal.diagnostics[0].message

    def _most_blocks(self, group: Group, blocks: Mapping[str, int]) -> int:
        """How many blocks a group's run may have so that each still holds every processor's X_out."""
        return min(max(1, _data(self.network.processes[name]) // blocks[name]) for name in group)

    def _published_group(self, group: Group, most: int) -> tuple[Step, ...]:
        if (group, most) not in self._groups:
            self._groups[group, most] = self._dividing(group, most)
        return self._groups[group, most]

    def _dividing(self, group: Group, most: int) -> tuple[Step, ...]:
        """With the first of the blocks, smallest first, that gives few enough of them."""
        last = self.network.processes[group[-1]]
        if len(group) == 1 and (not last.repetition or size(last.repetition) <= most):
            return ()  # an elementary called by itself, or blocks of one repetition
        reason = f"no block of '{last.name}' that divides holds what the model asks for"
        for sizes in islice(_blocks(last, most), _TRIED):
            try:
                steps, task = self._paved(last, sizes) if len(group) == 1 else self._fused(group, sizes)
            except ArrayolError as refusal:
                reason = refusal.diagnostics[0].message
                continue
            assert isinstance(task, RepetitiveTask)
            if size(task.repetition) <= most:
                return steps
        raise NoStepsError(reason)

    def _paved(self, process: Process, sizes: Sizes) -> tuple[tuple[Step, ...], Component]:
        step = Pave(call_name(process.name), sizes)
        return (step,), _component(step.apply(self.spec))

    def _fused(self, group: Group, sizes: Sizes | None) -> tuple[tuple[Step, ...], Component]:
        """From the last task backwards: every producer joins when all that read it in the group have joined."""
        joined, whole, steps = {group[-1]}, call_name(group[-1]), list[Step]()
        current = Transformed(self.spec, identity(self.spec))
        while len(joined) < len(group):
            name, feeds = self._next(group, joined)
            pair = (call_name(name), whole) if feeds else (whole, call_name(name))
            steps.append(Fuse(*pair, sizes if not steps else None))
            current = steps[-1].apply(current.spec)
            assert current.task is not None
            whole = CallName(current.task)
            joined.add(name)
        return tuple(steps), _component(current)

    def _next(self, group: Group, joined: set[str]) -> tuple[str, bool]:
        """The next task of a group, and whether it feeds the joined ones or reads them."""
        processes = self.network.processes
        reads = {name: processes[name].reads for name in group}
        writes = {name: processes[name].writes for name in group}
        left = [name for name in reversed(group) if name not in joined]
        feeding = [name for name in left if any(writes[name] & reads[other] for other in joined)]
        ready = [name for name in feeding if not any(writes[name] & reads[other] for other in left)]
        if ready or feeding:
            return (ready or feeding)[0], True
        return next(name for name in reversed(left) if any(reads[name] & writes[other] for other in joined)), False


def call_name(process: str) -> CallName:
    """The call that a process of the network is."""
    task, _, result = process.partition("@")
    return CallName(task, result or None)


def _component(transformed: Transformed) -> Component:
    """The task that a step has made."""
    assert transformed.task is not None
    return transformed.spec.components[transformed.task]


def _data(process: Process) -> int:
    """Data of the largest linked output port over all repetitions; an infinite dimension counts once."""
    return size(process.repetition) * max(size(flow.port.shape) for flow in process.outputs)


def _blocks(process: Process, most: int) -> Iterator[Sizes]:
    """Blocks that cut a process in at most so many, smallest first; of equal ones those longest along the last axis."""
    options = [[1] if extent is None else divisors(extent) for extent in process.repetition]
    total = size(process.repetition)
    large_enough = [sizes for sizes in product(*options) if total <= most * prod(sizes)]
    yield from sorted(large_enough, key=lambda sizes: (prod(sizes), sizes))


# The steps of groups as jobs.

_FUSION_SECONDS = 0.005  # roughly, of a step
_GROUP_STEPS: TypeAdapter[GroupSteps] = TypeAdapter(GroupSteps)


@dataclass(frozen=True)
class StepsJob:
    """One group by blocks of its last task."""

    group: Group
    sizes: Sizes
    finder_key: bytes = field(repr=False)

    @property
    def kind(self) -> str:
        """What it is in a store."""
        return "steps of a group"

    @property
    def cost(self) -> float:
        """Roughly how many seconds it takes."""
        return _FUSION_SECONDS * len(self.group)

    def key(self, _: StepFinder) -> bytes:
        """What it depends on."""
        return digest(self.kind, self.finder_key, self.group, self.sizes)

    def run(self, finder: StepFinder) -> GroupSteps:
        """Find them."""
        return finder.by_blocks(self.group, self.sizes)

    def dump(self, steps: GroupSteps) -> str:
        """Steps as text."""
        return _GROUP_STEPS.dump_json(steps).decode()

    def load(self, text: str) -> GroupSteps:
        """Steps from their text."""
        return _GROUP_STEPS.validate_json(text)


def find_steps(finder: StepFinder, designs: Sequence[Design], runner: JobRunner, report: Report) -> None:
    """Let the finder know the steps of all groups of some designs."""
    pairs, done = finder.needed(designs), 0

    def watch(share: Share, results: Sequence[GroupSteps]) -> None:
        nonlocal done
        done += len(results)
        report(SearchProgress(DESCRIBING, done, len(pairs), "groups", work=share.of_all))

    (steps,) = runner.do(finder, [_plan(finder, pairs)], watch)
    finder.learn(pairs, steps)


def _plan(finder: StepFinder, pairs: Sequence[tuple[Group, Sizes]]) -> JobPlan[Sequence[GroupSteps]]:
    key = finder.key
    return (yield [StepsJob(group, sizes, key) for group, sizes in pairs])
