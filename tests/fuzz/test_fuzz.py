"""Broken, odd and huge inputs: every command says what is wrong, in time, and nothing breaks (see `judge`).

Each kind has its share of inputs, the same ones in every run by day; at night there are ten times as many, of another
seed, and `long_run.py` tries as many others as one likes. What once failed lies in `corpus/`, a case a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from case import Case, read_case
from drawn import KINDS, drawn
from guard import Guard
from many_cases import case_count, new_seed
from minimal import minimal

SEED = 15
COUNTS = {
    "spec": 900, "sound": 160, "deep": 20, "tools": 12, "platform": 15, "study": 6, "steps": 500, "options": 200,
    "result": 40, "data": 200, "emitted": 40, "stored": 12, "places": 30, "plugin": 8, "extern": 30,
}  # fmt: skip
FORMER = sorted((Path(__file__).parent / "corpus").glob("*.json"))
TRIES = 100


@pytest.fixture(scope="module")
def guard() -> Iterator[Guard]:
    with Guard() as opened:
        yield opened


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_breaks(kind: str, guard: Guard) -> None:
    seed = SEED + new_seed()
    for place in range(case_count(COUNTS[kind])):
        case = drawn(kind, seed, place)
        outcome = guard.judge(case)
        if outcome.wrong is not None:
            small = minimal(case, lambda other, sort=outcome.sort: guard.judge(other).sort == sort, TRIES)  # type: ignore[misc]
            pytest.fail(f"{kind}, seed {seed}, number {place}: {_told(guard, small)}")


@pytest.mark.parametrize("path", FORMER, ids=lambda path: path.stem)
def test_what_once_failed_holds(path: Path, guard: Guard) -> None:
    case = read_case(path)
    assert guard.judge(case).wrong is None, _told(guard, case)


def _told(guard: Guard, case: Case) -> str:
    return f"{guard.judge(case).wrong}\n{case}\nas a file of tests/fuzz/corpus:\n{case.to_json()}"
