"""The transformations that make a design's specification: fusions of its groups, changes of paving for its blocks.

A group of several tasks is fused by the blocks of its last one, a task alone gets another paving. A mapped design says
its blocks; the published model says only how much a processor holds, so blocks that divide are tried, smallest first.
A design whose blocks leave a partial one has no steps.

That takes longer than to find a design, so it is done for the designs of a front that tell most of it, and for others
when somebody asks. Designs that begin with the same groups share what these give.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise, product
from math import prod
from typing import Any

from arrayol.checks.check import shown_extents
from arrayol.errors import ArrayolError
from arrayol.ir.divisors import divisors
from arrayol.ir.network import Network, Process, flatten
from arrayol.ir.spec import CompoundTask, RepetitiveTask, Spec
from arrayol.language.emitter import spec_text
from arrayol.transforms.fuse import Fuse
from arrayol.transforms.inline import Inline, callee_at, compound_paths, leaves_of, opened_at
from arrayol.transforms.pave import Pave
from arrayol.transforms.rewrite import CallName, Sizes, call_name, shown
from arrayol.transforms.steps import Canonical, Step, run_step, split_by
from dse.jobs.jobs import DESCRIBING, Report, SearchProgress
from dse.results.designs import Design, GroupRecord
from hwmodel.design import Splits
from hwmodel.published.group import size

_TRIED = 48  # blocks tried for one group, smallest first
Group = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a group is to become: blocks of so many repetitions of its last task, or at most so many blocks."""

    tasks: Group
    sizes: Sizes | None
    most: int | None


@dataclass(frozen=True, slots=True)
class StepResult:
    """What some steps have made, and the steps as texts."""

    spec: Spec
    steps: tuple[str, ...]


class NoStepsError(Exception):
    """Why a design's specification cannot be made by steps."""


@dataclass(slots=True)
class StepFinder:
    """Finds the steps of designs, group after group.

    `original` is the specification of the user, `spec` its canonical form, made by the steps `first`, and `network`
    that form flattened.
    """

    original: Spec
    spec: Spec
    network: Network
    first: tuple[Step, ...] = ()
    _made: dict[tuple[_Wanted, ...], StepResult] = field(default_factory=dict)
    _refused: dict[_Wanted, str] = field(default_factory=dict)  # whatever groups come before
    _split: dict[Splits, StepFinder] = field(default_factory=dict)
    _inlined: StepFinder | None = None  # of the form in which the top task calls no compound task
    _names: dict[str, str] = field(default_factory=dict)  # of processes there, by those here

    def __reduce__(self) -> tuple[Any, ...]:
        return StepFinder, (self.original, self.spec, self.network, self.first)  # what is remembered stays here

    def of(self, design: Design) -> StepResult:
        """The steps of a design by its groups' blocks, and what they make. Raises NoStepsError, which says why not.

        In the published model by the smallest dividing blocks of at least X_out data for every processor (paper A,
        section 4.2). With splits those of the network that they make, after them.
        """
        if design.splits:
            return self._after_splits(design.splits).of(design.model_copy(update={"splits": ()}))
        groups = [self._wanted(group) for group in design.groups]
        if any(not self._is_as_wanted(group) for group in groups) and self._needs_inlining(groups):
            return self._after_inlining(groups)
        return self.steps_of_groups(groups)

    def steps_of_groups(self, groups: Sequence[_Wanted]) -> StepResult:
        """The steps that make these groups, as they stand in the specification, and what the steps make."""
        return self._after(tuple(sorted(groups, key=lambda group: self._turn(group.tasks))))

    def _needs_inlining(self, groups: Sequence[_Wanted]) -> bool:
        """Whether a group goes across compound tasks, or a compound task is called twice: a step changes all calls."""
        top = self.spec.components[self.network.name]
        paths = compound_paths(self.spec, top)
        if not paths:
            return False
        assert isinstance(top, CompoundTask)
        called = [callee_at(self.spec, top, path) for path in paths]
        around = dict(zip(self.network.processes, (leaf.path[:-1] for leaf in leaves_of(self.spec, top)), strict=True))
        across = any(len({around[task] for task in group.tasks}) > 1 for group in groups)
        return across or len(called) > len(set(called))

    def _after_inlining(self, groups: Sequence[_Wanted]) -> StepResult:
        """What the steps of all groups make once every compound task below the top one is inlined in it."""
        if self._inlined is None:
            top = self.spec.components[self.network.name]
            assert isinstance(top, CompoundTask)
            paths = [leaf.path for leaf in leaves_of(self.spec, top)]
            made, opened = opened_at(self.spec, top, compound_paths(self.spec, top))
            network = flatten(made.spec, top.name)
            calls = list(network.processes)
            self._names = {
                one: calls[opened.places[path]] for one, path in zip(self.network.processes, paths, strict=True)
            }
            steps = (*self.first, Inline(CallName(top.name)))
            self._inlined = StepFinder(self.original, made.spec, network, steps)
        return self._inlined.steps_of_groups(
            [replace(group, tasks=tuple(self._names[task] for task in group.tasks)) for group in groups]
        )

    def _is_as_wanted(self, group: _Wanted) -> bool:
        return len(group.tasks) == 1 and _needs_no_step(self.network.processes[group.tasks[0]], group)

    def _after_splits(self, splits: Splits) -> StepFinder:
        if splits not in self._split:
            form = Canonical(self.original, self.first, self.spec, self.network)
            form = split_by(form, splits)
            self._split[splits] = StepFinder(form.original, form.spec, form.network, form.first)
        return self._split[splits]

    def described(self, design: Design) -> Design:
        """The design with its steps, or why it has none."""
        try:
            return design.model_copy(update={"steps": self.of(design).steps})
        except NoStepsError as reason:
            return design.model_copy(update={"steps_remark": str(reason)})

    def text_of(self, design: Design) -> str:
        """The specification of a design that has steps."""
        return spec_text(self.of(design).spec)

    def described_at(self, designs: Sequence[Design], places: Sequence[int], report: Report) -> tuple[Design, ...]:
        """All designs, those at some places with their steps."""
        described = list(designs)
        for done, place in enumerate(places):
            report(SearchProgress(DESCRIBING, done, len(places), "designs"))
            described[place] = self.described(designs[place])
        return tuple(described)

    def _wanted(self, group: GroupRecord) -> _Wanted:
        if group.mapping is None:
            data = {processor.task: processor.block_data or 1 for processor in group.processors}
            most = min(max(1, _data(self.network.processes[task]) // block) for task, block in data.items())
            return _Wanted(group.tasks, None, most)
        last, blocks = self.network.processes[group.tasks[-1]], group.mapping.blocks
        if blocks is None:
            raise NoStepsError(f"the group {' '.join(group.tasks)} is a stream, and steps make blocks")
        shapes = (blocks.outer, blocks.shape) if blocks.outer else (blocks.shape,)
        pairs = [pair for pair in pairwise((last.repetition, *shapes)) for pair in zip(*pair, strict=True)]
        if any(extent is not None and extent % side for extent, side in pairs):
            blocks_text = f"its blocks {' in '.join(map(shown, shapes))} of '{last.name}'"
            raise NoStepsError(f"{blocks_text} leave a partial block of {shown_extents(last.repetition)}")
        return _Wanted(group.tasks, blocks.shape, None)

    def _turn(self, group: Group) -> int:
        """When a group's steps come: of those that write parts of one array the last first.

        A step gives the call that it changes a task of its own, and `TASK@RESULT_3` is then `TASK@RESULT_2`.
        """
        several = any(
            len(self.network.arrays[array].producers) > 1 for array in self.network.processes[group[-1]].writes
        )
        return -list(self.network.processes).index(group[-1]) if several else 1

    def _after(self, groups: tuple[_Wanted, ...]) -> StepResult:
        """What the steps of all these groups make."""
        for group in groups:
            if group in self._refused:
                raise NoStepsError(self._refused[group])
        if not groups:
            return StepResult(self.spec, tuple(map(str, self.first)))
        if groups not in self._made:
            before = self._after(groups[:-1])
            try:
                self._made[groups] = self._with_group(before, groups[-1])
            except NoStepsError as reason:
                self._refused[groups[-1]] = str(reason)
                raise
        return self._made[groups]

    def _with_group(self, before: StepResult, group: _Wanted) -> StepResult:
        """With the first of the blocks that serve, smallest first."""
        last = self.network.processes[group.tasks[-1]]
        alone = len(group.tasks) == 1
        if self._is_as_wanted(group):
            return before
        reason = f"no block of '{last.name}' that divides holds what the model asks for"
        for sizes in [group.sizes] if group.sizes is not None else islice(_blocks(last, group.most or 1), _TRIED):
            try:
                made, task = _paved(before, last, sizes) if alone else self._fused(before, group.tasks, sizes or None)
            except ArrayolError as refusal:
                reason = refusal.diagnostics[0].message
                continue
            component = made.spec.components[task]
            assert isinstance(component, RepetitiveTask)
            if group.most is None or size(component.repetition) <= group.most:
                return made
        raise NoStepsError(reason)

    def _fused(self, made: StepResult, group: Group, sizes: Sizes | None) -> tuple[StepResult, str]:
        """From the last task backwards: every producer joins when all that read it in the group have joined."""
        joined, whole = {group[-1]}, call_name(group[-1])
        while len(joined) < len(group):
            name, feeds = self._next(group, joined)
            pair = (call_name(name), whole) if feeds else (whole, call_name(name))
            made, task = _stepped(made, Fuse(*pair, sizes if len(joined) == 1 else None))
            whole = CallName(task)
            joined.add(name)
        return made, whole.task

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


def _needs_no_step(process: Process, group: _Wanted) -> bool:
    """Whether a task alone is as it is wanted: an elementary called by itself, or blocks of one repetition."""
    if group.sizes is not None:
        return prod(group.sizes) == 1
    return size(process.repetition) <= (group.most or 1)


def _paved(made: StepResult, process: Process, sizes: Sizes) -> tuple[StepResult, str]:
    return _stepped(made, Pave(call_name(process.name), sizes))


def _stepped(made: StepResult, step: Step) -> tuple[StepResult, str]:
    """After one step more, and the task that it has made."""
    transformed = run_step(made.spec, step)
    assert transformed.task is not None, "fusions and pavings make a task"
    return StepResult(transformed.spec, (*made.steps, str(step))), transformed.task


def _data(process: Process) -> int:
    """Data of the largest linked output port over all repetitions; an infinite dimension counts once."""
    return size(process.repetition) * max(size(flow.port.shape) for flow in process.outputs)


def _blocks(process: Process, most: int) -> Iterator[Sizes]:
    """Blocks that cut a process in at most so many, smallest first; of equal ones those longest along the last axis."""
    options = [[1] if extent is None else divisors(extent) for extent in process.repetition]
    total = size(process.repetition)
    large_enough = [sizes for sizes in product(*options) if total <= most * prod(sizes)]
    yield from sorted(large_enough, key=lambda sizes: (prod(sizes), sizes))
