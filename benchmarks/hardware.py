"""Designs of all shipped specifications as Verilog on Icarus: cycles and outputs beside the machine model's.

    .venv/bin/python benchmarks/hardware.py [SPEC ...]

explores each specification with its own platform at the size of the platform's [verify] table, in the plain space,
emits every design of the front, runs its test bench in Icarus Verilog, and compares the cycles of two frames with the
model's and the words of all outputs with the reference execution's. It prints the table of docs/accuracy.md, a line as
soon as it is known; `--write` puts it there, of named SPECs the lines. `--most N` takes N designs of a larger front,
those that are the least work for Icarus, half of them with several units of a task. `--verilator` takes Verilator in
place of Icarus: building takes it a minute of CPU and more, so it is sooner done where Icarus takes minutes to run.
What differs is named on stderr, and the exit code is 1; what is refused is counted by its reason.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from accuracy import Shipped, shipped, write_table
from verilator import verilated

from arrayol.errors import ArrayolError
from dse.verify.testbench import Testbench, memories_of_groups, run_simulation
from hwmodel.design import Design
from hwmodel.emit.schedule.design import HardwareDesign, schedule_design
from hwmodel.emit.verilog.coverage import Coverage, reason_text
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.emit.verilog.icarus import FrameSeen, run_bench
from hwmodel.emit.verilog.makefile import makefile
from hwmodel.emit.verilog.top import FRAMES

HEAD = "| specification and size | designs | emitted | cycles equal | outputs equal | refused | CPU s |\n|---|---|---|---|---|---|---|\n"  # noqa: E501  one line of Markdown
Run = Callable[[Path], tuple[FrameSeen, ...]]  # the frames of the test bench of a folder
BUILT = 20_000  # cycles that Icarus runs in the time in which it builds a design


@dataclass(frozen=True)
class Tried:
    """What came of a design: why it is refused, or the frames that its test bench saw beside the model's cycles."""

    cycles: int
    setup_cycles: int = 0
    frames: tuple[FrameSeen, ...] = ()
    refused: str | None = None

    @property
    def cycles_equal(self) -> bool:
        """Whether both frames took what the model says."""
        expected = [(0 if number else self.setup_cycles, self.cycles) for number in range(FRAMES)]
        return [(frame.before, frame.cycles) for frame in self.frames] == expected

    @property
    def outputs_equal(self) -> bool:
        """Whether both frames left the outputs of the reference execution."""
        return len(self.frames) == FRAMES and not any(frame.wrong for frame in self.frames)


def cheap(bench: Testbench, front: Sequence[Design], most: int) -> list[Design]:
    """So many designs that are the least work for Icarus, with several units of a task and without by turns."""

    def units(design: Design) -> list[int]:
        return [own.units for group in design.groups for own in group.processors]

    def work(design: Design) -> float:
        estimate = bench.model.evaluate(design)
        return estimate.costs.get("lut", 1) * (estimate.latency_cycles + BUILT)

    ranked = sorted(front, key=work)
    several = [design for design in ranked if max(units(design)) > 1]
    single = [design for design in ranked if max(units(design)) == 1]
    by_turns = [design for pair in zip_longest(several, single) for design in pair if design is not None]
    return by_turns[:most]


def hardware_of(bench: Testbench, design: Design, *, as_verilog: bool = True) -> HardwareDesign:
    """A design as hardware, on the data of its test bench. Raises ArrayolError where it is refused, or as C++."""
    Coverage(bench.accesses, bench.platform, as_verilog).require(design)
    estimate = bench.model.evaluate(design)
    assert bench.inputs is not None, "the bodies have a result for random data"
    local = memories_of_groups(bench.accesses, bench.platform, design, estimate)
    simulation = run_simulation(bench.spec, bench.accesses, bench.platform, design, estimate, bench.inputs)
    return schedule_design(bench.spec, bench.accesses, bench.platform, local, simulation, bench.inputs)


def write_design(hardware: HardwareDesign, folder: Path) -> None:
    """Write the modules, the test bench, its data and the Makefile."""
    files = DesignFiles(hardware)
    for name, text in {**files.files(), "Makefile": makefile(f"{hardware.top}_top", files.axi, files.ip)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(str(text), encoding="utf-8")


def run_verilated(folder: Path) -> tuple[FrameSeen, ...]:
    """The frames on Verilator."""
    return verilated(folder)[2]


def tried(bench: Testbench, design: Design, run: Run = run_bench) -> Tried:
    """Emit a design and run its test bench."""
    estimate = bench.model.evaluate(design)
    due = Tried(estimate.latency_cycles, estimate.setup_cycles)
    try:
        hardware = hardware_of(bench, design)
        with TemporaryDirectory() as name:
            write_design(hardware, Path(name))
            return replace(due, frames=run(Path(name)))
    except ArrayolError as refusal:
        if {diagnostic.code for diagnostic in refusal.diagnostics} - {"not-emitted", "not-in-hardware"}:
            raise
        return replace(due, refused=reason_text(refusal))


def line(spec: Shipped, designs: int, seen: Sequence[Tried], seconds: float) -> str:
    """The table's line of a specification."""
    consts = spec.verifier.platform.verify.items()
    size = ", ".join(f"{name} = {value}" for name, value in consts) or "its shipped size"
    emitted = [one for one in seen if one.refused is None]
    reasons = Counter(one.refused for one in seen if one.refused is not None)
    refused = "; ".join(f"{count}: {reason}" for reason, count in reasons.most_common()) or "none"
    cycles, outputs = sum(one.cycles_equal for one in emitted), sum(one.outputs_equal for one in emitted)
    of = f"{designs:,}" if designs == len(seen) else f"{len(seen):,} of {designs:,}"
    return f"| {spec.name}: {size} | {of} | {len(emitted):,} | {cycles:,} | {outputs:,} | {refused} | {seconds:.1f} |\n"


def main() -> int:
    """Print the table; the exit code is 1 where anything differs."""
    parser = argparse.ArgumentParser(description="designs in Verilog beside the machine model")
    parser.add_argument("names", metavar="SPEC", nargs="*", help="shipped specifications, by default all")
    parser.add_argument("--most", metavar="N", type=int, default=10**6, help="designs of a front, by default all")
    parser.add_argument("--verilator", action="store_true", help="run the test benches on Verilator, not on Icarus")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    options = parser.parse_args()
    lines, agreed = [], True
    sys.stdout.write(HEAD)
    for name in options.names or shipped():
        began, spec = time.process_time(), Shipped(name)
        front = spec.front()
        seen = list[Tried]()
        for design in cheap(spec.verifier.testbench, front, options.most):
            seen.append(tried(spec.verifier.testbench, design, run_verilated if options.verilator else run_bench))
            if seen[-1].refused is None and not (seen[-1].cycles_equal and seen[-1].outputs_equal):
                agreed = False
                frames = ", ".join(f"{one.cycles:,} with {one.wrong:,} words wrong" for one in seen[-1].frames)
                sys.stderr.write(f"{name}: {seen[-1].cycles:,} cycles by the model, {frames} in Verilog: {design}\n")
        lines.append(line(spec, len(front), seen, time.process_time() - began))
        sys.stdout.write(lines[-1])
        sys.stdout.flush()
    if options.write:
        write_table(lines, heading=HEAD)
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
