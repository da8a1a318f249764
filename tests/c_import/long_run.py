"""Many drawn programs of C beside gcc.

    python tests/c_import/long_run.py [CASES [SEED]]

Prints the share of programs with each feature, and each program that is refused or differs. The exit code is 1 where
there is one, or where a feature is in less than 5% of the programs.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / part) for part in (".", "c_import")]

from drawn_programs import Program, program  # noqa: E402  the folders of helpers are known only now
from judged_programs import library_of, problem_of  # noqa: E402

_EACH = 50  # programs that gcc compiles together


def main() -> int:
    """Run and report."""
    warnings.simplefilter("ignore")
    cases, seed = (int(text) for text in [*sys.argv[1:], *("2000", "1")[len(sys.argv) - 1 :]])
    counts: Counter[str] = Counter()
    wrong = 0
    for start in range(0, cases, _EACH):
        numbers = range(seed * 1_000_000 + start, seed * 1_000_000 + min(start + _EACH, cases))
        programs = [program(f"f{number}", number) for number in numbers]
        counts.update(feature for one in programs for feature in one.features)
        with TemporaryDirectory() as folder:
            library = library_of(programs, Path(folder))
            for one in programs:
                problem = _problem(one, library, start)
                wrong += problem is not None
                if problem is not None:
                    sys.stdout.write(f"== {one.name}\n{problem}\n{one.text}\n")
                    sys.stdout.flush()
        sys.stderr.write(f"{min(start + _EACH, cases)} of {cases} programs, {wrong} of them wrong\n")
    sys.stdout.write("".join(f"{count / cases:6.1%} {feature}\n" for feature, count in counts.most_common()))
    return int(wrong > 0 or min(counts.values()) < cases / 20)


def _problem(one: Program, library: object, seed: int) -> str | None:
    try:
        return problem_of(one, library, seed)
    except Exception:  # a traceback is a problem like any other
        return traceback.format_exc()


if __name__ == "__main__":
    sys.exit(main())
