"""How many group designs a second the exact search of LPSF's narrow space disposes of, in processor seconds.

    python benchmarks/narrow.py [--beside CHECKOUT] [--pairs 5] [NAME ...]

That is the search of all groups of `arrayol explore specs/NAME.aol --narrow --no-verify` in one process: bounds of all
structures by live data and fastest rates, all rates of those that are left, what memories are built of for the designs
that may be on the front. `--beside` names a checkout of another version, whose search of its own specification and
platform is run in turn with ours; medians are told.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The search ends as an interrupt would, so that nothing after it is waited for.
SEARCH = """
import sys, time
import dse.search.exact.exact as exact
from arrayol.cli.main import main
search = exact.search_groups
def timed(*given, **named):
    began = time.process_time()
    found = search(*given, **named)
    designs = sum(front.counts.size for front in found.values())
    print("SECONDS", time.process_time() - began, designs, file=sys.stderr, flush=True)
    raise KeyboardInterrupt
exact.search_groups = timed
sys.argv = ["arrayol", "explore", *sys.argv[1:]]
main()
"""


def searched(checkout: Path, name: str) -> tuple[float, int]:
    """Processor seconds of the search of a checkout, and how many group designs there are."""
    with tempfile.TemporaryDirectory() as scratch:
        options = ("--narrow", "--no-verify", "--workers", "1", "--out", str(Path(scratch) / "out"))
        done = subprocess.run(
            [sys.executable, "-c", SEARCH, str(checkout / "specs" / f"{name}.aol"), *options],
            env={**os.environ, "PYTHONPATH": str(checkout)},
            cwd=scratch,
            capture_output=True,
            text=True,
            check=False,
        )
    told = [line.split() for line in done.stderr.splitlines() if line.startswith("SECONDS")]
    if not told:
        raise SystemExit(f"the search of {checkout} did not end:\n{done.stderr}")
    return float(told[0][1]), int(told[0][2])


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Tell seconds and rates of each specification."""
    parser = argparse.ArgumentParser(description="group designs a second of the exact search")
    parser.add_argument("names", nargs="*", default=["lpsf"], metavar="NAME")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="another version, run in turn")
    parser.add_argument("--pairs", type=int, default=5, metavar="N", help="runs of each (default 5)")
    options = parser.parse_args()
    checkouts = [ROOT, *([options.beside.resolve()] if options.beside else [])]
    for name in options.names:
        runs = [[searched(checkout, name) for checkout in checkouts] for _ in range(options.pairs)]
        for checkout, own in zip(checkouts, zip(*runs, strict=True), strict=True):
            middle, designs = statistics.median(seconds for seconds, _ in own), own[0][1]
            say(f"{name}, {checkout}: {designs:,} group designs, {middle:.2f} s: {designs / middle:,.0f} a second")
        if options.beside:
            ratio = statistics.median(other[0] / ours[0] for ours, other in runs)
            say(f"{name}: {ratio:.2f} of the rate of the other version (median of {options.pairs} pairs)")


if __name__ == "__main__":
    main()
