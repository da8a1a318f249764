"""Plots: scales, ticks, and names that cover nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox
from networks import link, network, platform, process
from PIL import Image

from dse.output.plots import fronts
from dse.output.plots.axes import RASTER_FROM, Axis, Panel, compact, ends_of
from dse.output.plots.breakdown import draw_breakdown
from dse.output.plots.fronts import draw_front
from dse.output.plots.names import Name, names_of, spell
from dse.output.plots.save import save_front
from dse.results.designs import LOCAL_MEMORIES
from dse.results.exploration import Exploration, Labels, PlottedPoints
from dse.results.pick import knee_of
from dse.results.schema import DeviceRecord, Result
from dse.search.published import explore
from dse.search.shown import plotted_points
from dse.space.objectives import chosen
from hwmodel.published.model import PublishedModel

DEFAULT = ("latency_cycles", "internal_memory_elements")
FORWARD, BACKWARD = ((1,),), ((-1,),)


def explored(length: int, names: tuple[str, ...] = DEFAULT) -> Exploration:
    """A chain with halves in rate and changes in direction, so that its front has several designs."""
    steps = [(FORWARD, 2), (FORWARD, 1), (BACKWARD, 2), (BACKWARD, 4)]
    extents = [1 << 20]
    for place in range(length):
        extents.append(max(1, extents[-1] // steps[place % 4][1]))
    made = network(
        {f"a{place}": (extent,) for place, extent in enumerate(extents)},
        [
            process(
                f"t{place}",
                [link(f"a{place}", 4 * steps[place % 4][1], paving=steps[place % 4][0])],
                [link(f"a{place + 1}", 4, paving=steps[place % 4][0])],
            )
            for place in range(length)
        ],
        [f"a{length}"],
    )
    return explore(PublishedModel(made, platform()), chosen(names), Labels("by hand", "published", "by hand"))


def shown(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.get_visible()]


def written(axes: Axes) -> list[Annotation]:
    return [text for text in axes.texts if isinstance(text, Annotation) and text.get_text()]


def boxes(figure: Figure, texts: Sequence[Text]) -> list[Bbox]:
    return [text.get_window_extent(figure.canvas.get_renderer()) for text in texts]


@pytest.mark.parametrize(("length", "panels"), [(1, 1), (4, 1), (9, 1)])
def test_names_cover_neither_each_other_nor_points(length: int, panels: int) -> None:
    figure = draw_front(explored(length))
    assert len(shown(figure)) == panels
    (axes,) = shown(figure)
    places = boxes(figure, written(axes))
    assert places
    assert not any(one.overlaps(other) for one, other in combinations(places, 2))
    points = [axes.transData.transform(collection.get_offsets()) for collection in axes.collections]
    assert not any(box.count_contains(found) for box in places for found in points)
    frame = axes.get_window_extent()
    assert all(frame.containsx(box.x0) and frame.containsx(box.x1) for box in places)


def test_every_design_of_a_small_space_is_named_and_the_front_of_a_large_one() -> None:
    small, large = explored(4), explored(8)
    listed = {name for text in written(shown(draw_front(small))[0]) for name in text.get_text().split(", ")}
    assert {design.id for design in small.result.pareto} <= listed
    assert len(listed) == small.plotted.designs == 8
    assert large.plotted.designs == 128
    assert {name for names in large.plotted.names for name in names} == set()
    front = {design.id for design in large.result.pareto}
    assert {name for text in written(shown(draw_front(large))[0]) for name in text.get_text().split(", ")} <= front


def test_the_legend_and_the_names_stay_off_the_data() -> None:
    figure = draw_front(explored(8))
    (legend,) = figure.legends
    box = legend.get_window_extent(figure.canvas.get_renderer())
    assert not any(box.overlaps(axes.get_window_extent()) for axes in shown(figure))
    assert [text.get_text() for text in legend.get_texts()] == ["design", "Pareto front", "knee"]


def test_one_objective_is_shown_by_the_number_of_groups() -> None:
    (axes,) = shown(draw_front(explored(4, ("internal_memory_elements",))))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("internal memory (elements)", "groups of fused tasks")


def test_more_objectives_give_a_plane_for_each_pair_and_no_empty_place() -> None:
    figure = draw_front(explored(4, (*DEFAULT, "units")))
    panels = shown(figure)
    assert len(panels) == len(figure.axes)
    assert panels[0].get_gridspec().get_geometry() == (1, 3)
    assert [(axes.get_xlabel(), axes.get_ylabel()) for axes in panels] == [
        ("latency (cycles)", "internal memory (elements)"),
        ("latency (cycles)", "units in total (units)"),
        ("internal memory (elements)", "units in total (units)"),
    ]


@pytest.mark.parametrize(
    ("values", "whole", "logarithmic"),
    [([1, 7.9], False, False), ([1, 8], False, True), ([0, 1000], False, False), ([1, 100], True, False)],
)
def test_the_scale_follows_the_range(values: list[float], whole: bool, logarithmic: bool) -> None:
    assert Axis("a", values, whole=whole).logarithmic is logarithmic


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (0.5, "0.5"), (999, "999"), (15000, "15k"), (2.5e6, "2.5M"), (3e9, "3G")]
)
def test_ticks(value: float, text: str) -> None:
    assert compact(value) == text


@pytest.mark.parametrize(
    ("front", "ends"),
    [
        ([(100, 80), (200, 40), (400, 20)], (math.inf, math.inf)),  # an octave for an octave
        ([(100, 80), (200, 40), (1600, 38)], (200, math.inf)),  # three octaves to save two data
        ([(100, 80), (200, 40), (900, 39), (5000, 38)], (200, math.inf)),
        ([(99, 700), (100, 80), (200, 40)], (math.inf, 80)),
        ([(100, 80), (150, 79), (200, 40)], (math.inf, math.inf)),  # less than an octave
        ([(100, 80), (1600, 0)], (math.inf, math.inf)),
        ([(100, 80)], (math.inf, math.inf)),
    ],
)
def test_extreme_ends_are_not_the_scale(front: list[tuple[float, float]], ends: tuple[float, float]) -> None:
    assert ends_of(front) == ends


def test_an_extreme_design_is_beyond_the_axes_and_told() -> None:
    found = explored(4)
    first, second = found.result.objectives
    last = found.result.pareto[-1]
    far = last.model_copy(
        update={"id": "far", "objectives": last.objectives | {first: last.objectives[first] * 100, second: 1}}
    )
    near = last.model_copy(update={"objectives": last.objectives | {second: 2}})
    result = found.result.model_copy(update={"pareto": (near, far)})
    points = replace(found.plotted, points=((near.objectives[first], 2.0), (far.objectives[first], 1.0)), groups=(1, 1))
    figure = draw_front(replace(found, result=result, plotted=replace(points, names=((), ()))))
    (axes,) = shown(figure)
    assert axes.get_xlim()[1] < far.objectives[first]
    assert "far" not in {text.get_text() for text in axes.texts}
    caption = figure.get_supxlabel().replace("\n", " ")
    assert "1 extreme design of the front beyond the axes" in caption


def test_designs_at_one_point_share_a_name() -> None:
    x, y = Axis("x", [1, 1, 2]), Axis("y", [5, 5, 3])
    panel = Panel(x, y, [(1, 5, "2+1")], [("2+1", "1+2"), ("3",), ("1+1+1",)], staircase=True, roomy=True)
    assert names_of(panel) == [Name(1, 5, "2+1, 1+2, 3", True), Name(2, 3, "1+1+1", False)]
    assert spell(["a", "b", "c", "d"]) == "a, b and 2 more"


def test_the_staircase_passes_through_the_front() -> None:
    front = [(3, 1, "c"), (1, 9, "a"), (2, 4, "b"), (2, 4, "b2")]
    panel = Panel(Axis("x", [1]), Axis("y", [1]), front, [], staircase=True, roomy=True)
    assert panel.steps == [(1, 9), (2, 9), (2, 4), (3, 4), (3, 1)]


def mapped_result(
    cycles: list[dict[str, int]],
    bits: list[dict[str, int]],
    costs: dict[str, dict[str, float]] | None = None,
    energy: dict[str, float] | None = None,
) -> Result:
    """What a result shows to the breakdown: designs with these parts, and all with the same costs and energy."""
    energy_part = {"energy_pj": energy} if energy else {}
    designs = [
        SimpleNamespace(
            id=f"d{place}",
            breakdown={"cycles": one, "memory_bits": other, **energy_part},
            costs=costs or {},
            energy_pj=energy,
        )
        for place, (one, other) in enumerate(zip(cycles, bits, strict=True))
    ]
    facts = {"objectives": ("lut",)}
    space = SimpleNamespace(all_tasks=("a", "b"))
    said = {"estimate_text": lambda figure: "estimate, ecp5-6" if figure == "energy_nj" else ""}
    return cast("Result", SimpleNamespace(top="by_hand", pareto=designs, space=space, **facts, **said))


def test_a_breakdown_shows_shares_and_totals_and_names_what_can_be_seen() -> None:
    """The second design is a thousand times as slow as the first, and both bars are as long."""
    cycles = [{"loads": 10, "stores": 0, "a": 30, "b": 0}, {"loads": 30_000, "stores": 1, "a": 10_000, "b": 0}]
    figure = draw_breakdown(mapped_result(cycles, [{"buffer": 8, "fifo": 0, "state": 0}] * 2))
    left, right = figure.axes
    assert [round(bar.get_x() + bar.get_width(), 3) for bar in left.containers[-1]] == [1, 1]
    assert [text.get_text() for text in left.texts] == ["40 cycles", "40,001"]
    legends = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in (left, right)]
    assert legends == [["loads", "a"], ["buffer"]]
    figure.canvas.draw()
    places = boxes(figure, [*left.texts, *right.texts, *left.get_yticklabels(), *left.get_legend().get_texts()])
    assert not any(one.overlaps(other) for one, other in combinations(places, 2))


def test_a_breakdown_of_costs_by_processor_and_of_energy_by_part() -> None:
    """The objective before other costs; what is an estimate is called so."""
    costs = {"dsp": {"a": 2, "b": 0}, "lut": {"a": 96, "b": 300.5, LOCAL_MEMORIES: 48}}
    energy = {"operators": 1500.0, "external": 4500.0}
    figure = draw_breakdown(mapped_result([{"a": 1}] * 3, [{"buffer": 8}] * 3, costs, energy))
    _, _, of_energy, of_lut, of_dsp = figure.axes
    assert [text.get_text() for text in of_energy.texts] == ["6.0 nJ", "6.0", "6.0"]
    assert [text.get_text() for text in of_lut.texts] == ["444.5 lut", "444.5", "444.5"]
    assert [text.get_text() for text in of_dsp.texts] == ["2 dsp", "2", "2"]
    assert [round(bar.get_width(), 4) for bar in of_energy.containers[0]] == [0.25] * 3
    assert "(estimate, ecp5-6)" in of_energy.get_xlabel()
    assert "estimate" not in of_lut.get_xlabel()
    legends = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in (of_energy, of_lut, of_dsp)]
    assert legends == [["operators", "external"], ["a", "b", LOCAL_MEMORIES], ["a"]]
    figure.canvas.draw()
    texts = [one for axes in figure.axes for one in (*axes.texts, axes.xaxis.label, *axes.get_legend().get_texts())]
    assert not any(one.overlaps(other) for one, other in combinations(boxes(figure, texts), 2))


def test_a_front_alone_has_a_legend_of_the_front_alone() -> None:
    found = explored(4)
    names = [objective.name for objective in found.objectives]
    points = tuple(tuple(design.objectives[name] for name in names) for design in found.result.pareto)
    plotted = PlottedPoints(points, (1,) * len(points), ((),) * len(points), len(points))
    (legend,) = draw_front(replace(found, plotted=plotted)).legends
    assert [text.get_text() for text in legend.get_texts()] == ["Pareto front", "knee"]


def test_both_formats_are_whole_pictures(tmp_path: Path) -> None:
    save_front(explored(4), tmp_path / "a.png", tmp_path / "a.svg")
    with Image.open(tmp_path / "a.png") as picture:
        picture.verify()
        assert picture.size == (1440, 960)
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")


def test_thousands_of_points_are_pixels_in_the_svg() -> None:
    many = explored(2)
    points = tuple((float(place), float(place % 7)) for place in range(RASTER_FROM + 1))
    found = PlottedPoints(points, (1,) * len(points), ((),) * len(points), len(points), 0)
    (axes,) = shown(draw_front(Exploration(many.result, many.objectives, found)))
    assert axes.collections[0].get_rasterized()


def test_points_beyond_the_limit_are_left_out_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plotted_points, "DRAWN_AT_MOST", 5)
    found = explored(8)
    assert len(found.plotted.points) == 5
    assert 0 < found.plotted.left_out <= 123
    (legend,) = draw_front(found).legends
    assert legend.get_texts()[0].get_text() == f"design ({found.plotted.left_out} not drawn)"


def test_text_of_the_user_is_taken_as_it_is(tmp_path: Path) -> None:
    found = explored(2)
    odd = Exploration(
        found.result.model_copy(update={"platform": "folder/$x_$\u4f60.toml"}), found.objectives, found.plotted
    )
    save_front(odd, tmp_path / "a.svg")  # neither mathematics nor a warning about a missing letter
    assert "platform $x_$" in draw_front(odd).get_supxlabel()


def test_a_long_front_is_named_here_and_there() -> None:
    few = explored(2)
    points = tuple((float(place), 3000.0 - place) for place in range(3000))
    designs = tuple(
        few.result.pareto[0].model_copy(
            update={"id": f"d{place}", "objectives": dict(zip(DEFAULT, point, strict=True))}
        )
        for place, point in enumerate(points)
    )
    found = PlottedPoints(points, (1,) * 3000, ((),) * 3000, 3000, 0)
    figure = draw_front(Exploration(few.result.model_copy(update={"pareto": designs}), few.objectives, found))
    numbers = sorted(int(text.get_text()[1:]) for text in written(shown(figure)[0]))
    assert len(numbers) > 5
    assert numbers[0] < 1000
    assert numbers[-1] > 2000


@pytest.mark.parametrize("constraints", [("latency_cycles <= 3e5", "internal_memory_elements <= 100000"), ()])
def test_limits_are_lines_with_texts_that_cover_no_name(constraints: tuple[str, ...]) -> None:
    found = explored(8)
    capacities = {"latency_cycles": 200_000} if not constraints else {}
    device = DeviceRecord(name="LFE5U-45F", capacities=capacities, exceeding=0, designs=1)
    result = found.result.model_copy(update={"constraints": constraints, "device": device})
    with_words = {"latency_cycles": "cycles"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fronts, "NAMES", with_words)
        figure = draw_front(replace(found, result=result))
    (axes,) = shown(figure)
    expected = ["LFE5U-45F: 200,000 cycles"]
    if constraints:
        expected = ["latency ≤ 300,000", "internal memory ≤ 100,000"]
    texts = [text.get_text() for text in written(axes)]
    assert [text for text in texts if text in expected] == expected
    places = boxes(figure, written(axes))
    assert not any(one.overlaps(other) for one, other in combinations(places, 2))
    frame = axes.get_window_extent()
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 and box.y1 <= frame.y1 for box in places)
    at = {float(number) for line in axes.lines for number in (*line.get_xdata(), *line.get_ydata())}
    assert {300_000.0, 100_000.0} <= at if constraints else 200_000.0 in at


def test_a_far_limit_is_not_drawn() -> None:
    found = explored(8)
    result = found.result.model_copy(update={"constraints": ("latency_cycles <= 1e15",)})
    assert "latency ≤" not in " ".join(
        text.get_text() for text in written(shown(draw_front(replace(found, result=result)))[0])
    )


def test_the_knee_has_a_ring_around_it() -> None:
    found = explored(8)
    (axes,) = shown(draw_front(found))
    (ring,) = (one for one in axes.collections if not len(one.get_facecolor()))
    knee = knee_of(found.result)
    assert knee.is_knee
    assert ring.get_offsets().tolist() == [[knee.design.objectives[name] for name in DEFAULT]]


@pytest.mark.parametrize("length", [1, 4])
def test_title_and_caption_stay_on_the_page(length: int) -> None:
    found = explored(length)
    labelled = found.result.model_copy(
        update={"top": "a_task_with_quite_a_long_name_indeed", "platform": "p" * 60 + ".toml", "infeasible": 1_234_567}
    )
    figure = draw_front(replace(found, result=labelled))
    page = figure.bbox
    legend = figure.legends[0].get_window_extent()
    for text in figure.texts:
        extent = text.get_window_extent(figure.canvas.get_renderer())
        assert page.x0 <= extent.x0 < extent.x1 <= page.x1
        assert page.y0 <= extent.y0 < extent.y1 <= page.y1
        assert not extent.overlaps(legend)
