"""Designs of a front judged by the simulator at a reduced size: where it disagrees with the model, that is an error.

A group is simulated by itself, fed with the arrays of the reference execution: groups run one after another and meet in
the external memory only, so a design does what the model says if each of its groups does and their order is possible
(`unordered`). Designs share groups, and at the reduced size many groups become the same one; each is simulated once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter

from arrayol.checks.check import check_again
from arrayol.errors import ArrayolError, error
from arrayol.ir.divisors import divisors
from arrayol.ir.network import Network
from arrayol.transforms.split.split import Split
from arrayol.transforms.split.split_body import accumulated_ranges
from arrayol.transforms.steps import Canonical, NetworkStep, canonical_form, with_splits
from dse.jobs.digest import digest
from dse.jobs.jobs import SIMULATING, JobPlan, Report, SearchProgress
from dse.jobs.runner import JobRunner, Share
from dse.verify.reduce import Reducer, extents_of
from dse.verify.testbench import Judgement, Testbench
from hwmodel.accesses import Accesses
from hwmodel.design import Design, GroupDesign
from hwmodel.frame_states import with_states_outside
from hwmodel.platform import Platform, for_copies
from hwmodel.platform_memories import ArrayChannels
from hwmodel.residence import Loads

WHOLE_AT_MOST = 1_000_000  # repetitions; a spec without a reduced size is simulated whole up to so many
BY_DEFAULT_AT_MOST = 2_000_000  # repetitions over all designs of the front that are simulated unasked
_GROUP_SECONDS = 0.01  # roughly, before the first step
_REPETITION_SECONDS = 1e-5  # of one repetition of one task
_JUDGEMENTS = TypeAdapter(Judgement)

Judgements = Mapping[GroupDesign, Judgement]
TaskGroups = tuple[tuple[str, ...], ...]  # the tasks of each group of a design


@dataclass(frozen=True)
class Verdict:
    """Whether a design was simulated (None: not), and at which size or why not."""

    verified: bool | None
    text: str


class NotReducibleError(Exception):
    """Why a design has no counterpart at the reduced size."""


@dataclass
class Verifier:
    """Simulates designs of a task in canonical form on a platform, at the size that its `[verify]` consts give.

    `plan` lists the groups there are to simulate, and `verdicts` says what came of that for each design.
    """

    form: Canonical
    platform: Platform
    loads: Loads = field(default_factory=dict)
    channels: ArrayChannels | None = ()
    _known_orders: dict[TaskGroups, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self.consts = self.platform.verify if self.form.original.items else {}  # what steps made has no consts
        self.is_reduced = bool(self.consts)
        small = self._reduced() if self.is_reduced else self.form
        platform = for_copies(self.platform, small.original)  # whose copies may have other parameters at that size
        self.testbench = Testbench(small.spec, small.network, platform, self.loads, self.channels)
        network = with_states_outside(self.form.network, self.loads)
        self._reducer = Reducer(extents_of(Accesses(network, self.loads)), self.testbench.model)

    def _reduced(self) -> Canonical:
        """The task at the reduced size, which may be its own."""
        spec = self.form.original
        if all(spec.constants[name] == value for name, value in self.consts.items()):
            return self.form
        small = canonical_form(
            check_again(spec, {**spec.settings, **self.consts}, same_names=True), self.form.network.name
        )
        return with_splits(small, tuple(_as_small(self.form, small)))

    @property
    def size(self) -> str:
        """The size of the simulation, in words."""
        whole = self.form.original.constants
        if all(value == whole[name] for name, value in self.consts.items()):
            return "at its whole size"
        consts = ", ".join(f"{name} = {value}" for name, value in self.consts.items())
        is_smaller = all(value <= whole[name] for name, value in self.consts.items())
        return f"at the reduced size {consts}" if is_smaller else f"at the size {consts}"

    def all(
        self,
        designs: Sequence[Design],
        runner: JobRunner | None = None,
        report: Report = lambda _: None,
        *,
        asked: bool,
    ) -> tuple[Verdict, ...]:
        """The verdict on each design; without being asked to, only where they are few and small enough.

        Raises ArrayolError (`verification-failed`) for the first one about which simulation and model disagree.
        """
        groups = self.plan(designs, asked=asked)
        return self.verdicts(designs, judge_all(self.testbench, groups, runner or JobRunner(), report), asked=asked)

    def plan(self, designs: Sequence[Design], *, asked: bool) -> tuple[GroupDesign, ...]:
        """What is simulated for designs, each group once, in the order in which the designs first need them."""
        if self._unsimulated(designs, asked=asked) is not None:
            return ()
        if self.is_reduced and self._has_same_tasks:
            self._reducer.prepare(group for design in designs for group in design.groups)
        groups: dict[GroupDesign, None] = {}
        for design in designs:
            try:
                groups |= dict.fromkeys(group for variant in self.variants(design) for group in variant.groups)
            except NotReducibleError:
                continue
        return tuple(groups)

    def verdicts(self, designs: Sequence[Design], judgements: Judgements, *, asked: bool) -> tuple[Verdict, ...]:
        """The verdict on each design, from judgements on all that `plan` lists.

        Raises ArrayolError (`verification-failed`) for the first design about which simulation and model disagree.
        """
        if (reason := self._unsimulated(designs, asked=asked)) is not None:
            return (Verdict(None, reason),) * len(designs)
        return tuple(self._verdict(design, judgements) for design in designs)

    def variants(self, design: Design) -> tuple[Design, ...]:
        """What is simulated for a design: at a reduced size it in whole blocks, and with partial ones.

        One of the two may be refused, as where smaller blocks break a FIFO's order. Raises NotReducibleError where
        both are.
        """
        if not self.is_reduced:
            return (design,)
        if not self._has_same_tasks:
            raise NotReducibleError(f"{self.size}, copies of one definition have other parameters than one another")
        variants: dict[Design, None] = {}
        refusals = []
        for partial in (False, True):
            try:
                variants[self._reducer.reduced(design, partial=partial)] = None
            except ArrayolError as refused:
                refusals.append(refused.diagnostics[0].message)
        if not variants:
            raise NotReducibleError(f"{self.size}, {refusals[0]}")
        return tuple(variants)

    @property
    def _has_same_tasks(self) -> bool:
        """Whether the reduced size has the tasks of the whole one."""
        return self.testbench.network.processes.keys() == self.form.network.processes.keys()

    def _unsimulated(self, designs: Sequence[Design], *, asked: bool) -> str | None:
        """Why none of the designs is simulated, if so."""
        repetitions = self.testbench.repetitions(self.testbench.network.processes)
        if not self.is_reduced and repetitions > WHOLE_AT_MOST:
            reason = "steps made the specification" if self.platform.verify else "the platform has no [verify] table"
            return f"unverified: more than {WHOLE_AT_MOST:,} repetitions, and {reason}"
        if not asked and len(designs) * repetitions > BY_DEFAULT_AT_MOST:
            return f"not simulated unasked above {BY_DEFAULT_AT_MOST:,} repetitions in all; --verify does it"
        return None

    def _verdict(self, design: Design, judgements: Judgements) -> Verdict:
        try:
            variants = self.variants(design)
        except NotReducibleError as reason:
            return Verdict(None, f"unverified: {reason}")
        reasons = [reason for variant in variants for reason in self._reasons(variant, judgements)]
        if reasons:
            raise self._failed(design, reasons)
        judged = [judgements[group] for variant in variants for group in variant.groups]
        if any(one.identical is None for one in judged):
            return Verdict(True, f"simulated {self.size}, data as tokens")
        kept_to = next((one.kept_to for one in judged if one.kept_to), "")
        return Verdict(True, f"simulated {self.size}{f', with {kept_to} as bodies need' if kept_to else ''}")

    def _reasons(self, variant: Design, judgements: Judgements) -> Iterator[str]:
        """What simulation and model disagree about, group by group."""
        yield from self._unordered(variant.fusion.groups)
        for group in variant.groups:
            for reason in judgements[group].reasons:
                yield f"[{' '.join(group.tasks)}]: {reason}"

    def _unordered(self, groups: TaskGroups) -> tuple[str, ...]:
        """Why groups cannot run one after another, found out once: many designs have the same."""
        if groups not in self._known_orders:
            self._known_orders[groups] = tuple(unordered(self.testbench.network, groups))
        return self._known_orders[groups]

    def _failed(self, design: Design, reasons: Sequence[str]) -> ArrayolError:
        message = f"the simulation of [{design.fusion}] {self.size} does not agree with the model: {'; '.join(reasons)}"
        hint = "this is a mistake in arrayol; please report it with the spec and the platform"
        return error("verification-failed", message, hint=hint)


def _as_small(form: Canonical, small: Canonical) -> Iterator[NetworkStep]:
    """What a form chose, at a reduced size: of split sums as large a part there, in blocks that divide."""
    chosen = [step for step in form.first if isinstance(step, NetworkStep)]
    if not chosen:
        return
    whole = canonical_form(form.original, form.network.name)
    for split in chosen:
        if not isinstance(split, Split):
            yield split
            continue
        terms, fewer = (_terms(one, split) for one in (whole, small))
        most = max(split.size * fewer // terms, 1)
        yield replace(split, size=max(size for size in divisors(fewer) if size <= most))


def _terms(form: Canonical, split: Split) -> int:
    definition = form.network.processes[str(split.task)].definition
    assert definition is not None, "it was split"
    return accumulated_ranges(definition)[split.range]


def unordered(network: Network, groups: TaskGroups) -> Iterator[str]:
    """Why groups of tasks cannot run one after another, each task once and each array made before it is read."""
    available, left = set(network.there_before), set(network.processes)
    for tasks in groups:
        processes = [network.processes[task] for task in tasks]
        written = {array for process in processes for array in process.writes}
        missing = {array for process in processes for array in process.reads} - written - available
        for array in sorted(missing):
            yield f"[{' '.join(tasks)}] reads '{array}' before another group makes it"
        for task in set(tasks) - left:
            yield f"'{task}' is in two groups"
        available |= written
        left -= set(tasks)
    for task in sorted(left):
        yield f"'{task}' is in no group"


# Simulations of groups as jobs.


@dataclass(frozen=True)
class SimulationJob:
    """One group on a test bench."""

    group: GroupDesign
    cost: float = field(compare=False)

    @property
    def kind(self) -> str:
        """What it is in a store."""
        return "simulation of a group"

    def key(self, testbench: Testbench) -> bytes:
        """What it depends on."""
        return digest(self.kind, testbench.key, self.group)

    def run(self, testbench: Testbench) -> Judgement:
        """Simulate it."""
        return testbench.judge(self.group)

    def dump(self, judgement: Judgement) -> str:
        """A judgement as text."""
        return _JUDGEMENTS.dump_json(judgement).decode()

    def load(self, text: str) -> Judgement:
        """A judgement from its text."""
        return _JUDGEMENTS.validate_json(text)


def judge_all(
    testbench: Testbench, groups: Sequence[GroupDesign], runner: JobRunner, report: Report
) -> dict[GroupDesign, Judgement]:
    """A judgement on each group."""
    done = 0

    def watch(share: Share, results: Sequence[Judgement]) -> None:
        nonlocal done
        done += len(results)
        report(SearchProgress(SIMULATING, done, len(groups), "groups", work=share.of_all))

    (judgements,) = runner.do(testbench, [_simulated(testbench, groups)], watch)
    return dict(zip(groups, judgements, strict=True))


def _simulated(testbench: Testbench, groups: Sequence[GroupDesign]) -> JobPlan[Sequence[Judgement]]:
    seconds = [_GROUP_SECONDS + _REPETITION_SECONDS * testbench.repetitions(group.tasks) for group in groups]
    return (yield [SimulationJob(*pair) for pair in zip(groups, seconds, strict=True)])
