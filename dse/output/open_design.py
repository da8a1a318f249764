"""A design of a stored result, opened again with its specification and platform to be simulated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isclose
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from arrayol.checks.check import check_again
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError, error
from arrayol.execute.extern import Functions
from arrayol.ir.expressions import reads_by_data
from arrayol.ir.network import Network
from arrayol.ir.spec import Spec
from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.text import counted, listed, memory_amount
from arrayol.transforms.steps import Canonical, Step, StepTextError, canonical_form, parse_step, run_steps, split_by
from arrayol.transforms.trace import Transformed
from dse.output.built_memories import BuiltMemories, built_memories
from dse.output.folder import RESULT, Warn, load_result, warn_in_python
from dse.results.compare import assuming_as
from dse.results.consistency import EXPLORE_AGAIN as RESULT_DAMAGED
from dse.results.designs import Design as Record
from dse.results.exploration import digests_of
from dse.results.records import group_record, period_record, resident_records
from dse.results.schema import DeviceRecord, Result
from dse.results.steps import NoStepsError, StepFinder
from dse.results.totals import Total, totals_of
from dse.verify.testbench import mismatches, run_simulation
from hwmodel.accesses import Accesses
from hwmodel.assumptions import assumed_by_machine
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design
from hwmodel.frame_states import with_states_outside
from hwmodel.platform import DEFAULT_NAME, GIVEN_AS_OBJECT, Platform, default_platform, for_copies, load_platform
from hwmodel.simulator.room import available_bytes, predicted_bytes
from hwmodel.simulator.simulate import Simulation, black_boxes
from hwmodel.streamed import Frames

EXPLORE_AGAIN = "explore once more, with the files as they are now"
_LEAST_HALVED = 8  # of consts that may be made smaller
_HALVINGS = 16


@dataclass(frozen=True)
class Simulated:
    """A simulation beside the model's estimate; `mismatches` says what they disagree about, in words."""

    simulation: Simulation
    estimate: DesignEstimate

    def __repr__(self) -> str:
        return (
            f"Simulated({self.simulation.cycles:,} cycles, {counted(len(self.mismatches), 'mismatch', 'mismatches')})"
        )

    @cached_property
    def mismatches(self) -> tuple[str, ...]:
        """What they disagree about; empty where both say the same."""
        return tuple(mismatches(self.simulation, self.estimate))

    def require_agreement(self) -> None:
        """Raises ArrayolError (`verification-failed`) where they disagree."""
        self._require_none(self.mismatches)

    def require_cycles(self) -> None:
        """Raises ArrayolError (`verification-failed`) where they disagree about the cycles."""
        cycles, analytic = self.simulation.cycles, self.estimate.latency_cycles
        self._require_none([f"it takes {cycles:,} cycles, where the model says {analytic:,}"] * (cycles != analytic))

    @staticmethod
    def _require_none(mismatches: Sequence[str]) -> None:
        if mismatches:
            message = f"simulation and model do not agree: {'; '.join(mismatches)}"
            hint = "this is a mistake in arrayol; please report it with the spec and the platform"
            raise error("verification-failed", message, hint=hint)


@dataclass(frozen=True)
class StoredDesign:
    """A design with all that it was explored with: `spec` in canonical form, consts as in the result, the device."""

    record: Record
    spec: Spec
    top: str
    accesses: Accesses
    platform: Platform
    platform_name: str
    design: Design
    estimate: DesignEstimate = field(repr=False)
    device: DeviceRecord | None = None

    def __repr__(self) -> str:
        return f"StoredDesign({self.record!r} of {self.top!r}, platform {self.platform_name})"

    @cached_property
    def frames(self) -> dict[str, int]:
        """How many frames one frame of the simulation reads of each input with an infinite dimension."""
        shape = self.accesses.shape_to_run
        return {
            name: shape(name)[self.network.arrays[name].shape.index(None)]
            for name in self.network.inputs
            if None in self.network.arrays[name].shape
        }

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the model and the simulated machine assume where the platform says nothing."""
        return assumed_by_machine(self.network, self.platform, self.platform_name, self.accesses.loads)

    @property
    def network(self) -> Network:
        """Its tasks and the arrays between them."""
        return self.accesses.network

    @property
    def totals(self) -> tuple[Total, ...]:
        """What it takes of each cost in all, with the parts of units, memories and control, and its share."""
        return tuple(totals_of(self.record, self.device))

    @cached_property
    def memories(self) -> BuiltMemories | None:
        """What its memories are built of; None where the platform has no technology with kinds of memories."""
        return built_memories(self.platform, self.estimate)

    def black_boxes(self, functions: Functions | None = None) -> tuple[str, ...]:
        """The elementaries without a body or a function: with one, data move as tokens."""
        return black_boxes(self.spec, self.network, functions or {})

    def simulate(self, inputs: Mapping[str, NDArray[Any]] | None, functions: Functions | None = None) -> Simulated:
        """Run it on arrays by input, memories as large as the model says; without arrays, or with black boxes, tokens.

        Raises SimulatorError where the design breaks a rule of the machine, ArrayolError (`too-few-frames`) where an
        input does not last for one frame, `too-much-memory` where more would be needed than there is, or those of
        executing.
        """
        frame = None if inputs is None else self.one_frame(inputs)
        self._require_room()
        simulation = run_simulation(
            self.spec, self.accesses, self.platform, self.design, self.estimate, frame, functions
        )
        return Simulated(simulation, self.estimate)

    def _require_room(self) -> None:
        """Raises ArrayolError (`too-much-memory`) where the simulation would need more memory than is available."""
        needed, there = self._predicted_bytes(self.accesses), available_bytes()
        if needed > there:
            amount = memory_amount(needed, up=True)
            message = f"simulating '{self.top}' would take about {amount} of memory, and {memory_amount(there)}"
            smaller = next(self._smaller(there), None)
            remedy = "explore it at a smaller size" + (f", as {smaller}" if smaller is not None else "")
            raise error("too-much-memory", f"{message} are available", hint=f"{remedy}; or free memory")

    def _predicted_bytes(self, accesses: Accesses) -> int:
        by_data = {
            (name, port.name)
            for name, process in accesses.network.processes.items()
            for port in process.input_ports
            if reads_by_data(self.spec.elementaries[process.elementary].body or (), port.name)
        }
        return predicted_bytes(accesses, by_data)

    def _smaller(self, bound: int) -> Iterator[str]:
        """Settings of consts, as options, with which a simulation takes no more than so many bytes."""
        names = [name for name, value in self.spec.constants.items() if type(value) is int and value >= _LEAST_HALVED]
        names = [name for name in names if self._predicted_with([name], 2) < self._predicted_bytes(self.accesses)]
        for halved in range(1, _HALVINGS):
            needed = self._predicted_with(names, 1 << halved)
            if names and needed <= bound:
                consts = self.spec.constants
                options = " ".join(f"--set {name}={int(consts[name]) >> halved}" for name in names)
                yield f"{options}, which takes about {memory_amount(int(needed), up=True)}"

    def _predicted_with(self, names: Sequence[str], divisor: int) -> float:
        """What it takes with some consts divided; endless where the specification does not allow that."""
        consts = self.spec.constants
        settings = {**consts, **{name: max(1, int(consts[name]) // divisor) for name in names}}
        try:
            form = canonical_form(check_again(self.spec, settings), self.top)
            network = with_states_outside(form.network, self.accesses.loads)
            return self._predicted_bytes(Accesses(network, self.accesses.loads))
        except (ArrayolError, KeyError):
            return inf

    def one_frame(self, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The frames of arrays, by input, that one frame of the simulation reads. Raises ArrayolError as `simulate`."""
        return {name: self._frame(name, array) for name, array in inputs.items()}

    def _frame(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """The frames of an input that one frame of the simulation reads."""
        if name not in self.frames:
            return array
        axis, needed = self.network.arrays[name].shape.index(None), self.frames[name]
        if array.shape[axis] < needed:
            message = f"a simulated frame reads {needed} frames of input '{name}', and there are {array.shape[axis]}"
            raise error("too-few-frames", message, hint="give more frames")
        return array[(*(slice(None),) * axis, slice(needed))]


def require_mapped(result: Result, folder: Path, what: str) -> None:
    """Raises ArrayolError (`published-result`) for a result of the published model."""
    if not result.is_mapped:
        hint = f"{what} needs the machine model, the default of 'arrayol explore'"
        raise error("published-result", "this is a result of the published model", file=str(folder / RESULT), hint=hint)


def open_design(
    asked: Spec, folder: Path, identifier: str, top: str | None = None, warn: Warn = warn_in_python
) -> StoredDesign:
    """The design of that name in a result folder, of a specification whose file was explored.

    Raises ArrayolError: those of `load_result`, `published-result`, `unknown-design`, `not-as-explored` for settings or
    a `top` other than the result's, `stale-result` where specification or platform have changed.
    """
    result = load_result(folder, warn)
    require_mapped(result, folder, "simulate")
    record = record_of(result, folder, identifier)
    spec = _as_explored(result, asked, top)
    platform = for_copies(assuming_as(result, _platform(result, Path(asked.name))), spec)
    form, design = _form(spec, result, record, folder), record.decisions
    network = with_states_outside(form.network, record.loads)
    accesses = Accesses(network, record.loads, channels=record.array_channels).of_frames(_frames_of(design))
    estimate = _estimate(accesses, platform, design, record, folder)
    return StoredDesign(
        record, form.spec, result.top, accesses, platform, result.platform, design, estimate, result.device
    )


def _frames_of(design: Design) -> Frames:
    """Where frames lie in a design: inside of it, if it is one stream that keeps them."""
    inside = any(group.stream is not None and group.stream.frames == "inside" for group in design.groups)
    return "inside" if inside else "outside"


def transform_design(
    asked: Spec, folder: Path, identifier: str, top: str | None = None, warn: Warn = warn_in_python
) -> Transformed:
    """The specification of a design in a result folder of either model, made by its steps.

    Raises ArrayolError as `open_design` does, but for `published-result`; `no-steps` where no steps make it.
    """
    return run_steps(*design_steps(asked, folder, identifier, top, warn))


def design_steps(
    asked: Spec, folder: Path, identifier: str, top: str | None = None, warn: Warn = warn_in_python
) -> tuple[Spec, tuple[Step, ...]]:
    """The specification that was explored, its consts as in the result, and the steps that make a design of it.

    Raises ArrayolError as `transform_design` does.
    """
    opened = open_result(asked, folder, top, warn)
    design = opened.described(identifier)
    return opened.finder.original, tuple(parse_step(step) for step in design.steps or ())


@dataclass(frozen=True)
class StoredResult:
    """A result in a folder, with what finds the steps of its designs: its specification, consts as in the result."""

    result: Result
    folder: Path
    finder: StepFinder

    def described(self, identifier: str) -> Record:
        """The design of that name, with its steps. Raises ArrayolError (`unknown-design`, `no-steps`)."""
        record = record_of(self.result, self.folder, identifier)
        try:
            _form(self.finder.original, self.result, record, self.folder)  # or the result is stale
            return record.model_copy(update={"steps": self.finder.of(record).steps})
        except NoStepsError as reason:
            hint = "take a design whose blocks divide; result.json has the decisions of each"
            raise error("no-steps", f"no steps make the design {identifier}: {reason}", hint=hint) from None


def open_result(asked: Spec, folder: Path, top: str | None = None, warn: Warn = warn_in_python) -> StoredResult:
    """A result folder of either model, of a specification whose file was explored.

    Raises ArrayolError: those of `load_result`, `not-as-explored`, `stale-result` as `open_design` does.
    """
    result = load_result(folder, warn)
    spec = _as_explored(result, asked, top)
    form = canonical_form(spec, result.top)
    return StoredResult(result, folder, StepFinder(spec, form.spec, form.network, form.first))


def _form(spec: Spec, result: Result, record: Record, folder: Path) -> Canonical:
    """The network that a design is of: after its splits."""
    try:
        return split_by(canonical_form(spec, result.top), record.splits)
    except (ArrayolError, StepTextError):
        if not record.splits:
            raise
        message = f"the splits of design {record.id} cannot be made: {', '.join(record.splits)}"
        raise error("stale-result", message, file=str(folder / RESULT), hint=EXPLORE_AGAIN) from None


def record_of(result: Result, folder: Path, identifier: str) -> Record:
    """The design of that name in a result. Raises ArrayolError (`unknown-design`, `wrong-design`)."""
    known = {design.id: design for design in (*result.pareto, *(result.designs or ()))}
    if identifier in result.unusable:
        message = f"design {identifier} cannot be used: {result.unusable[identifier]}"
        raise error("wrong-design", message, file=str(folder / RESULT), hint=RESULT_DAMAGED)
    if identifier not in known:
        names = ", ".join(design.id for design in result.pareto[:6])
        more = f" and {len(known) - 6} more" if len(known) > 6 else ""
        alike = [name for name in known if name.startswith(f"{identifier}:")]
        first = f"{identifier} is a fusion; name one of its designs, as {listed(alike[:3], 'or')}" if alike else None
        hint = first or did_you_mean(identifier, known) or f"its designs are {names}{more}"
        raise error("unknown-design", f"there is no design '{identifier}'", file=str(folder / RESULT), hint=hint)
    return known[identifier]


def _as_explored(result: Result, asked: Spec, top: str | None) -> Spec:
    """The specification with the result's consts. What is asked for beside must be the same."""
    named = choose_top(asked, top) if top is not None else result.top
    if named != result.top:
        raise _not_as_explored(f"the result is of the task '{result.top}', not of '{named}'", "leave --top out")
    for name in asked.settings:
        found = result.constants.get(name, "the const array of the specification")
        if (name in result.constants or name in asked.tables) and asked.recorded[name] != found:
            message = f"the result has {name} = {found}, not {asked.recorded[name]}"
            raise _not_as_explored(message, "leave --set out: the result says the consts")
    unknown = (result.constants.keys() - asked.tables.keys()) ^ asked.constants.keys()
    if unknown or result.top not in asked.components:
        what = f"the const '{min(unknown)}'" if unknown else f"the task '{result.top}'"
        message = f"the result and the specification do not agree about {what}"
        raise error("stale-result", message, file=asked.name, hint=EXPLORE_AGAIN)
    spec = asked if asked.recorded == result.constants else check_again(asked, result.constants)
    others = [name for name, table in spec.tables.items() if result.elements.get(name) != table.digest]
    if others:
        message = f"const array '{others[0]}' has other elements than when the result was written"
        raise error("stale-result", message, file=asked.name, hint=EXPLORE_AGAIN)
    changed = {*digests_of(spec, result.top).items()} ^ {*result.components.items()}
    if changed:
        message = f"'{min(changed)[0]}' is not what it was when the result was written"
        raise error("stale-result", message, file=asked.name, hint=EXPLORE_AGAIN)
    return spec


def _not_as_explored(message: str, hint: str) -> ArrayolError:
    return error("not-as-explored", message, hint=hint)


def _platform(result: Result, path: Path) -> Platform:
    """The platform that the result names: a file here or beside the specification, or the shipped default."""
    if result.platform == DEFAULT_NAME:
        return default_platform()
    if result.platform == GIVEN_AS_OBJECT:
        hint = "explore with a platform's TOML file"
        raise error("stale-result", "the platform was given as an object, which the result does not hold", hint=hint)
    here, beside = Path(result.platform), path.parent / Path(result.platform).name
    return load_platform(beside if not here.exists() and beside.exists() else here)


def _estimate(accesses: Accesses, platform: Platform, design: Design, record: Record, folder: Path) -> DesignEstimate:
    """The model's estimate, which must be what the result holds."""
    changed = "specification or platform have changed since the result was written"
    stale = error("stale-result", changed, file=str(folder / RESULT), hint=EXPLORE_AGAIN)
    if not _fits(design, accesses.network):
        raise stale
    try:
        model = MachineModel(accesses.network, platform, accesses.loads, channels=accesses.channels)
        estimate = model.evaluate(design)
        groups = tuple(group_record(model, *pair) for pair in zip(design.groups, estimate.groups, strict=True))
    except ArrayolError:
        raise stale from None
    if groups != record.groups or resident_records(estimate) != record.resident or _moved(estimate, record):
        raise stale
    return estimate


def _moved(estimate: DesignEstimate, record: Record) -> bool:
    """Whether a figure that groups alone do not show, a cost or the cycles per frame, is another one now."""
    if period_record(estimate) != record.period:
        return True
    setup = {"setup_cycles": estimate.setup_cycles, "setup_bytes": estimate.setup_bytes}
    figures = {"frame_cycles": estimate.frame_cycles, **estimate.costs, **(setup if estimate.setup_bytes else {})}
    stored = {name: value for name, value in record.objectives.items() if name in figures}
    return not all(isclose(stored.get(name, value), value, rel_tol=1e-9) for name, value in figures.items())


def _fits(design: Design, network: Network) -> bool:
    """Whether a design is of these tasks, ranks and arrays."""
    if sorted(task for group in design.groups for task in group.tasks) != sorted(network.processes):
        return False
    rank = {name: len(process.repetition) for name, process in network.processes.items()}
    blocks = [(group.tasks[-1], group.blocks) for group in design.groups if group.stream is None]
    processors = [processor for group in design.groups for processor in group.processors]
    blocks += [(processor.task, processor.cut) for processor in processors if processor.cut]
    arrays = {name for group in design.groups for name in (*group.fifos, *(layout.array for layout in group.layouts))}
    arrays |= {name for group in design.groups for name in (*dict(group.keeps), *group.single_buffers)}
    return arrays <= network.arrays.keys() and all(rank[task] == len(box.shape) for task, box in blocks)
