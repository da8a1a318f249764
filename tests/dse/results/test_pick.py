"""Picking a design: the knee by its definition, and the fastest within bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from explored import mapped, published, write_undrawn
from hypothesis import given
from hypothesis import strategies as st

from arrayol.errors import InfeasibleError
from dse.output.folder import load_result
from dse.output.picked import write_picked
from dse.output.report.document import report_document
from dse.output.report.sources import Origin
from dse.results.compare import values_of
from dse.results.pick import bend_of, highlights, knee_of, parse_rule, pick
from dse.results.schema import Result
from dse.space.objectives import WrongObjectiveError

FRONTS = st.integers(1, 3).flatmap(
    lambda objectives: st.lists(st.tuples(*[st.integers(0, 9)] * objectives), min_size=1, max_size=8)
)


@given(FRONTS)
def test_the_bend_gains_at_least_what_it_loses_in_place_of_any_other(points: list[tuple[int, ...]]) -> None:
    spans = [max(column) - min(column) for column in zip(*points, strict=True)]

    def trade(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[Fraction, Fraction]:
        gaps = [Fraction(b - a, span) for a, b, span in zip(one, other, spans, strict=True) if span]
        return sum((max(gap, Fraction(0)) for gap in gaps), Fraction(0)), sum(
            (max(-gap, Fraction(0)) for gap in gaps), Fraction(0)
        )

    place, found = bend_of(np.array(points, np.float64))
    trades = [trade(points[place], other) for other in points]
    assert all(float(gain) >= float(loss) - 1e-12 for gain, loss in trades)
    ends = []
    for column in zip(*points, strict=True):
        best = [point for point, value in zip(points, column, strict=True) if value == min(column)]
        ends.append(max(best, key=lambda point: trade(point, points[0])[0] - trade(point, points[0])[1]))
    ratios = [float(gain / loss) for gain, loss in (trade(points[place], end) for end in ends) if loss]
    assert found == pytest.approx(min(ratios, default=math.inf))


def test_the_knee_of_an_elbow_is_its_corner() -> None:
    elbow = np.array([[0, 100], [1, 50], [2, 10], [30, 8], [60, 4], [100, 0]], np.float64)
    assert bend_of(elbow) == (2, pytest.approx(0.98 / 0.1))
    assert bend_of(elbow * [1000, 0.001] + [5, 7])[0] == 2  # units do not count


def test_a_dense_front_has_its_knee() -> None:
    front = np.array([[place, (2500 - place) ** 2 / 1000] for place in range(2500)])
    slope = np.abs(np.diff(front[:, 1])) / np.ptp(front[:, 1]) * np.ptp(front[:, 0])
    place, gain = bend_of(front)
    assert place == pytest.approx(int(np.argmin(np.abs(slope - 1))), abs=1)
    assert gain == pytest.approx(1.5, rel=0.001)  # from (0, 1) to (1/2, 1/4), though its neighbours trade one to one


def bent(middle: int) -> Result:
    """A front of three designs: two ends, and one that is so many hundredths of the way in both objectives."""
    result = mapped().result
    points = [(100, 300), (100 + middle, 200 + middle), (200, 200)]
    designs = [
        design.model_copy(update={"objectives": dict(zip(result.objectives, point, strict=True))})
        for design, point in zip(result.pareto, points, strict=False)
    ]
    return result.model_copy(update={"pareto": tuple(designs)})


def test_an_end_is_picked_by_its_name_in_tables() -> None:
    result = bent(30)
    named = {reason: one.design for one in highlights(result) for reason in one.reasons}
    assert list(named) == ["fastest", "knee", "least memory"]
    for name, design in named.items():
        assert pick(result, parse_rule(name)).design is design
    with pytest.raises(InfeasibleError, match=r"no-end.*the front has no end called 'least LUT'"):
        pick(result, parse_rule("least LUT"))


@pytest.mark.parametrize(("middle", "is_knee"), [(10, True), (40, True), (41, False), (49, False)])
def test_a_front_that_hardly_bends_has_no_knee(middle: int, *, is_knee: bool) -> None:
    result = bent(middle)
    knee = knee_of(result)
    assert knee.design is result.pareto[1]
    assert knee.gain == pytest.approx((100 - middle) / middle)
    assert knee.is_knee is is_knee
    if is_knee:
        assert pick(result, parse_rule("knee")).design is knee.design


def test_no_knee_is_refused_with_the_remedy() -> None:
    with pytest.raises(InfeasibleError) as caught:
        pick(bent(49), parse_rule("knee"))
    assert str(caught.value) == (
        "error[no-knee]: the front has no knee: compared with every end of the front, no design gains more than 1.04 "
        "times what it loses, and a knee gains at least 1.5 times as much\n"
        '  hint: pick by a bound, as --pick "internal_memory_elements <= 249"'
    )
    two = bent(49).model_copy(update={"pareto": bent(49).pareto[::2]})
    with pytest.raises(InfeasibleError, match="no design gains more than what it loses, and a knee"):
        pick(two, parse_rule("knee"))
    alone = two.model_copy(update={"pareto": two.pareto[:1]})
    assert pick(alone, parse_rule("knee")).why == "the front has one point, and no knee"


def test_the_report_marks_a_knee_where_there_is_one(tmp_path: Path) -> None:
    for middle, name in ((10, bent(10).pareto[1].id), (49, None)):
        result = bent(middle)
        document = report_document(result, tmp_path, Origin(None, {}, ()))
        assert document["knee"] == name
        assert ["knee", f"{name}: {knee_of(result).text}" if name else knee_of(result).text] in map(
            list, document["facts"]
        )


def test_the_knee_of_mappings() -> None:
    result = mapped().result
    picked = pick(result, parse_rule("knee"))
    place, gain = bend_of(values_of(result.pareto, result.objectives))
    assert picked.design is result.pareto[place]
    assert f"compared with any end of the front it gains at least {gain:.3g} times what it loses" in picked.why


@pytest.mark.parametrize("bound", [2112, 2592, 4000, 10**6])
def test_the_fastest_within_a_bound(bound: int) -> None:
    result = mapped().result
    picked = pick(result, parse_rule(f"internal_memory_bits <= {bound}"))
    keeping = [design for design in result.pareto if design.objectives["internal_memory_bits"] <= bound]
    assert picked.design.objectives["latency_cycles"] == min(one.objectives["latency_cycles"] for one in keeping)
    assert len(keeping) in (1, *(int(word) for word in picked.why.split() if word.isdigit()))


def test_several_bounds_and_all_that_the_result_holds() -> None:
    result = published().result
    assert result.designs is not None
    rule = parse_rule("internal_memory_elements <= 3e4 and units < 17, latency_cycles >= 5_000_000")
    assert [str(one) for one in rule.constraints] == [
        "internal_memory_elements <= 3e4",
        "units < 17",
        "latency_cycles >= 5_000_000",
    ]
    assert pick(result, rule).design.id == "2+1+1"  # not on the front, but in the result; 1+1+2 is its isomorphic group
    assert pick(result, parse_rule("internal_memory_elements < 30720")).design.id == "2+2"


def test_ties_go_by_the_next_objective() -> None:
    result = published().result
    assert result.designs is not None
    slow = pick(result, parse_rule("latency_cycles >= 4_000_001")).design
    same = [one for one in result.designs if one.objectives["latency_cycles"] == slow.objectives["latency_cycles"]]
    assert len(same) == 3
    assert slow.objectives["internal_memory_elements"] == min(
        one.objectives["internal_memory_elements"] for one in same
    )


def test_bounds_that_nothing_keeps() -> None:
    with pytest.raises(InfeasibleError) as caught:
        pick(mapped().result, parse_rule("internal_memory_bits <= 100"))
    least = min(design.objectives["internal_memory_bits"] for design in mapped().result.pareto)
    assert str(caught.value) == (
        f"error[infeasible]: no design of the result keeps internal_memory_bits <= 100: the least is {least:,}\n"
        "  hint: 'explore --constraint' searches for designs that keep a bound; they need not be on this front"
    )
    with pytest.raises(
        InfeasibleError, match="keeps internal_memory_elements <= 2e4 and latency_cycles <= 3e6 together"
    ):
        pick(published().result, parse_rule("internal_memory_elements <= 2e4, latency_cycles <= 3e6"))


def test_a_figure_that_there_is_not() -> None:
    with pytest.raises(WrongObjectiveError, match="there is no figure 'lutt'"):
        pick(mapped().result, parse_rule("lutt <= 3"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "knees",
        "units = 3",
        "units <=",
        "units <= 3,",
        "<= 3",
        "units <= -1",
        "units <= 1e99999999",
        "units <= 1e-99999999",
    ],
)
def test_what_is_no_rule(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        parse_rule(text)


def test_a_bound_of_zero_is_one_however_it_is_written() -> None:
    assert [parse_rule(f"units <= {zero}").constraints[0].bound for zero in ("0", "0.0", "0e99999999")] == [0, 0, 0]


def test_the_written_design(tmp_path: Path) -> None:
    found = mapped()
    write_undrawn(found, tmp_path / "out")
    for rule in ("knee", "units <= 4", "latency_cycles <= 1e9"):
        picked = pick(found.result, parse_rule(rule))
        document = write_picked(found.result, picked, found.steps, tmp_path / "out")
        assert document["design"] == picked.design.model_dump(mode="json")
        breakdown = document["breakdown"]
        assert sum(breakdown["cycles"].values()) == picked.design.objectives["latency_cycles"]
        assert sum(breakdown["memory_bits"].values()) == picked.design.objectives["internal_memory_bits"]
        assert (document["aol"] is None) == (picked.design.steps is None)
        if document["aol"]:
            assert (tmp_path / "out" / document["aol"]).is_file()
    assert load_result(tmp_path / "out") == found.result


def test_the_specification_of_a_design_that_explore_left_out(tmp_path: Path) -> None:
    found = mapped()
    write_undrawn(found, tmp_path / "out")
    design = next(one for one in found.result.pareto if one.steps)
    path = tmp_path / "out" / "specs" / f"{design.id.replace(':', '-')}.aol"
    text = path.read_text(encoding="utf-8")
    path.unlink()
    picked = pick(found.result, parse_rule(f"latency_cycles <= {design.objectives['latency_cycles']}"))
    assert picked.design.id == design.id
    document = write_picked(found.result, picked, found.steps, tmp_path / "out")
    assert document["aol"] == f"specs/{path.name}"
    assert path.read_text(encoding="utf-8") == text


def test_a_new_result_leaves_the_picked_design_behind(tmp_path: Path) -> None:
    found = published()
    write_undrawn(found, tmp_path / "out")
    write_picked(found.result, pick(found.result, parse_rule("units <= 99")), found.steps, tmp_path / "out")
    assert (tmp_path / "out" / "picked.json").exists()
    write_undrawn(found, tmp_path / "out")
    assert not (tmp_path / "out" / "picked.json").exists()
