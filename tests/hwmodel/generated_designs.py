"""What Icarus says of generated designs: right, wrong, or refused by name; and which features they have.

Designs have every kind of decision, or are of tasks with delays, of groups at the same time, of complex elements, or on
an external memory with several channels. As a program it tries many: `python tests/hwmodel/generated_designs.py [CASES]
[SEED]`, with a kind (`--delays`, `--together`, `--complex`, `--channels`) and at times `--hls` behind it, and with the
folders of `pythonpath` in pyproject.toml as PYTHONPATH. It prints each design that is wrong, then how many there are of
each feature and of each refusal; the exit code is 1 where something was wrong. With `--hls` it runs the C++ instead.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import hypothesis
from cpp_programs import is_right, seen_of
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from scheduled_cases import scheduled
from strategies_delays import delayed_designs
from strategies_designs import MappedSpec, emitted_specs
from strategies_machine import with_channels
from strategies_transforms import linked_specs
from verilog_programs import frames_of, promised_frames

from arrayol.errors import ArrayolError
from hwmodel.cost_model.model import MachineModel
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.schedule.units import TaskUnits

BATCH = 5  # cases of one seed: later ones vary earlier ones
DECISIONS = emitted_specs(single=True)
DELAYS = delayed_designs()
COMPLEX = st.one_of(emitted_specs(linked_specs(("c64", "c64", "c128")), single=True), delayed_designs(("c64",)))


@st.composite
def at_the_same_time(draw: st.DrawFn) -> MappedSpec:
    """Designs of several groups that run at the same time, of arrays that pass single frames."""
    case = draw(emitted_specs(several=True))
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
TOGETHER_FEATURES = {
    "load once",
    "load rom",
    "several units",
    "partial block",
    "recompute",
    "separate port",
    "3 groups",
}
DELAY_FEATURES = {
    *("1 delay", "2 delays", "3 delays", "exit", "tiled default", "state beside outputs", "short recurrence"),
    *("several outputs", "several outputs of a task", "several groups", "fused tasks", "outer blocks", "floats"),
    *("several units", "folded units", "folded units with a delay", "state kept by units", "state taken early"),
}


@dataclass
class Tally:
    """Designs that were right by feature, refused ones by reason, and those that were wrong."""

    hls: bool = False
    right: int = 0
    features: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def judge(self, case: MappedSpec) -> None:
        """Schedule a case and run it."""
        try:
            simulation, design = scheduled(case, as_verilog=not self.hls)
        except ArrayolError as error:
            first = error.diagnostics[0]
            unnamed = re.sub("'[^']*'", "'...'", first.message)
            self.refused[f"{first.code}: {unnamed}"] += 1
            return
        assert design is not None, "all have bodies, and none reads of other frames"
        if not simulation.identical:
            seen, right = "the simulated machine computes other values than the reference execution", False
        elif self.hls:
            files = HlsFiles(case.spec, design)
            run = seen_of(files)
            seen, right = str(run), is_right(run, files.frames)
        else:
            frames, promised = frames_of(design), promised_frames(design, simulation.setup.cycles)
            seen = f"{frames}, and not {promised}"
            right = frames == promised and design.cycles == simulation.cycles
        if not right:
            self.wrong.append(f"{seen}\n{case.text}\n{case.design}\n{case.platform}")
            return
        self.right += 1
        self.features.update(case.features)
        self.features[f"{len(design.groups)} groups"] += 1
        self.features[f"{len(design.addresses.words)} channels"] += 1
        self.features["at the same time"] += design.periods is not None
        units = [task.units for group in design.groups for task in group.tasks]
        self.features["folded units with a delay"] += any(own.interval > 1 and _has_state(own) for own in units)
        self.features["state kept by units"] += any(own.kept for own in units)
        self.features["state taken early"] += any(own.early for own in units)


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
    parser.add_argument("--delays", action="store_true")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--complex", action="store_true")
    parser.add_argument("--channels", action="store_true")
    parser.add_argument("--hls", action="store_true")
    chosen = parser.parse_args()
    kinds = (
        (chosen.together, TOGETHER),
        (chosen.delays, DELAYS),
        (chosen.complex, COMPLEX),
        (chosen.channels, CHANNELS),
        (True, DECISIONS),
    )
    kind = next(kind for is_chosen, kind in kinds if is_chosen)
    tally = try_many(kind, chosen.cases, chosen.seed, _report, hls=chosen.hls)
    for text in tally.wrong:
        sys.stdout.write(f"wrong: {text}\n")
    counts = {"right": tally.right, "wrong": len(tally.wrong)}
    counts |= {f"refused, {reason}": count for reason, count in tally.refused.items()}
    counts |= {f"  with {feature}": count for feature, count in sorted(tally.features.items())}
    sys.stdout.write("".join(f"{count:6} {what}\n" for what, count in counts.items()))
    return int(bool(tally.wrong))


def _report(count: int, tally: Tally) -> None:
    if count % 50 == 0:
        sys.stdout.write(f"{count} cases: {tally.right} right, {len(tally.wrong)} wrong\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
