"""The static checks and the execution agree.

Where no data decide, a body fails at run time if and only if the checks refuse it; and what it computes is what the
interpreter says.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from loading import unchecked_spec_of
from many_cases import case_count
from oracle import Refused, interpret

from arrayol.checks.check import check_body
from arrayol.errors import ArrayolError
from arrayol.execute import compile_body as executed
from arrayol.execute.run import execute

N = 5
SEEN: Counter[str] = Counter()
INPUTS = {"x": np.array([3, 0, -2, 5, 1])}
CODES = r"error\[(subscript-out-of-range|read-before-write|output-not-written)\]"


@st.composite
def subscripts(draw: DrawFn, names: tuple[str, ...]) -> str:
    if not names:
        return str(draw(st.integers(0, N - 1)))
    name, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    step = draw(st.integers(0, 2))
    forms = (name, name, f"{name} - {step}", f"{name} + {step}", f"{N - 1} - {name}", f"({name} + {step}) % {N}")
    more = (str(step), f"{name} // 2", f"min({name} + {step}, {N - 1})", f"{name} + {other}", f"abs({name} - {step})")
    return draw(st.sampled_from((*forms, *more)))


@st.composite
def conditions(draw: DrawFn, names: tuple[str, ...]) -> str:
    if not names:
        return "1 < 2"
    name, step = draw(st.sampled_from(names)), draw(st.integers(0, 2))
    plain = (f"{name} >= {step}", f"{name} % 2 == {step % 2}", f"{name} < {step + 2}", f"{name} != {step}")
    guarded = f"({name} >= {step} and x[{name} - {step}] > 0)"
    return draw(st.sampled_from((*plain, f"(not {plain[0]} or {plain[1]})", guarded, guarded, guarded)))


@st.composite
def terms(draw: DrawFn, names: tuple[str, ...]) -> str:
    form = draw(st.sampled_from(("x", "x", "y", "if", "if", "1")))
    if form == "1":
        return draw(st.sampled_from((*names, "1")))
    if form == "if":
        condition = draw(conditions(names))
        return f"(y[{draw(subscripts(names))}] if {condition} else x[{draw(subscripts(names))}])"
    return f"{form}[{draw(subscripts(names))}]"


@st.composite
def statements(draw: DrawFn, names: tuple[str, ...], depth: int) -> str:
    own = draw(st.sampled_from((("k",), ("k", "m"), ()))) if depth == 0 else draw(st.sampled_from((("i",), ())))
    ranges = []
    for place, name in enumerate(own):
        low = draw(st.sampled_from(("0", "0", "1", *own[:place], *names)))
        ranges.append(f"{name} in {low}..{draw(st.sampled_from((str(N), str(N), str(N - 1), *own[:place])))}")
    inner = (*names, *own)
    if depth == 0 and own and draw(st.sampled_from((True, False, False))):
        parts = draw(st.lists(statements(inner, 1), min_size=1, max_size=2))
        return f"loop {', '.join(ranges)} {{ {' '.join(parts)} }}"
    value = " + ".join(draw(st.lists(terms(inner), min_size=1, max_size=2)))
    where = f" where {draw(conditions(inner))}" if draw(st.sampled_from((True, False))) else ""
    written = f"y[{draw(subscripts(inner))}] {draw(st.sampled_from(('=', '+=')))} {value}"
    return _joined(written, ranges, where)


def _joined(written: str, ranges: list[str], where: str) -> str:
    return f"{written} for {', '.join(ranges)}{where}" if ranges else f"{written}{where}"


@st.composite
def bodies(draw: DrawFn) -> str:
    """A first value for every element, as a rule, and statements that may go wrong."""
    first = draw(st.sampled_from((f"y[k] = x[k] for k in 0..{N}\n", f"y[k] = 7 for k in 0..{N}\n", "")))
    return first + "\n".join(draw(st.lists(statements((), 0), min_size=1, max_size=3)))


@settings(max_examples=case_count(300), deadline=None)
@given(body=bodies(), unrolled=st.sampled_from((128, 0)), lanes=st.sampled_from((256, 0)))
def test_the_checks_foresee_what_the_execution_meets(body: str, unrolled: int, lanes: int) -> None:
    note(body)
    spec = unchecked_spec_of(f"elementary e(x: i64[{N}]) -> (y: i64[{N}]) {{\n{body}\n}}")
    refused = bool(list(check_body(spec.elementaries["e"])))
    decided = " > 0" not in body
    SEEN.update(["cases", "refused" if refused else "accepted", "decided" if decided else "by data"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executed, "_UNROLLED", unrolled)
        patch.setattr(executed, "_FEW_LANES", lanes)
        try:
            expected = interpret(spec, "e", INPUTS)["y"]
        except Refused:
            assert refused or not decided
            with pytest.raises(ArrayolError, match=CODES):
                execute(spec, "e", INPUTS)
            return
        assert not refused
        assert execute(spec, "e", INPUTS)["y"].tolist() == expected.tolist()


@pytest.mark.all_cases
def test_kinds_of_bodies(capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind of body was met often enough for the test above to mean something."""
    if not SEEN["cases"]:
        pytest.skip("runs after the test above, in the same process")
    shares = {kind: SEEN[kind] / SEEN["cases"] for kind in ("accepted", "refused", "decided", "by data")}
    with capsys.disabled():
        shown = ", ".join(f"{kind} {share:.0%}" for kind, share in shares.items())
        sys.stdout.write(f"\nbodies: {SEEN['cases']} cases; {shown}\n")
    assert all(share >= 0.05 for share in shares.values()), shares
