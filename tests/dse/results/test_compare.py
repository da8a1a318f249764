"""Comparing two results: what is gained and lost, volumes to one reference, both fronts in one plot."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import log2
from pathlib import Path

import pytest
from explored import GIVEN, SPECS, mapped, published

from arrayol import api
from arrayol.errors import ArrayolError
from dse.output.comparison import write_comparison
from dse.output.plots.fronts import draw_comparison
from dse.results.compare import Comparison, compare, shown_fusion
from dse.results.designs import Design
from dse.results.schema import Result
from hwmodel.platform import Platform, load_platform

CLOCKED = ("latency_microseconds", "frames_per_second")


def with_port(words: int) -> Result:
    """The same with a slower port."""
    platform = load_platform(GIVEN)
    changed = {**platform.model_dump(exclude_unset=True, by_alias=True)}
    changed["memory"]["data_per_word"] = words
    spec = api.load(SPECS / "lpsf.aol", {"H": 4, "W": 8})
    slow = Platform.model_validate(changed)
    return api.explore(spec, slow, space=api.Space(narrow=True, verify=False)).result


def volume(result: Result, reference: list[float]) -> float:
    """By the definition, for two objectives: the area of the union of boxes."""
    names = ("latency_cycles", "internal_memory_elements")
    points = sorted(tuple(log2(design.objectives[name]) for name in names) for design in result.pareto)
    right, height = map(log2, reference)
    area = 0.0
    for x, y in points:
        if y < height:
            area += (right - x) * (height - y)
            height = y
    return area


def test_a_result_with_itself() -> None:
    found = compare(mapped().result, mapped().result)
    assert (found.gained, found.lost, found.dominated) == ((), (), (0, 0))
    assert len(found.kept) == len(mapped().result.pareto)
    assert all(pair.same for pair in found.kept)
    assert (found.moved, found.warnings, found.remarks) == ((), (), ())
    assert found.volumes[0] == found.volumes[1] > 0


def test_two_platforms() -> None:
    fast, slow = mapped().result, with_port(1)
    found = compare(fast, slow)
    assert found.by == "decisions"
    assert len(found.gained) + len(found.moved) == len(slow.pareto)
    assert len(found.lost) + len(found.moved) == len(fast.pareto)
    assert found.moved
    assert not found.kept
    for one in found.moved:
        assert one.before.decisions == one.after.decisions
        assert one.before.fusion == one.after.fusion
        assert one.before.objectives["latency_cycles"] < one.after.objectives["latency_cycles"]
    columns = [[one.objectives[name] for one in (*fast.pareto, *slow.pareto)] for name in found.objectives]
    reference = [max(column) * (max(column) / min(column)) ** 0.1 for column in columns]
    assert list(found.reference.values()) == pytest.approx(reference)
    assert found.volumes == pytest.approx((volume(fast, reference), volume(slow, reference)))
    assert found.volumes[0] > found.volumes[1]
    back = compare(slow, fast)
    assert (back.gained, back.lost) == (found.lost, found.gained)
    assert (back.volumes, back.dominated) == (found.volumes[::-1], found.dominated[::-1])
    assert found.dominated[0] == 0 < found.dominated[1]


def test_two_models_by_fusion() -> None:
    found = compare(published().result, mapped().result)
    assert found.by == "fusion"
    fronts = [{shown_fusion(design) for design in one.result.pareto} for one in (published(), mapped())]
    assert set(found.fusions_gained) == fronts[1] - fronts[0]
    assert set(found.fusions_lost) == fronts[0] - fronts[1]
    assert {shown_fusion(one.after) for one in found.moved} == fronts[0] & fronts[1]
    assert all(one.before.fusion == one.after.fusion for one in found.moved)
    assert len(found.gained) + len(found.moved) == len(mapped().result.pareto)
    fastest = {one.after.fusion: one.after.objectives["latency_cycles"] for one in found.moved}
    for design in mapped().result.pareto:
        assert design.objectives["latency_cycles"] >= fastest.get(design.fusion, 0)
    assert "the published model and the machine model count cycles and memory in their own ways" in found.remarks


def with_pareto(result: Result, change: Callable[[int, Design], Design]) -> Result:
    """A result with its designs changed, by their places."""
    return result.model_copy(update={"pareto": tuple(change(*pair) for pair in enumerate(result.pareto))})


def test_a_point_with_other_decisions_is_the_same_point() -> None:
    result = mapped().result

    def reached_otherwise(place: int, design: Design) -> Design:
        if place % 2:
            return design
        mapping = design.groups[0].mapping
        assert mapping is not None
        group = design.groups[0].model_copy(update={"mapping": mapping.model_copy(update={"policy": "strip"})})
        return design.model_copy(update={"groups": (group, *design.groups[1:])})

    found = compare(result, with_pareto(result, reached_otherwise))
    assert (found.gained, found.lost, found.moved) == ((), (), ())
    assert [pair.before.id for pair in found.reached_otherwise] == [design.id for design in result.pareto[::2]]
    kept = found.to_document()["kept"]
    assert [pair["same_decisions"] for pair in kept] == [bool(place % 2) for place in range(len(result.pareto))]


def at_clock(result: Result, clock: float | None) -> Result:
    """The same cycles on a platform with another clock, or none."""

    def timed(_: int, design: Design) -> Design:
        figures = {name: value for name, value in design.objectives.items() if name not in CLOCKED}
        if clock:
            figures["latency_microseconds"] = figures["latency_cycles"] / clock
            figures["frames_per_second"] = clock * 1e6 / figures["frame_cycles"]
        return design.model_copy(update={"objectives": figures})

    return with_pareto(result, timed)


def test_other_clocks_are_compared_in_time() -> None:
    result = mapped().result
    found = compare(result, at_clock(result, 500))
    assert found.objectives == ("latency_microseconds", "internal_memory_elements")
    assert found.remarks == ("the clocks are 100 MHz and 500 MHz: times are compared in time, not in cycles",)
    assert len(found.moved) == len(result.pareto) == found.dominated[0]
    faster = with_pareto(
        result,
        lambda _, design: design.model_copy(
            update={"objectives": design.objectives | {"latency_cycles": 5 * design.objectives["latency_cycles"]}}
        ),
    )
    assert len(compare(result, at_clock(faster, 500)).kept) == len(result.pareto)  # five times the cycles, as fast
    frames = result.model_copy(update={"objectives": ("frame_cycles", "internal_memory_elements")})
    assert compare(frames, at_clock(frames, 500)).objectives == ("frames_per_second", "internal_memory_elements")


def test_one_clock_alone_leaves_cycles() -> None:
    result = mapped().result
    found = compare(result, at_clock(result, None))
    assert found.objectives == result.objectives
    assert found.remarks == ("the clocks are 100 MHz and not known: times are compared in cycles, not in time",)
    timed = result.model_copy(update={"objectives": ("latency_microseconds", "internal_memory_elements")})
    assert compare(timed, at_clock(result, None)).objectives == result.objectives


def test_the_objectives_that_both_have() -> None:
    spec, space = api.load(SPECS / "lpsf.aol", {"H": 4, "W": 4}), api.Space(narrow=True, verify=False)
    three = ("lut", "internal_memory_elements", "latency_microseconds")
    wide, narrow = api.explore(spec, GIVEN, objectives=three, space=space).result, mapped(4, 4).result
    found = compare(narrow, wide)
    assert found.objectives == narrow.objectives
    assert (found.gained, found.lost) == ((), ())  # in these two the front of three is the front of two
    assert len(found.kept) == len(narrow.pareto) < len(wide.pareto)
    assert found.volumes[0] == found.volumes[1]
    beaten = len(wide.pareto) - len(found.fronts[1])
    assert found.remarks == (
        "lut of the second result is left out",
        f"{beaten} designs of the second front are on it no more in these objectives alone",
    )


def test_other_problems_are_told() -> None:
    result = mapped().result
    other = result.model_copy(
        update={
            "spec": "elsewhere/other.aol",
            "top": "two",
            "constants": {"H": 4, "W": 16, "K": 1},
            "space": result.space.model_copy(update={"tasks": ("hflr", "vftd", "hfrl", "last")}),
        }
    )
    (warning,) = compare(result, other).warnings
    assert str(warning.severity) == "warning"
    assert warning.message == (
        "the two results solve different problems: the specifications are 'lpsf.aol' and 'other.aol'; the tasks "
        "explored are 'lpsf' and 'two'; W is 8 in the first and 16 in the second; A is 0.5 in the first and not there "
        "in the second; K is not there in the first and 1 in the second; only the first has the task 'vfbu'; only the "
        "second has the task 'last'"
    )
    assert compare(result, other).to_document()["warnings"] == [warning.message]
    moved = result.model_copy(update={"spec": "elsewhere/lpsf.aol"})  # the same file from another place
    assert compare(result, moved).warnings == ()
    with pytest.warns(UserWarning, match="solve different problems"):
        api.compare(result, other)


def test_other_rules_of_the_study_are_told() -> None:
    result = mapped().result
    study = {**(result.space.study or {}), "reuse_memory": True}
    other = result.model_copy(
        update={"constraints": ("lut <= 900",), "space": result.space.model_copy(update={"study": study})}
    )
    assert compare(result, other).remarks == (
        "only in the second result groups share their local memory (reuse_memory)",
        "the constraints are none for the first and lut <= 900 for the second",
    )


def test_larger_is_better_for_frames_per_second() -> None:
    spec = api.load(SPECS / "lpsf.aol", {"H": 4, "W": 8})
    names = ("frames_per_second", "internal_memory_elements")
    found = api.explore(spec, objectives=names, space=api.Space(narrow=True, verify=False))
    comparison = compare(found.result, found.result)
    rates = [design.objectives["frames_per_second"] for design in found.result.pareto]
    assert comparison.reference["frames_per_second"] == pytest.approx(min(rates) * (min(rates) / max(rates)) ** 0.1)
    assert comparison.volumes[0] > 0
    assert comparison.dominated == (0, 0)


def test_other_objectives_are_refused() -> None:
    result = mapped().result
    other = result.model_copy(update={"objectives": ("lut", "units")})
    with pytest.raises(ArrayolError) as caught:
        compare(result, other)
    assert str(caught.value) == (
        "error[other-objectives]: one result is in latency_cycles, internal_memory_elements, the other in lut, units: "
        "they "
        "have no objective in common\n"
        "  hint: explore both with at least one objective in common, as --objectives latency_cycles"
    )


def test_the_order_of_objectives_does_not_matter() -> None:
    result = mapped().result
    turned = result.model_copy(update={"objectives": tuple(reversed(result.objectives))})
    assert compare(result, turned).volumes[0] == compare(result, turned).volumes[1]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(published().result, mapped().result)


def test_the_folder(comparison: Comparison, tmp_path: Path) -> None:
    for _ in range(2):  # a former comparison is replaced
        files = write_comparison(comparison, ("one", "two"), tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(path.name for path in files)
    document = json.loads((tmp_path / "out" / "comparison.json").read_text(encoding="utf-8"))
    assert document["folders"] == ["one", "two"]
    assert document["hypervolume"]["values"] == list(comparison.volumes)
    assert [design["id"] for design in document["gained"]] == [design.id for design in comparison.gained]
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(ArrayolError, match="this folder holds something else than a comparison"):
        write_comparison(comparison, ("one", "two"), tmp_path / "out")
    (tmp_path / "file").touch()
    with pytest.raises(ArrayolError, match="this is a file"):
        write_comparison(comparison, ("one", "two"), tmp_path / "file")


def test_the_plot_has_every_design_of_both_fronts(comparison: Comparison) -> None:
    figure = draw_comparison(comparison, ("one", "two"))
    (axes,) = (one for one in figure.axes if one.get_visible())
    drawn = [[tuple(point) for point in points.get_offsets()] for points in axes.collections]
    for found, result in zip(drawn, (comparison.first, comparison.second), strict=True):
        assert found == [
            tuple(float(design.objectives[name]) for name in comparison.objectives) for design in result.pareto
        ]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "one: 2 designs",
        f"two: {len(comparison.second.pareto)} designs",
    ]


@pytest.mark.parametrize(("names", "panels"), [(("units",), 1), (("latency_cycles", "units", "lut"), 3)])
def test_one_objective_or_three(names: tuple[str, ...], panels: int) -> None:
    result = mapped().result.model_copy(update={"objectives": names})
    figure = draw_comparison(compare(result, result), ("one", "two"))
    assert sum(axes.get_visible() for axes in figure.axes) == panels
