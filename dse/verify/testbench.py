"""The test bench of a specification: groups and designs on the simulated machine, beside what the model says.

Data are random. A body refuses some values while it runs: a shift by more than the width, an integer division by zero,
a subscript outside of its array, a float that the integer it becomes cannot hold. So random data are tried on the
reference execution, and where they are refused, data of smaller ranges: the same range for all inputs first, then drawn
ones. Last, the range of each input by itself is made as large as the bodies accept beside the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from arrayol.execute.extern import Functions
from arrayol.execute.inputs import noise
from arrayol.execute.run import execute
from arrayol.ir.network import Network
from arrayol.ir.spec import Spec
from arrayol.ir.types import ElementType, Kind
from arrayol.text import listed
from dse.jobs.digest import code_digest, digest
from hwmodel.accesses import Accesses
from hwmodel.cost_model.banked import banked_memories
from hwmodel.cost_model.enumerated.plan import EnumeratedPlan, plan_group
from hwmodel.cost_model.estimate import DesignEstimate, GroupEstimate, MemoryUse, Once
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.streaming.stream_groups import StreamPricer
from hwmodel.cost_model.together import PORT
from hwmodel.design import Design, GroupDesign, structure_of
from hwmodel.memory_kinds import FIFO, STATE, kind_named
from hwmodel.platform import Platform
from hwmodel.platform_memories import ArrayChannels
from hwmodel.residence import Loads
from hwmodel.simulator.group import LocalMemories
from hwmodel.simulator.memories.memories import Setup
from hwmodel.simulator.simulate import (
    AnyRun,
    Local,
    ReferenceValues,
    Simulation,
    SingleRun,
    in_periods,
    reference_of,
    simulate,
    simulate_group,
)

SEED, SIGNS = 1, 1 << 32  # of the data of the first input; what the seed of its signs has more
REFUSED = {  # codes of what depends on values, and may go well with others
    *("shift-out-of-range", "division-by-zero", "subscript-out-of-range", "conversion-out-of-range"),
    "read-before-write",
}
_DRAWN = 64  # combinations of ranges that are tried


class Band(NamedTuple):
    """A range of values in 256ths of that of pixels: integers from `low` to `high`, floats from low / 256 on.

    With `signs`, half of the signed integers get a minus.
    """

    low: int
    high: int
    signs: bool = False


WIDEST, PIXELS = Band(0, 255, signs=True), Band(0, 255)


@dataclass(frozen=True)
class BenchData:
    """Arrays by input, and in words to what values they are kept because bodies refuse others; "" for no such limit."""

    inputs: Mapping[str, NDArray[Any]]
    kept_to: str = ""


def accepted_data(spec: Spec, accesses: Accesses) -> BenchData | None:
    """Random data for which the bodies have a result, with both signs if they can; None where none were found."""
    trial = _Trial(spec, accesses)
    for band in (WIDEST, PIXELS):
        if trial.accepts(dict.fromkeys(trial.names, band)):
            return BenchData(trial.data(dict.fromkeys(trial.names, band)))
    bands = next((bands for bands in _tried(trial.names) if trial.may_help and trial.accepts(bands)), None)
    if bands is None:
        return None
    for name in trial.names:
        bands[name] = trial.widened(bands, name)
    arrays = accesses.network.arrays
    limits = [_drawn_words(name, arrays[name].type, band) for name, band in bands.items() if band.high - band.low < 255]
    return BenchData(trial.data(bands), listed(limits))


def random_data(spec: Spec, accesses: Accesses) -> BenchData:
    """Random data of pixels, whatever the bodies say of them."""
    trial = _Trial(spec, accesses)
    return BenchData(trial.data(dict.fromkeys(trial.names, PIXELS)))


class _Trial:
    """Data of bands, tried on the reference execution; `may_help` says whether other data may go better."""

    def __init__(self, spec: Spec, accesses: Accesses) -> None:
        self.spec, self.accesses = spec, accesses
        self.names = tuple(name for name in accesses.network.inputs if name not in spec.tables)
        self.may_help = True

    def data(self, bands: Mapping[str, Band]) -> dict[str, NDArray[Any]]:
        """Arrays by input, other values in each."""
        arrays = self.accesses.network.arrays
        return {
            name: _in_band(arrays[name].type, self.accesses.shape_to_run(name), seed, bands[name])
            for seed, name in enumerate(self.names, SEED)
        }

    def accepts(self, bands: Mapping[str, Band]) -> bool:
        """Whether all bodies have a result for data of these bands."""
        try:
            execute(self.spec, self.accesses.network.name, self.data(bands))
        except ArrayolError as refused:
            self.may_help = all(one.code in REFUSED for one in refused.diagnostics)
            return False
        return True

    def widened(self, bands: Mapping[str, Band], name: str) -> Band:
        """The band of one input as wide as the bodies accept beside those of the others."""
        for wide in (WIDEST, PIXELS):
            if self.accepts({**bands, name: wide}):
                return wide
        low, high = bands[name].low, bands[name].high
        high += _most(255 - high, lambda more: self.accepts({**bands, name: Band(low, high + more)}))
        low -= _most(low, lambda more: self.accepts({**bands, name: Band(low - more, high)}))
        return Band(low, high)


def _most(limit: int, holds: Callable[[int], bool]) -> int:
    """The greatest number up to a limit for which something holds, by halving, if it holds for all below it."""
    known, refused = 0, limit + 1
    while refused - known > 1:
        middle = (known + refused) // 2
        known, refused = (middle, refused) if holds(middle) else (known, middle)
    return known


def _tried(names: tuple[str, ...]) -> Iterator[dict[str, Band]]:
    """Bands that are narrower and narrower, the same for all inputs; then drawn ones, others for each."""
    for size in (256, 128, 64, 32, 16, 8, 4, 2, 1):
        for low, high in ((0, size - 1), (1, size - 1), (size, 2 * size - 1)):  # without 0 too, for divisors
            if low <= high < 256 and (low, high) != PIXELS[:2]:
                yield dict.fromkeys(names, Band(low, high))
    rng = Random(SEED)
    for _ in range(_DRAWN):
        yield {name: rng.choice(list(_parts(rng.choice((256, 128, 64, 32, 16, 8, 1))))) for name in names}


def _parts(size: int) -> Iterator[Band]:
    """The range of pixels in parts of one size, some of them without 0."""
    for low in range(0, 256, size):
        yield Band(low, low + size - 1)
    if size > 1:
        yield Band(1, size - 1)


def _in_band(element: ElementType, shape: tuple[int, ...], seed: int, band: Band) -> NDArray[Any]:
    """Noise in a band, as far as the type has it."""
    values, size = noise(element, shape, seed), band.high - band.low + 1
    if element is ElementType.BOOL:
        return values if size > 1 else np.full(shape, bool(band.low % 2))
    if element.kind in {Kind.FLOAT, Kind.COMPLEX}:
        return (values * (size / 256) + band.low / 256).astype(values.dtype)
    if size < 256:
        values = _cut(values, element, band)
    if band.signs and values.dtype.kind == "i":
        values = np.where(noise(ElementType.BOOL, shape, SIGNS + seed), -values, values)
    return values


def _cut(values: NDArray[Any], element: ElementType, band: Band) -> NDArray[Any]:
    """Integers, or fixed-point values by the bits after their point, in a band; both its ends are among them."""
    least, most = _ends(element, band)
    cut = least + values.astype(np.int64) % (most - least + 1)
    cut.reshape(-1)[:1], cut.reshape(-1)[-1:] = least, most
    return cut.astype(values.dtype)


def _ends(element: ElementType, band: Band) -> tuple[int, int]:
    """The least and greatest stored integer of a band."""
    scale = Fraction(2**element.fraction, 256) if element.is_fixed else 1
    greatest = int(element.whole_range[1])
    return min(int(band.low * scale), greatest), min(int(band.high * scale), greatest)


def _drawn_words(name: str, element: ElementType, band: Band) -> str:
    """The values of an input as a reader wants them: 'amounts' from 0 to 7."""
    if element.kind in {Kind.FLOAT, Kind.COMPLEX}:
        low, high = band.low / 256, (band.high + 1) / 256
    elif element is ElementType.BOOL:
        low, high = (band.low % 2, band.low % 2) if band.low == band.high else (0, 1)
    else:
        low, high = (end / 2**element.fraction for end in _ends(element, band))
    return f"'{name}' from {low:g} to {high:g}"


PLANNED_AT_MOST = 1 << 17  # repetitions of groups whose plans are kept


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of simulating a group: whether what it computes is the reference execution's (None: tokens moved).

    `reasons` are all that simulation and model disagree about, in words; none where they agree. `kept_to` says to which
    values the data were kept.
    """

    identical: bool | None
    reasons: tuple[str, ...] = ()
    kept_to: str = ""


@dataclass(frozen=True)
class Trial:
    """A single group on the simulated machine, beside its estimate."""

    simulation: SingleRun
    estimate: GroupEstimate

    def mismatches(self, once: Once) -> Iterator[str]:
        """What they disagree about; `once` is what is loaded once."""
        run = self.simulation.run
        if self.simulation.identical is False:
            yield "what it computes differs from the reference execution's"
        yield from _setup_mismatches(run.setup, once)
        yield from _cycle_mismatch(run.cycles, self.estimate.latency_cycles)
        yield from _memory_mismatches(run, self.estimate)


@dataclass
class Testbench:
    """Simulates the top task of a specification in canonical form, with random data, on a platform."""

    spec: Spec
    network: Network
    platform: Platform
    loads: Loads = field(default_factory=dict)
    channels: ArrayChannels | None = ()
    _plans: dict[GroupDesign, EnumeratedPlan] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # made last

    def __post_init__(self) -> None:
        self.model = MachineModel(self.network, self.platform, self.loads, channels=self.channels)
        self.accesses = self.model.accesses

    def __reduce__(self) -> tuple[Any, ...]:
        return Testbench, (self.spec, self.network, self.platform, dict(self.loads), self.channels)

    @cached_property
    def data(self) -> BenchData | None:
        """Random data that the bodies accept; None where none were found, and tokens must do."""
        return accepted_data(self.spec, self.accesses)

    @property
    def inputs(self) -> Mapping[str, NDArray[Any]] | None:
        """The random data by input; None where tokens must do."""
        return None if self.data is None else self.data.inputs

    @cached_property
    def reference(self) -> ReferenceValues:
        """What the reference execution says of these data."""
        return reference_of(self.spec, self.accesses, self.inputs)

    def repetitions(self, tasks: Iterable[str]) -> int:
        """How many repetitions some tasks have together."""
        return sum(math.prod(self.accesses.extents(task)) for task in tasks)

    @cached_property
    def key(self) -> bytes:
        """The digest of what simulations depend on, the designs aside; arrays lie in memory in their order."""
        arrays = tuple(self.accesses.network.arrays)  # which of these there are says where states lie
        return digest(code_digest(), self.spec, self.network.name, self.platform, arrays, self.accesses.load)

    def judge(self, group: GroupDesign) -> Judgement:
        """Simulate a single group, fed with the reference execution's arrays (see `hwmodel.simulator.simulate`)."""
        try:
            trial = self.trial(group)
        except ArrayolError as stopped:
            return Judgement(None, (stopped.diagnostics[0].message,))
        identical, kept_to = trial.simulation.identical, self.data.kept_to if self.data is not None else ""
        return Judgement(identical, tuple(trial.mismatches(self.model.once)), kept_to)

    def trial(self, group: GroupDesign) -> Trial:
        """Simulate a group, and give its estimate beside it. Raises SimulatorError where it cannot run."""
        estimate = self.model.estimate(group)
        local: Local
        if group.stream is not None:
            local = self.model.streams_of(group).streamed(group)
            if group.stream.frames == "inside":
                design, inputs = Design((group,)), self._inputs_of(group)
                whole = simulate(self.spec, self.accesses, self.platform, design, [local], inputs)
                return Trial(SingleRun(whole.groups[0], whole.identical), estimate)
        else:
            local = local_memories(self._plan(structure_of(group)), group, estimate)
        return Trial(simulate_group(self.reference, self.platform, group, local), estimate)

    def _plan(self, structure: GroupDesign) -> EnumeratedPlan:
        """The plan of a structure, which groups of other rates have too."""
        if structure not in self._plans:
            most = PLANNED_AT_MOST // max(1, self.repetitions(structure.tasks))
            while self._plans and len(self._plans) >= most:
                self._plans.pop(next(iter(self._plans)))
            self._plans[structure] = plan_group(self.accesses, self.platform, structure)
        return self._plans[structure]

    def compare(self, design: Design) -> tuple[Simulation, DesignEstimate]:
        """The simulation of a whole design beside its estimate. Raises SimulatorError where it cannot run."""
        estimate = self.model.evaluate(design)
        inputs = self._inputs_of(*design.groups)
        return run_simulation(self.spec, self.accesses, self.platform, design, estimate, inputs), estimate

    def _inputs_of(self, *groups: GroupDesign) -> Mapping[str, NDArray[Any]] | None:
        """The random data by input for a design of these groups: several frames where they lie inside of one."""
        inside = any(group.stream is not None and group.stream.frames == "inside" for group in groups)
        return self._frames if inside else self.inputs

    @cached_property
    def _frames(self) -> Mapping[str, NDArray[Any]] | None:
        data = accepted_data(self.spec, self.accesses.of_frames("inside"))
        return None if data is None else data.inputs


def run_simulation(
    spec: Spec,
    accesses: Accesses,
    platform: Platform,
    design: Design,
    estimate: DesignEstimate,
    inputs: Mapping[str, NDArray[Any]] | None,
    functions: Functions | None = None,
) -> Simulation:
    """Simulate a design with the memories that the model gives it."""
    local = memories_of_groups(accesses, platform, design, estimate)
    simulation, period = simulate(spec, accesses, platform, design, local, inputs, functions), estimate.period
    return simulation if period is None else in_periods(accesses, simulation, period.cycles, period.copies)


def memories_of_groups(accesses: Accesses, platform: Platform, design: Design, estimate: DesignEstimate) -> list[Local]:
    """The memories of each group of a design, for the simulated machine."""
    return [
        StreamPricer(accesses.of_frames(group.stream.frames), group.tasks, platform, None).streamed(group)
        if group.stream is not None
        else local_memories(plan_group(accesses, platform, group), group, own)
        for group, own in zip(design.groups, estimate.groups, strict=True)
    ]


def local_memories(plan: EnumeratedPlan, group: GroupDesign, estimate: GroupEstimate) -> LocalMemories:
    """The memories of a group of that plan: what each holds at once by its estimate, the words of its data, banks."""
    sizes: dict[tuple[str, str], int] = {(use.kind, use.name): use.live for use in estimate.memories}
    fills = {one.task: one.fill for one in estimate.processors}
    built = banked_memories(plan, group, estimate)
    of_delays = [use for use in estimate.memories if use.kind == STATE.name]
    states = {use.name: _state_banks(use) for use in of_delays}
    together = {
        use.name: use.organisation.side_by_side
        for use in of_delays
        if use.organisation is not None and use.organisation.is_in_parts
    }
    fifos = {
        use.name: (use.organisation.width // use.width, use.organisation.depth)
        for use in estimate.memories
        if use.kind == FIFO.name and use.organisation is not None
    }
    return LocalMemories(
        sizes, built.words, fills, built.banks, built.residents, states, fifos, built.layouts, together
    )


def _state_banks(use: MemoryUse) -> tuple[int, int]:
    """The banks of a state, 0 without a technology, and the data of all of them."""
    built = use.organisation
    return (0, use.addressed) if built is None else (built.banks // built.side_by_side, built.bits // use.width)


def mismatches(simulation: Simulation, estimate: DesignEstimate) -> Iterator[str]:
    """What the simulation of a design and the model disagree about."""
    if simulation.identical is False:
        yield "its output differs from the reference execution's"
    yield from _setup_mismatches(simulation.setup, estimate.once)
    yield from _cycle_mismatch(simulation.cycles, estimate.latency_cycles)
    for run, group in zip(simulation.groups, estimate.groups, strict=True):
        yield from _memory_mismatches(run, group)
    if simulation.period is not None:
        for number, (found, group) in enumerate(zip(simulation.period.at_port, estimate.groups, strict=True), 1):
            if found != group.additive[PORT]:
                model = f"where the model says {group.additive[PORT]:,}"
                yield f"the port serves group {number} for {found:,} cycles, {model}"


def _cycle_mismatch(cycles: int, analytic: int) -> Iterator[str]:
    if cycles != analytic:
        yield f"it takes {cycles:,} cycles, where the model says {analytic:,}"


def _setup_mismatches(setup: Setup, once: Once) -> Iterator[str]:
    pairs = (("cycles", setup.cycles, once.setup_cycles), ("bytes", setup.bytes, once.setup_bytes))
    for unit, found, analytic in (*pairs, ("data", setup.data, once.data)):
        if found != analytic:
            yield f"what is loaded once takes {found:,} {unit}, where the model says {analytic:,}"


def _memory_mismatches(run: AnyRun, estimate: GroupEstimate) -> Iterator[str]:
    for use in estimate.memories:
        peak = run.peaks.get((use.kind, use.name), 0)
        if peak != use.live:
            yield f"the {use.kind} of {use.name} holds at most {peak:,} elements, where the model gives it {use.live:,}"
        expected = _words(use)
        if kind_named(use.kind).is_buffer and run.words[use.name] != expected:
            words = f"has {run.words[use.name]:,} words, where the model says {expected:,}"
            yield f"the {use.kind} of {use.name} {words}"


def _words(use: MemoryUse) -> int:
    """The words of a buffer: in all banks of a copy, where it has banks."""
    built = use.organisation
    return built.banks * built.depth if built is not None and built.is_in_banks else use.addressed
