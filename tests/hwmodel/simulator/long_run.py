"""The simulator and the model on many generated designs; benchmarks/accuracy.py runs the fronts of shipped ones.

    python tests/hwmodel/simulator/long_run.py [CASES [SEED]]

Prints the share of designs with each feature. The exit code is 1 where one is in less than 3% of them, or 30% are
refused; a case that fails is shrunk and raised.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[2]
sys.path[:0] = [str(TESTS / part) for part in (".", "hwmodel/simulator", "transforms")]

from judging import run  # noqa: E402  the folders of helpers are known only now


def main() -> int:
    """Run and report."""
    cases, seed = (int(text) for text in [*sys.argv[1:], *("2000", "1")[len(sys.argv) - 1 :]])
    tally = run(cases, seed, lambda so_far: sys.stderr.write(f"{so_far.simulated} of {cases} designs hold\n"))
    sys.stdout.write("".join(f"{line}\n" for line in tally.lines()))
    return 1 if tally.missing() else 0


if __name__ == "__main__":
    sys.exit(main())
