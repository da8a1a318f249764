"""Comparing two results: what is gained and lost, volumes to one reference, both fronts in one plot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from explored import SPECS, mapped, published

from arrayol import api
from arrayol.errors import ArrayolError
from dse.output.comparison import write_comparison
from dse.output.plots.fronts import draw_comparison
from dse.results.compare import Comparison, compare
from dse.results.schema import Result
from hwmodel.platform import Platform, load_platform


def with_port(words: int) -> Result:
    """The same with a slower port."""
    platform = load_platform(SPECS / "lpsf.toml")
    changed = {**platform.model_dump(exclude_unset=True, by_alias=True)}
    changed["memory"]["data_per_word"] = words
    spec = api.load(SPECS / "lpsf.aol", {"H": 4, "W": 8})
    slow = Platform.model_validate(changed)
    return api.explore(spec, slow, space=api.Space(narrow=True, verify=False)).result


def volume(result: Result, reference: tuple[float, float]) -> float:
    """By the definition, for two objectives: the area of the union of boxes."""
    points = sorted(
        (design.objectives["latency_cycles"], design.objectives["internal_memory_data"]) for design in result.pareto
    )
    area, height = 0.0, reference[1]
    for x, y in points:
        if y < height:
            area += (reference[0] - x) * (height - y)
            height = y
    return area


def test_a_result_with_itself() -> None:
    found = compare(mapped().result, mapped().result)
    assert (found.gained, found.lost, found.dominated) == ((), (), (0, 0))
    assert len(found.kept) == len(mapped().result.pareto)
    assert found.volumes[0] == found.volumes[1] > 0


def test_two_platforms() -> None:
    fast, slow = mapped().result, with_port(1)
    found = compare(fast, slow)
    assert found.by == "decisions"
    assert len(found.gained) + len(found.kept) == len(slow.pareto)
    assert len(found.lost) + len(found.kept) == len(fast.pareto)
    assert found.kept
    for one in found.kept:
        assert one.before.fusion == one.after.fusion
        assert one.before.objectives["latency_cycles"] < one.after.objectives["latency_cycles"]
    worst = [max(one.objectives[name] for one in (*fast.pareto, *slow.pareto)) for name in found.objectives]
    reference = (1.1 * worst[0], 1.1 * worst[1])
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
    assert {design.fusion for design in found.gained} == {design.fusion for design in mapped().result.pareto} - {
        design.fusion for design in published().result.pareto
    }
    assert all(one.before.fusion == one.after.fusion for one in found.kept)
    fastest = {one.after.fusion: one.after.objectives["latency_cycles"] for one in found.kept}
    for design in mapped().result.pareto:
        assert design.objectives["latency_cycles"] >= fastest.get(design.fusion, 0)


def test_larger_is_better_for_frames_per_second() -> None:
    spec = api.load(SPECS / "lpsf.aol", {"H": 4, "W": 8})
    names = ("frames_per_second", "internal_memory_data")
    found = api.explore(spec, objectives=names, space=api.Space(narrow=True, verify=False))
    comparison = compare(found.result, found.result)
    slowest = min(design.objectives["frames_per_second"] for design in found.result.pareto)
    assert comparison.reference["frames_per_second"] == pytest.approx(0.9 * slowest)
    assert comparison.volumes[0] > 0
    assert comparison.dominated == (0, 0)


def test_other_objectives_are_refused() -> None:
    result = mapped().result
    other = result.model_copy(update={"objectives": ("latency_cycles", "units")})
    with pytest.raises(ArrayolError) as caught:
        compare(result, other)
    assert str(caught.value) == (
        "error[other-objectives]: one result is in latency_cycles, internal_memory_data, the other in latency_cycles, "
        "units\n  hint: explore both with the same --objectives"
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
