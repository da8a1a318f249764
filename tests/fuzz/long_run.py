"""Many more inputs than the suite takes.

    python tests/fuzz/long_run.py [CASES [SEED [KIND ...]]] [--keep FOLDER]

Without kinds all of them take their turn. Each sort of failure is told once, with a small input that fails so; with
`--keep` also written as FOLDER/SORT.json, which belongs to tests/fuzz/corpus when it is mended. Inputs that take more
than two seconds of processor time are told as well. The exit code is 1 where something failed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from case import Case  # noqa: E402  the folders of helpers are known only now
from drawn import KINDS, drawn  # noqa: E402
from guard import Guard  # noqa: E402
from minimal import minimal  # noqa: E402

SLOW_SECONDS = 2.0
TRIES = 150


def main() -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="?", type=int, default=100_000)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args()
    kinds, tally = chosen.kinds or list(KINDS), Counter[str]()
    with Guard(cpu_seconds=10) as guard:
        for place in range(chosen.first, chosen.first + chosen.cases):
            kind = kinds[place % len(kinds)]
            case = drawn(kind, chosen.seed, place)
            outcome = guard.judge(case)
            tally[
                f"{kind}: {'exit' if outcome.codes else 'no exit'} {', '.join(map(str, sorted(set(outcome.codes))))}"
            ] += 1
            if outcome.seconds > SLOW_SECONDS:
                command = " ".join(outcome.dearest)
                _tell(f"slow: {kind} {chosen.seed} {place}: {outcome.seconds:.1f} s for {command}\n{case}")
            if outcome.wrong is not None:
                sort = f"failed: {kind}: {outcome.sort}"
                tally[sort] += 1
                if tally[sort] == 1:
                    small = _smaller(guard, case, outcome.sort)
                    _tell(f"{sort}: seed {chosen.seed}, number {place}\n{guard.judge(small).wrong}\n{small}")
                    _keep(chosen.keep, sort, small)
            if (place + 1) % 1000 == 0:
                _tell(f"{place + 1 - chosen.first} of {chosen.cases} cases")
    sys.stdout.write("".join(f"{count:8} {key}\n" for key, count in sorted(tally.items())))
    return int(any(key.startswith("failed") for key in tally))


def _smaller(guard: Guard, case: Case, sort: str) -> Case:
    tries = 15 if "processor time" in sort else TRIES
    return minimal(case, lambda other: guard.judge(other).sort == sort, tries)


def _tell(text: str) -> None:
    sys.stdout.write(text[:6000] + "\n")
    sys.stdout.flush()


def _keep(folder: Path | None, sort: str, case: Case) -> None:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"\W+", "-", sort)[:80]
        (folder / f"{name}.json").write_text(case.to_json(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
