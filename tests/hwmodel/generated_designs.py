"""What Icarus says of generated designs: right, wrong, or refused by name; and which features they have.

Designs are of a kind: with every kind of decision on linked tasks, of tasks with delays, of groups at the same time, of
complex elements, on an external memory with several channels, or with words narrower than elements, of streams, with
tables, over frames, of tasks that read one result, with modules of the user's; or, if no kind is named, of any of
these. As a program it tries many: `python tests/hwmodel/generated_designs.py [CASES] [SEED]`, with a kind (`--delays`)
and at times `--hls` behind it, and with the folders of `pythonpath` in pyproject.toml as PYTHONPATH. It prints each
design that is wrong, then how many there are of each feature and of each refusal, 0 for those of FEATURES that designs
of any kind lacked; the exit code is 1 where something was wrong, or where no design of a kind was right. With `--hls`
it runs the C++ instead.
"""

from __future__ import annotations

import argparse
import re
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import hypothesis
from axi_benches import frames_behind_axi
from cpp_programs import is_right, seen_of
from cpp_streams import stream_hls, wrong_words
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from scheduled_cases import scheduled
from strategies_delays import delayed_designs
from strategies_designs import MappedSpec, emitted_specs
from strategies_frames_inside import FRAMES as FRAMES_INSIDE
from strategies_kinds import AXIS, FORKS, FRAMES, OWN_MODULES, STREAMS, TABLES
from strategies_machine import with_channels
from strategies_tables import binned_specs
from strategies_transforms import linked_specs
from stream_designs import require_frames, stream_design
from stream_networks import Case
from verilog_programs import frames_of, promised_frames

from arrayol.errors import ArrayolError
from arrayol.ir.types import Kind
from hwmodel.accesses import Accesses
from hwmodel.cost_model.model import MachineModel
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.schedule.own_module import Computing, OwnModule
from hwmodel.emit.schedule.units import TaskUnits
from hwmodel.emit.verilog.axi import has_axi
from hwmodel.emit.verilog.coverage import has_axi_streams, keeps_frames
from hwmodel.emit.verilog.design import DesignFiles

BATCH = 5  # cases of one seed: later ones vary earlier ones
DECISIONS = emitted_specs(single=True)
DELAYS = delayed_designs()
COMPLEX = st.one_of(emitted_specs(linked_specs(("c64", "c64", "c128")), single=True), delayed_designs(("c64",)))


@st.composite
def at_the_same_time(draw: st.DrawFn) -> MappedSpec:
    """Designs of several groups that run at the same time, of arrays that pass single frames."""
    case = draw(st.one_of(emitted_specs(several=True), emitted_specs(binned_specs(read=True), several=True)))
    accesses = MachineModel(case.network, case.platform, case.loads).accesses
    passed = [(name, array) for name, array in case.network.arrays.items() if array.producers and None in array.shape]
    assume(all(accesses.shape(name)[array.shape.index(None)] == 1 for name, array in passed))
    return replace(case, design=replace(case.design, together=True))


TOGETHER = at_the_same_time()


@st.composite
def on_channels(draw: st.DrawFn) -> MappedSpec:
    """Designs on a memory with several channels, more of them than arrays in some."""
    case = draw(st.one_of(emitted_specs(single=True), emitted_specs(single=True), TOGETHER))
    return replace(case, platform=with_channels(case.platform, draw(st.sampled_from((2, 3, 4, 8)))))


CHANNELS = on_channels()


@st.composite
def on_narrow_words(draw: st.DrawFn) -> MappedSpec:
    """Designs on a memory whose words are narrower than some elements, and with more cycles to fetch and to store."""
    case, bits = draw(st.one_of(COMPLEX, DECISIONS)), draw(st.sampled_from((8, 16, 32)))
    cycles = {"fetch_cycles": draw(st.integers(0, 5)), "store_cycles": draw(st.integers(0, 2))}
    memory = case.platform.memory.model_copy(update={"word_bits": bits})
    local = case.platform.local.model_copy(update=cycles)
    return replace(case, platform=case.platform.model_copy(update={"memory": memory, "local": local}))


NARROW = on_narrow_words()
KINDS = {
    "decisions": DECISIONS,
    "delays": DELAYS,
    "together": TOGETHER,
    "complex": COMPLEX,
    "channels": CHANNELS,
    "narrow": NARROW,
    "streams": STREAMS,
    "axis": AXIS,
    "tables": TABLES,
    "frames": FRAMES,
    "forks": FORKS,
    "modules": OWN_MODULES,
}
DECISIONS_SHARE = 4  # designs of DECISIONS for each one of another kind, as those have most decisions
EVERY = st.sampled_from((*["decisions"] * (DECISIONS_SHARE - 1), *KINDS)).flatmap(
    lambda kind: KINDS[kind].map(lambda case: replace(case, features=case.features | {f"kind {kind}"}))
)
# Of each kind of decision a feature: what 500 designs of any kind should have; some are rare.
FEATURES = {
    *(f"kind {kind}" for kind in KINDS),
    *("FIFO", "layout", "cut", "recompute", "blocks of blocks", "partial block", "single buffer", "shared keep"),
    *("load once", "load rom", "several units", "several groups", "interval chosen", "separate port", "fixed point"),
    *("delay", "exit", "folded units", "at the same time", "2 channels", "several last tasks"),
    *("streaming group", "blocks beside streams", "AXI4-Stream", "frames inside", "behind AXI4", "complex"),
    *("table input", "table made", "counts", "two memories", "state of a frame before", "frames in copies"),
    *("own module", "streaming module", "state of a module", "elements of several words"),
}
TOGETHER_FEATURES = {
    "load once",
    "load rom",
    "several units",
    "partial block",
    "recompute",
    "separate port",
    "3 groups",
    "sums that a task reads",
}
DELAY_FEATURES = {
    *("1 delay", "2 delays", "3 delays", "exit", "tiled default", "state beside outputs", "short recurrence"),
    *("several outputs", "several outputs of a task", "several groups", "fused tasks", "outer blocks", "floats"),
    *("several units", "folded units", "folded units with a delay", "state kept by units", "state taken early"),
}


AXI4_EVERY = 4  # of so many designs at the plain port one also runs behind AXI4
_NAMES = r"'[^']*'|\[[^]]*\]|(?<=the group ).*?(?= reads| ends)"
_FAULTS = ("bench-failed", "simulation-", "unproven-schedule")  # codes that no design may be refused with


@dataclass
class Tally:
    """Designs that were right by feature, refused ones by reason, and those that were wrong."""

    hls: bool = False
    right: int = 0
    features: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    told: int = 0  # of the wrong ones, how many are printed

    def judge(self, case: MappedSpec) -> None:
        """Schedule a case and run it."""
        runs = self._axi_streams if has_axi_streams(case.design.groups[0]) else self._at_memory
        try:
            wrong, features = runs(case)
        except ArrayolError as error:
            first = error.diagnostics[0]
            unnamed = re.sub(_NAMES, "...", first.message)
            wrong, features = f"{first.code}: {unnamed}", set()
            if not first.code.startswith(_FAULTS):
                self.refused[wrong] += 1
                return
        except Exception:  # the other cases of a night still run
            wrong, features = traceback.format_exc(), set()
        if wrong:
            self.wrong.append(f"{wrong}\n{case.text}\n{case.design}\n{case.platform}")
            return
        self.right += 1
        self.features.update(case.features | features)

    def _at_memory(self, case: MappedSpec) -> tuple[str, set[str]]:
        """What is wrong with a design at the memory port, and its features. Raises ArrayolError where it is refused."""
        simulation, design = scheduled(case, as_verilog=not self.hls)
        assert design is not None, "all have bodies, and none reads of other frames"
        features = set(_of_hardware(design, case))
        if not simulation.identical:
            return "the simulated machine computes other values than the reference execution", features
        if self.hls:
            files = HlsFiles(case.spec, design)
            run = seen_of(files)
            return "" if is_right(run, files.frames) else str(run), features
        frames, promised = frames_of(design), promised_frames(design, simulation.setup.cycles)
        starts = 1  # until all results of a frame are there
        if design.buffers is not None and "frames inside" in features:
            starts += max(-frames for frames in design.buffers.ahead.values())
        if frames != promised or starts * design.cycles != simulation.cycles:
            return f"{frames}, and not {promised}", features
        if self.right % AXI4_EVERY or not has_axi(DesignFiles(design).outside):
            return "", features
        told = frames_behind_axi(design, 1 + self.right, stores_first=True)
        right = told == ([0] * len(frames), 0)
        return "" if right else f"behind AXI4 {told}", features | {"behind AXI4"}

    def _axi_streams(self, case: MappedSpec) -> tuple[str, set[str]]:
        """The same of a design that is one stream behind AXI4-Streams."""
        (group,) = case.design.groups
        assert group.stream is not None, "one with AXI4-Streams"
        inside = keeps_frames(group)
        own, features = (
            Case(case.spec, case.network, FRAMES_INSIDE * inside),
            {"AXI4-Stream", *["frames inside"] * inside},
        )
        if self.hls:
            told = wrong_words([stream_hls(own, group.stream).files()])
            return "" if not any(map(any, told)) else f"words that differ: {told}", features
        design = stream_design(own, group.stream, platform=case.platform)
        if any(isinstance(computing, OwnModule) for computing in design.hardware.datapaths.values()):
            features |= {"own module", "streaming module", *_states_of_modules(design.hardware.datapaths, case)}
        try:
            require_frames(design, 7)
        except AssertionError as differs:
            return f"frames at AXI4-Streams, {differs}", features
        return "", features


def _of_hardware(design: HardwareDesign, case: MappedSpec) -> Iterator[str]:
    """The features that show in the hardware."""
    yield f"{len(design.groups)} groups"
    yield f"{len(design.addresses.words)} channels"
    units = [task.units for group in design.groups for task in group.tasks]
    streams = [group.stream is not None for group in case.design.groups]
    streaming = [own for group in design.groups for own in group.streaming.values()]
    found = {
        "at the same time": design.periods is not None,
        "folded units with a delay": any(own.interval > 1 and _has_state(own) for own in units),
        "state kept by units": any(own.kept for own in units),
        "state taken early": any(own.early for own in units),
        "streaming group": any(streams),
        "blocks beside streams": len(set(streams)) > 1,
        "frames in copies": design.buffers is not None and bool(design.buffers.copies),
        "frames inside": any(map(keeps_frames, case.design.groups)),
        "state of a frame before": Accesses(design.network).frames_back > 0,
        "own module": any(isinstance(own, OwnModule) for own in design.datapaths.values()),
        "streaming module": any(isinstance(own, OwnModule) for own in streaming),
        "elements of several words": max(design.addresses.slots.values()) > design.addresses.word_bytes,
        "complex": any(array.type.kind is Kind.COMPLEX for array in design.network.arrays.values()),
    }
    yield from (name for name, has in found.items() if has)
    yield from _states_of_modules(design.datapaths, case)


def _states_of_modules(datapaths: Mapping[str, Computing], case: MappedSpec) -> set[str]:
    """Whether a user's module hands a state on within a frame."""
    accesses = Accesses(case.network)
    has = any(isinstance(own, OwnModule) and accesses.delays(task) for task, own in datapaths.items())
    return {"state of a module"} if has else set()


def _has_state(units: TaskUnits) -> bool:
    return any(name.endswith("_state_next") for port in units.writes for name in port.lanes)


def try_many(
    kind: SearchStrategy[MappedSpec],
    cases: int,
    seed: int,
    report: Callable[[int, Tally], None] | None = None,
    *,
    hls: bool = False,
) -> Tally:
    """So many cases of a kind, always the same of one seed; `report` is called with how many there were."""
    tally = Tally(hls)
    for first in range(0, cases, BATCH):
        settled = settings(
            max_examples=min(BATCH, cases - first),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )(given(kind)(tally.judge))
        hypothesis.seed(first + seed * 1_000_000)(settled)()
        if report is not None:
            report(first + BATCH, tally)
    return tally


def main() -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="?", type=int, default=500)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    for name in KINDS:
        parser.add_argument(f"--{name}", dest="kind", action="store_const", const=name)
    parser.add_argument("--hls", action="store_true")
    chosen = parser.parse_args()
    kind = KINDS[chosen.kind] if chosen.kind else EVERY
    warnings.simplefilter("error", RuntimeWarning)
    tally = try_many(kind, chosen.cases, chosen.seed, _report, hls=chosen.hls)
    lacking = sorted(FEATURES - tally.features.keys()) if kind is EVERY else []
    counts = {"right": tally.right, "wrong": len(tally.wrong)}
    counts |= {f"refused, {reason}": count for reason, count in tally.refused.items()}
    counts |= {f"  with {feature}": tally.features[feature] for feature in sorted({*tally.features, *lacking})}
    sys.stdout.write("".join(f"{count:6} {what}\n" for what, count in counts.items()))
    return int(bool(tally.wrong) or any(feature.startswith("kind ") for feature in lacking))


def _report(count: int, tally: Tally) -> None:
    while tally.told < len(tally.wrong):
        sys.stdout.write(f"wrong: {tally.wrong[tally.told]}\n")
        tally.told += 1
    if count % 50 == 0:
        sys.stdout.write(f"{count} cases: {tally.right} right, {len(tally.wrong)} wrong\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
