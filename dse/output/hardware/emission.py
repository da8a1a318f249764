"""A design of a stored result as hardware of some form: simulated, scheduled, and written as a folder.

A folder is written whole or not at all, in place of a former one only; what else lies in it is carried over. The same
design on the same data gives the same bytes.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from numpy.typing import NDArray

from arrayol import __version__
from arrayol.errors import error
from arrayol.execute.extern import Functions
from arrayol.execute.run import execute
from arrayol.files import atomic_folder, carry_over, read_json
from arrayol.text import listed
from dse.output.folder import OTHER_FOLDER, require_replaceable
from dse.output.hardware.later_frames import later_frames, video_of
from dse.output.hardware.repeated import repeated
from dse.output.hardware.shorter_stream import by_smaller_frame, moved
from dse.output.open_design import Simulated, StoredDesign
from dse.verify.testbench import SEED, accepted_data, memories_of_groups, random_data
from hwmodel.cost_model.costs import control_cost_of, parts_of
from hwmodel.datapath.derive import Derived
from hwmodel.datapath.technology.overhead import total_features
from hwmodel.emit.images import Text, pieces_of
from hwmodel.emit.schedule.bits import not_emitted
from hwmodel.emit.schedule.design import (
    HardwareDesign,
    StreamScheduling,
    schedule_design,
    with_frames,
    with_later_frames,
)
from hwmodel.emit.schedule.document import document_of
from hwmodel.emit.schedule.own_module import Computing
from hwmodel.emit.verilog.coverage import Coverage, body_hint
from hwmodel.simulator.memories.memories import one_frame
from hwmodel.simulator.simulate import Simulation
from hwmodel.stream.model import StreamModel
from hwmodel.synth.logic import clock_of_model, logic_of_model
from hwmodel.synth.scheduled import scheduled_features

DOCUMENT, MAKEFILE, PAGE = "design.json", "Makefile", "README.md"
CORE = ".core"  # the ending of a core of FuseSoC
SYNTHESIS = "synthesis"  # the folder of what `arrayol synth` writes
_OURS = {DOCUMENT, MAKEFILE, PAGE, SYNTHESIS, "rtl", "src", "shim", "tb", "data", "build"}  # build: of make
_OURS |= {"sw", "cocotb", "vivado", "ecp5", "component.xml"}
RANDOM, GIVEN = f"random data, seed {SEED}", "the data that were given"  # what a frame is made of


@dataclass(frozen=True)
class EmittedDesign(ABC):
    """A design as hardware: its simulation, and its files by path. `data` says what the frame is made of.

    It is what the machine model says of it: simulation and model agree. The simulation may be of a shorter frame, whose
    steps the whole frame repeats. `takes_modules` says whether a form has instances of a user's modules of Verilog.
    """

    takes_modules: ClassVar[bool] = False

    opened: StoredDesign
    simulated: Simulated
    data: str

    @cached_property
    def files(self) -> Mapping[str, Text]:
        """All files, by path in the folder."""
        return {**self._sources(), DOCUMENT: json.dumps(self._document(), indent=1) + "\n"}

    @property
    @abstractmethod
    def cycles(self) -> int:
        """The cycles that a frame must take."""

    @property
    @abstractmethod
    def proven(self) -> str:
        """In words what was proven before anything was written."""

    @property
    def group_times(self) -> list[tuple[int, int]]:
        """By group the cycles and steps of a frame."""
        return [(run.cycles, len(run.lengths)) for run in self.simulated.simulation.groups]

    @property
    def ends(self) -> str | None:
        """In words what it has in place of the memory port; None for a design that has that."""
        return None

    @abstractmethod
    def _sources(self) -> Mapping[str, Text]:
        """All but the schedule as data."""

    @property
    @abstractmethod
    def _schedule(self) -> Mapping[str, Any]:
        """The schedule as data."""

    @property
    def _scheduled_features(self) -> Mapping[str, float]:
        """The features of a schedule with programs."""
        return {}

    @property
    @abstractmethod
    def _units(self) -> Iterable[tuple[str, Computing]]:
        """The task and the datapath of each unit."""

    def _document(self) -> dict[str, Any]:
        opened = self.opened
        return {
            "arrayol": __version__,
            "spec": Path(opened.spec.name).name,
            "constants": dict(opened.spec.constants),
            "design": opened.record.id,
            "platform": opened.platform_name,
            "model": self._model,
            **self._schedule,
        }

    @cached_property
    def _model(self) -> dict[str, Any]:
        """What the machine model says that it costs: all, what of it memories take and what steers, and by what."""
        opened, built = self.opened, self.opened.memories
        units = list(self._units)
        parts = [*parts_of(opened.estimate.groups), *(unit.waiting_lut for _, unit in units)]
        clocks = {task: unit.mhz for task, unit in units if unit.mhz is not None}
        states = (mhz for task, mhz in clocks.items() if opened.network.processes[task].delays)
        return {
            "technology": built.technology if built is not None else None,
            "clock_mhz": opened.platform.clock_mhz,
            "device": opened.platform.device,
            "costs": dict(opened.estimate.costs),
            "memories": built.totals if built is not None else {},
            "steering": control_cost_of(opened.platform, parts),
            "features": total_features(parts),
            "scheduled": self._scheduled_features,
            "units_mhz": min(clocks.values(), default=None),
            "state_mhz": min(states, default=None),
        }

    @property
    def logic(self) -> Mapping[str, float]:
        """LUT and FF of all of the Verilog by its schedule; empty for a stream alone, and for other than an ECP5."""
        return logic_of_model(self._model)

    @property
    def mhz(self) -> float | None:
        """The clock that it reaches on an ECP5, by its units and programs; None where that is not known."""
        return clock_of_model(self._model)

    @property
    def slower(self) -> str | None:
        """In words the units that a given latency leaves too few registers for the platform's clock; None for none."""
        asked = self.opened.platform.clock_mhz or 0.0
        paths = {task: own.priced.clock_mhz for task, own in self._units if isinstance(own, Derived)}
        slow = {task: mhz for task, mhz in paths.items() if mhz < asked}
        if not slow:
            return None
        units = listed([f"'{task}'" for task in slow])
        return f"about {min(slow.values()):,.0f} MHz, not {asked:g}: the given latency of {units} has too few registers"


FOUND_IN_STREAMS = "each repetition of a stream finds its data at the positions of line buffers that its net comes from"
_PROVEN = "the programs do what the simulated machine did: no datum is lost, no two accesses meet in a bank"


@dataclass(frozen=True)
class ScheduledDesign(EmittedDesign):
    """A design of groups in turn, with their programs; `streams` schedules those that stream, where a form has them."""

    streams: ClassVar[StreamScheduling | None] = None

    hardware: HardwareDesign

    @property
    def cycles(self) -> int:
        """The cycles that a frame must take, of all groups."""
        return self.hardware.cycles

    @property
    def group_times(self) -> list[tuple[int, int]]:
        """By group the cycles and steps of a frame."""
        return [(group.cycles, group.steps) for group in self.hardware.groups]

    @property
    def simulated_steps(self) -> int:
        """The steps that were simulated, without those in which nothing happens: hardware does not have them."""
        return sum(length > 0 for run in self.simulated.simulation.groups for length in run.lengths)

    @property
    def proven(self) -> str:
        """In words what was proven of the programs, and of which steps; if fewer were simulated, these repeat."""
        steps = sum(group.steps for group in self.hardware.groups)
        streams = any(group.streamed is not None for group in self.hardware.groups)
        if self.simulated_steps >= steps:
            return f"{_PROVEN}; {FOUND_IN_STREAMS}" if streams else _PROVEN
        if streams:
            small = f"in a smaller frame of {self.simulated_steps:,} steps, whose lines repeat"
            return f"{_PROVEN}; {FOUND_IN_STREAMS}; {small}"
        return f"{_PROVEN}; in {self.simulated_steps:,} steps, which the {steps:,} steps of the frame repeat"

    @cached_property
    def _schedule(self) -> Mapping[str, Any]:
        return document_of(self.hardware)

    @property
    def _scheduled_features(self) -> Mapping[str, float]:
        """The features of all groups' programs, memories and engines."""
        return scheduled_features(self._schedule["groups"], 8 * self.hardware.addresses.word_bytes)

    @property
    def _units(self) -> Iterable[tuple[str, Computing]]:
        for own in (pace for group in self.hardware.groups for pace in group.paces):
            yield from [(own.task, self.hardware.datapaths[own.task])] * own.units


class CheckedDesign(ABC):
    """What a run of an emitted design showed; `form` is the language, `promise` what it is compared with."""

    form: ClassVar[str]
    promise: ClassVar[str]

    @property
    def mismatches(self) -> tuple[str, ...]:
        """What is not as promised, in words."""
        return tuple(self.differences())

    @abstractmethod
    def differences(self) -> Iterator[str]:
        """What is not as promised, a text each."""

    def require_agreement(self) -> None:
        """Raises ArrayolError (`emitted-differs`) where anything is not as promised."""
        if reasons := self.mismatches:
            hint = "this is a mistake in arrayol; please report it with the spec, the platform and the design"
            message = f"{self.form} and {self.promise} do not agree: {'; '.join(reasons)}"
            raise error("emitted-differs", message, hint=hint)


Form = TypeVar("Form", bound=ScheduledDesign)


def emit_hardware(
    form: type[Form],
    opened: StoredDesign,
    inputs: Mapping[str, NDArray[Any]] | None = None,
    functions: Functions | None = None,
) -> Form:
    """A design as hardware of a form, from its run on the simulated machine on some inputs, without any on random ones.

    `functions` are the Python functions that may run, by the text after `extern`.

    Raises ArrayolError: `not-emitted` for what has no hardware, `unproven-schedule`, `verification-failed` where the
    simulation is not as the model says, those of executing.
    """
    require_covered(form, opened, functions)
    frame, data = frame_of(opened, inputs, functions)
    by_short_frame = repeated(opened, frame, form.streams) if not opened.black_boxes() else None
    if by_short_frame is not None:
        simulated, hardware = by_short_frame.simulated, by_short_frame.hardware
    else:
        simulated, hardware = _of_whole_frame(form, opened, frame, functions)
    if hardware.buffers is not None:
        video = video_of(opened.spec, opened.accesses, hardware.buffers, frame, inputs, functions)
        return form(opened, simulated, data, with_frames(hardware, opened.accesses, *video))
    later = later_frames(opened.spec, opened.accesses, frame, inputs, functions, hardware.periods)
    return form(opened, simulated, data, with_later_frames(hardware, opened.spec, opened.accesses, later))


def _of_whole_frame(
    form: type[ScheduledDesign], opened: StoredDesign, frame: Mapping[str, NDArray[Any]], functions: Functions | None
) -> tuple[Simulated, HardwareDesign]:
    """The simulation of a whole frame, and the hardware."""
    simulated, run = _run(opened, frame, functions)
    local = memories_of_groups(opened.accesses, opened.platform, opened.design, opened.estimate)
    return simulated, schedule_design(opened.spec, opened.accesses, opened.platform, local, run, frame, form.streams)


def _run(
    opened: StoredDesign, frame: Mapping[str, NDArray[Any]], functions: Functions | None
) -> tuple[Simulated, Simulation]:
    """A design on the simulated machine, and what the whole frame moves: one run, but for a large stream."""
    group, accesses = opened.design.groups[0], opened.accesses
    if group.stream is not None and len(opened.design.groups) == 1:
        model = StreamModel(accesses, group.tasks, opened.platform)
        small = by_smaller_frame(opened.design, model, group.stream)
        if small is not None:
            outputs = outputs_of(opened, frame, functions)
            return small, moved(model, group.stream, opened.estimate, outputs)
    simulated = simulated_frame(opened, frame, functions)
    return simulated, simulated.simulation


def outputs_of(
    opened: StoredDesign, frame: Mapping[str, NDArray[Any]], functions: Functions | None
) -> Mapping[str, NDArray[Any]]:
    """The outputs of a frame by the reference execution."""
    outputs = execute(opened.spec, opened.accesses.network.name, frame, functions=functions)
    return {name: one_frame(opened.accesses, name, values) for name, values in outputs.items()}


def require_covered(form: type[EmittedDesign], opened: StoredDesign, functions: Functions | None) -> None:
    """Raises ArrayolError (`not-emitted`, `not-in-hardware`) for a design that has no such form, as far as is known."""
    for name in opened.black_boxes(functions):
        is_python = opened.spec.elementaries[name].extern is not None
        what = "is a Python function, which was not allowed to run" if is_python else "has no body"
        raise not_emitted(f"'{name}' {what}", _body_hint(form, opened, name))
    Coverage(opened.accesses, opened.platform, as_verilog=form.takes_modules).require(opened.design)


def frame_of(
    opened: StoredDesign, inputs: Mapping[str, NDArray[Any]] | None, functions: Functions | None = None
) -> tuple[Mapping[str, NDArray[Any]], str]:
    """The inputs of a frame, given or random, and what the frame is made of."""
    return (opened.one_frame(inputs), GIVEN) if inputs is not None else _random(opened, functions)


def simulated_frame(
    opened: StoredDesign, frame: Mapping[str, NDArray[Any]], functions: Functions | None = None
) -> Simulated:
    """The run of a frame on the simulated machine. Raises ArrayolError as `emit_hardware`."""
    simulated = opened.simulate(frame, functions)
    simulated.require_agreement()
    return simulated


def _body_hint(form: type[EmittedDesign], opened: StoredDesign, name: str) -> str:
    """How an elementary without a body is emitted."""
    if not form.takes_modules:
        return f"give '{name}' a body in the specification"
    if opened.spec.elementaries[name].extern is not None and opened.platform.entry(name).module is not None:
        return "give --allow-extern, so that its Python function computes what the module should"
    return body_hint(name)


def _random(opened: StoredDesign, functions: Functions | None) -> tuple[Mapping[str, NDArray[Any]], str]:
    """Random data and what they are, also where the bodies have no result for them, which the simulation then says."""
    if functions:
        return random_data(opened.spec, opened.accesses).inputs, RANDOM
    data = accepted_data(opened.spec, opened.accesses) or random_data(opened.spec, opened.accesses)
    return data.inputs, f"{RANDOM}, with {data.kept_to} as the bodies need" if data.kept_to else RANDOM


def write_hardware(emitted: EmittedDesign, target: Path) -> tuple[Path, ...]:
    """Write the folder `target` and return its files.

    Raises ArrayolError as `require_emittable` and `atomic_folder` do.
    """
    require_emittable(target)
    with atomic_folder(target) as folder:
        for name, text in emitted.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            with (folder / name).open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(pieces_of(text))
        _carry_over(target, folder)
    return tuple(target / name for name in emitted.files)


def require_emittable(target: Path) -> None:
    """Raises ArrayolError where hardware may not be written to `target`.

    `not-hardware` for a file, or a folder that is neither empty nor of a former emission; `cannot-write` as
    `require_replaceable`.
    """
    if target.exists() and not target.is_dir():
        raise error(
            "not-hardware", "this is a file, and a design goes to a folder", file=str(target), hint=OTHER_FOLDER
        )
    require_replaceable(target)
    if target.is_dir() and not _holds_hardware(target) and any(target.iterdir()):
        message = "this folder is not empty and holds no design that was emitted before"
        raise error("not-hardware", message, file=str(target), hint=OTHER_FOLDER)


def _holds_hardware(folder: Path) -> bool:
    """Whether arrayol wrote the folder, in whatever version."""
    try:
        document = read_json(folder / DOCUMENT)
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and {"arrayol", "spec", "design", "platform"} <= document.keys()


def _carry_over(former: Path, folder: Path) -> None:
    """Keep what a former folder holds beside arrayol's own files."""
    for path in former.iterdir() if former.is_dir() else ():
        if path.name not in _OURS and path.suffix != CORE:
            carry_over(path, folder / path.name)
