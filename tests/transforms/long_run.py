"""The proof on many generated pipelines.

    python tests/transforms/long_run.py [CASES [SEED]]

Prints the share of cases with each feature and of refusals. The exit code is 1 where a feature is in less than 5% of
the cases, or 30% of the steps are refused; a case that fails is shrunk and raised.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from proof import run  # noqa: E402  the folders of helpers are known only now


def main() -> int:
    """Run and report."""
    cases, seed = (int(text) for text in [*sys.argv[1:], *("2000", "1")[len(sys.argv) - 1 :]])
    tally = run(cases, seed, lambda so_far: print(f"{so_far.cases} of {cases} cases hold", file=sys.stderr, flush=True))  # noqa: T201
    sys.stdout.write("".join(f"{line}\n" for line in tally.lines()))
    return 1 if tally.missing() else 0


if __name__ == "__main__":
    sys.exit(main())
