"""Where the processor seconds of a whole `arrayol explore` go, by part: search, records, steps, plots, imports.

    python benchmarks/parts.py [FILE] [--runs 5] [--beside CHECKOUT] [-- OPTION ...]

FILE is lpsf.aol as it is shipped, and the options those of the aim: `--narrow --no-verify`, in one process. Of each
part the least of all runs is told, without the parts inside it: imports count as imports wherever they come. `--beside`
names a checkout of another version, which is run in turn with ours.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import importlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = ("--narrow", "--no-verify", "--workers", "1")
WHOLE, MEMORY = "whole", "most memory, MiB"
PARTS = {  # by part what it does: a module, or a class in it, and a name there
    "specification": (
        ("arrayol.api.exploration", "load"),
        ("arrayol.api.exploration", "canonical_form"),
        ("arrayol.api.exploration", "platform_of"),
    ),
    "size, method": (("dse.search.machine", "size_of"), ("dse.search.machine", "choose_method")),
    "search": (("dse.search.machine", "search_each"),),
    "designs, estimates": (("dse.search.machine", "slowed_each"), ("dse.search.machine", "_records")),
    "verification": (("dse.verify.verify.Verifier", "all"),),
    "steps": (("dse.results.steps.StepFinder", "described_at"),),
    "specifications": (("dse.results.steps.StepFinder", "text_of"),),
    "plots": (
        ("dse.search.machine", "plotted_points"),
        ("dse.output.writing", "save_front"),
        ("dse.output.writing", "save_convergence"),
    ),
    "report": (("dse.output.writing", "first_report"),),
    "other files": (("arrayol.api.exploration", "store_result"),),
    "printing": (("arrayol.cli.commands.explore", "show"),),
}


class Clock:
    """Processor seconds by part: what has begun stands on a stack, and time goes to its top."""

    def __init__(self) -> None:
        self.seconds, self._stack, self._last = dict[str, float](), ["others"], 0.0

    def note(self) -> None:
        """What has passed goes to the part that is on its way."""
        now = time.process_time()
        self.seconds[self._stack[-1]] = self.seconds.get(self._stack[-1], 0.0) + now - self._last
        self._last = now

    def within(self, part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, as one of a part."""

        def timed(*given: Any, **named: Any) -> Any:
            if self._stack[-1] == part:
                return call(*given, **named)
            self.note()
            self._stack.append(part)
            try:
                return call(*given, **named)
            finally:
                self.note()
                self._stack.pop()

        return timed


def _owner(place: str) -> object:
    """A module, or a class in one; None where there is none of that name."""
    module, _, name = place.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name) if name[0].isupper() else importlib.import_module(place)
    except ImportError:
        return None


def run(arguments: Sequence[str]) -> None:
    """Run the command in this process, and print what its parts took."""
    clock = Clock()
    builtins.__import__ = clock.within("imports", builtins.__import__)
    main = importlib.import_module("arrayol.cli.main").main
    importlib.import_module("arrayol.cli.commands.explore")
    for part, places in PARTS.items():
        for place, name in places:
            owner = _owner(place)
            if hasattr(owner, name):  # another version may have it elsewhere: then it counts where it is called
                setattr(owner, name, clock.within(part, getattr(owner, name)))
    sys.argv = ["arrayol", "explore", *arguments]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
    clock.note()
    each = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    whole = sum(one.ru_utime + one.ru_stime for one in each)
    told = {**clock.seconds, "workers": whole - sum(clock.seconds.values()), WHOLE: whole}
    sys.stderr.write(f"PARTS {told | {MEMORY: max(one.ru_maxrss for one in each) / 1024}}\n")


def measured(checkout: Path, spec: Path, options: Sequence[str]) -> dict[str, float]:
    """What the parts of the command took in a checkout."""
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [sys.executable, str(Path(__file__).resolve()), "--here", str(spec), *options, "--out", f"{scratch}/out"],
            env={**os.environ, "PYTHONPATH": str(checkout)},
            cwd=scratch,
            capture_output=True,
            text=True,
            check=False,
        )
    told = [line.removeprefix("PARTS ") for line in done.stderr.splitlines() if line.startswith("PARTS ")]
    if not told:
        raise SystemExit(f"the command failed in {checkout}:\n{done.stderr}")
    parts: dict[str, float] = ast.literal_eval(told[-1])
    return parts


def main() -> None:
    """Tell the least of each part."""
    if sys.argv[1:2] == ["--here"]:
        run(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description="processor seconds of a whole exploration, by part")
    parser.add_argument("spec", nargs="?", type=Path, default=ROOT / "specs" / "lpsf.aol", metavar="FILE")
    parser.add_argument("options", nargs="*", default=OPTIONS, metavar="OPTION", help="after --")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="of each version (default 5)")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="another version, run in turn")
    asked = parser.parse_args()
    checkouts = [ROOT, *([asked.beside.resolve()] if asked.beside else [])]
    runs = [
        [measured(checkout, asked.spec.resolve(), asked.options) for checkout in checkouts] for _ in range(asked.runs)
    ]
    for part in dict.fromkeys(part for one in runs for parts in one for part in parts):
        least = [min(parts.get(part, 0.0) for parts in own) for own in zip(*runs, strict=True)]
        sys.stdout.write(f"{part:<20}" + "".join(f"{one:>10.2f}" for one in least) + "\n")


if __name__ == "__main__":
    main()
