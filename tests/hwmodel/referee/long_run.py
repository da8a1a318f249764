"""The referee and the model on many generated designs, and on all designs of the shipped fronts.

    python tests/hwmodel/referee/long_run.py [CASES [SEED]]     generated designs
    python tests/hwmodel/referee/long_run.py fronts [SPEC ...]  every design on the front of shipped specifications

Generated designs: the share of each feature is printed; the exit code is 1 where one is in less than 3% of the
designs, and a case that fails is shrunk and raised. Fronts: a line per specification; a disagreement is raised.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[2]
sys.path[:0] = [str(TESTS / part) for part in (".", "hwmodel/referee", "transforms", "specs")]

from fronts import judge_front, shipped  # noqa: E402  the folders of helpers are known only now
from judging import run  # noqa: E402


def main() -> int:
    """Run and report."""
    if sys.argv[1:2] == ["fronts"]:
        for name in sys.argv[2:] or shipped():
            sys.stdout.write(f"{judge_front(name)}\n")
            sys.stdout.flush()
        return 0
    cases, seed = (int(text) for text in [*sys.argv[1:], *("2000", "1")[len(sys.argv) - 1 :]])
    tally = run(cases, seed, lambda so_far: sys.stderr.write(f"{so_far.simulated} of {cases} designs hold\n"))
    sys.stdout.write("".join(f"{line}\n" for line in tally.lines()))
    return 1 if tally.missing() else 0


if __name__ == "__main__":
    sys.exit(main())
