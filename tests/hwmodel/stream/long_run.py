"""The simulator and the model of streaming groups on many generated ones.

    python tests/hwmodel/stream/long_run.py [CASES [SEED]]

Prints the share of groups with each feature. The exit code is 1 where one is in less than 5% of them; a case that fails
is shrunk and raised.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[2]
sys.path[:0] = [str(TESTS / part) for part in (".", "hwmodel")]

from judging_streams import run  # noqa: E402  the folders of helpers are known only now


def main() -> int:
    """Run and report."""
    cases, seed = (int(text) for text in [*sys.argv[1:], *("2000", "1")[len(sys.argv) - 1 :]])
    tally = run(cases, seed, lambda so_far: sys.stderr.write(f"{so_far.held} groups hold\n"))
    sys.stdout.write("".join(f"{line}\n" for line in tally.lines()))
    return 1 if tally.missing() else 0


if __name__ == "__main__":
    sys.exit(main())
