"""Designs of whole frames as Verilog on Verilator: frames a second, beside what writing and building them takes.

    nice .venv/bin/python benchmarks/verilator.py [SPEC ...] [--pick RULE] [--set H=540 --set W=960]

does what a user does: explores each SPEC (by default conv3x3 and lpsf) with its own platform, at its shipped size of
1080 x 1920 unless others are set, in the plain space; emits the design that a rule picks (by default the knee, of
conv3x3 a faster one); and runs its test bench with the Makefile that is emitted. `emit` is the run on the simulated
machine with the programs of all agents and their proofs, `build` is Verilator and g++, `a frame` half of what the two
frames of the test bench take. All in processor seconds; `MiB` is the most memory of any of them. The exit code is 1
where the cycles of a frame are not the model's, or a word of an output is wrong. It needs verilator, g++ and make.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from graphs import environment

from arrayol.files import shipped_folder
from hwmodel.emit.verilog.icarus import FrameSeen, frames_seen
from hwmodel.emit.verilog.top import FRAMES

ARRAYOL = str(Path(sys.executable).parent / "arrayol")
# The two fastest designs of conv3x3 have blocks of whole rows: of 3 x 1918, and of 2 x 1918 with less memory.
PICKS = {"conv3x3": "latency_cycles <= 523000", "lpsf": "knee"}
HEADS = ("design", "cycles", "explore, s", "emit, s", "build, s", "a frame, s", "frames/s", "MiB")


def timed(command: Sequence[str], folder: Path) -> tuple[str, float]:
    """What a command prints, and the processor seconds of it and its children."""
    before = _used()
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout, _used() - before


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def verilated(folder: Path) -> tuple[float, float, tuple[FrameSeen, ...]]:
    """Processor seconds of building and of running the test bench of an emitted folder, and the frames that it saw."""
    _, build = timed(["make", "-s", "build/verilator/tb"], folder)
    told, run = timed(["make", "-s", "sim-verilator"], folder)
    return build, run, frames_seen(told)


def measured(name: str, rule: str, settings: Sequence[str], folder: Path) -> tuple[list[str], bool]:
    """The cells of a specification's line, and whether all is as promised."""
    spec = str(shipped_folder() / f"{name}.aol")
    _, explore = timed(
        [ARRAYOL, "explore", spec, *settings, "--narrow", "--no-verify", "--quiet", "--out", "found"], folder
    )
    emitting = [ARRAYOL, "emit", "verilog", spec, *settings, "--result", "found", "--pick", rule, "--out", "design"]
    told, emit = timed([*emitting, "--json"], folder)
    document = json.loads(told)
    build, run, frames = verilated(folder / "design")
    cycles, each = document["analytic_cycles"], run / FRAMES
    agrees = len(frames) == FRAMES and all(frame.cycles == cycles and not frame.wrong for frame in frames)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    seconds = (f"{explore:.1f}", f"{emit:.1f}", f"{build:.1f}", f"{each:.2f}", f"{1 / each:.2f}")
    return [document["design"], f"{cycles:,}", *seconds, f"{most:,.0f}"], agrees


def main() -> int:
    """Print the table, a line as soon as it is known."""
    parser = argparse.ArgumentParser(description="frames a second of emitted designs on Verilator")
    parser.add_argument("names", metavar="SPEC", nargs="*", help="shipped specifications, by default conv3x3 and lpsf")
    parser.add_argument("--pick", metavar="RULE", help="the rule that picks the design")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a size; repeatable")
    asked = parser.parse_args()
    settings, agreed = [f"--set={one}" for one in asked.set], True
    sys.stdout.write("".join(f"{head:>14}" for head in ("", *HEADS)) + "\n")
    for name in asked.names or PICKS:
        with TemporaryDirectory() as folder:
            cells, agrees = measured(name, asked.pick or PICKS.get(name, "knee"), settings, Path(folder))
        agreed &= agrees
        sys.stdout.write("".join(f"{cell:>14}" for cell in (name, *cells)) + ("" if agrees else "  DIFFERS") + "\n")
        sys.stdout.flush()
    sys.stdout.write(f"{environment()}\n")
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
