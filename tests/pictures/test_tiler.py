"""What the pictures of tilers show: cells equal the tiler's formula, arrows its columns, marks the mistakes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from picture_specs import linked, spec_of, task_of
from strategies import NOWHERE, accesses

from arrayol.ir.borders import Border
from arrayol.ir.spec import Port
from arrayol.ir.types import ElementType
from arrayol.language.loader import load
from arrayol.pictures.tiler.tiler import Arrow, Panel, Touch, broken_axis, first_repetitions, panel_of, shown_axes
from arrayol.pictures.tiler.tiler_faults import Linked, TilerFault, find_faults, find_in_task, links_of
from arrayol.polyhedral.accesses import Access

ERRORS = Path(__file__).resolve().parent.parent / "errors"


def panel(link: Linked) -> Panel:
    return panel_of(link, 0, first_repetitions(link.repetition, (link,)), ())


def brute_force(shown: Panel, repetitions: list[tuple[int, ...]]) -> dict[tuple[int, int], Counter[Touch]]:
    """The cells by the definition: e(r, f) = o + P r + F f, modulo the shape where it wraps."""
    link, cells = shown.link, {}
    tiler = link.tiler
    for repetition in repetitions:
        for index in product(*map(range, shown.pattern)):
            plain = [
                tiler.origin[axis]
                + sum(p * r for p, r in zip(tiler.paving[axis], repetition, strict=True))
                + sum(f * i for f, i in zip(tiler.fitting[axis], index, strict=True))
                for axis in range(len(tiler.origin))
            ]
            element = [
                value % extent if tiler.wrap and extent is not None else value
                for value, extent in zip(plain, link.array.shape, strict=True)
            ]
            inside = all(
                value >= 0 and (extent is None or value < extent)
                for value, extent in zip(element, link.array.shape, strict=True)
            )
            hidden = [axis for axis in range(len(element)) if axis not in shown.axes]
            if inside and all(element[axis] == shown.slice[axis] for axis in hidden):
                row, column = (0 if axis is None else element[axis] for axis in shown.axes)
                moved = any(plain[axis] != element[axis] for axis in shown.axes if axis is not None)
                cells.setdefault((row, column), Counter())[Touch(repetition, index, moved)] += 1
    return cells


@given(accesses())
def test_coloured_cells_equal_the_formula(access: Access) -> None:
    port, array = (Port("x", ElementType.U8, shape, NOWHERE) for shape in (access.pattern, access.array))
    link = Linked(port, array, access.tiler, writes=False, repetition=access.repetition)
    shown = panel(link)
    repetitions = [one for one in first_repetitions(access.repetition, (link,)) if one not in shown.missing]
    event(f"wrap {access.tiler.wrap}, rank {len(access.array)}, beyond {bool(shown.beyond)}")
    assert {cell: Counter(found) for cell, found in shown.cells.items()} == brute_force(shown, repetitions)
    assert all(cell[0] in shown.rows.shown and cell[1] in shown.columns.shown for cell in shown.cells)
    assert all(cell[0] in shown.rows.shown and cell[1] in shown.columns.shown for cell in shown.beyond)
    within = any(shown.rows.inside(row) and shown.columns.inside(column) for row, column in shown.beyond)
    assert not within or (not shown.cells and not access.tiler.wrap)  # a slice outside the array


def test_elements_that_a_border_repeats_are_drawn_there_and_beyond_the_end() -> None:
    """Constants are drawn beyond the end alone."""
    for border, cells in ((Border("mirror"), [(0, 1), (0, 2)]), (Border("constant", 7), [])):
        link = linked((-2,), ((4,),), ((1,),), array=(8,), repetition=(2,), pattern=(4,))
        shown = panel(replace(link, tiler=replace(link.tiler, border=border)))
        assert sorted(cell for cell, found in shown.cells.items() if any(touch.wrapped for touch in found)) == cells
        assert sorted(shown.beyond) == [(0, -2), (0, -1)]


def test_wrapped_elements_are_drawn_where_they_come_back_and_where_they_left() -> None:
    shown = panel(linked((-1,), ((4,),), ((1,),), array=(8,), repetition=(2,), pattern=(4,), wrap=True))
    assert [cell for cell, found in shown.cells.items() if found[0].wrapped] == [(0, 7)]
    assert shown.beyond == {(0, -1): (Touch((0,), (0,), wrapped=True),)}
    assert shown.columns.shown == tuple(range(-1, 8))


def test_a_slice_outside_the_array_has_no_cell_in_it() -> None:
    paving, fitting = ((0, 0), (1, 0), (0, 1)), ((), (), ())
    shown = panel(linked((-1, 0, 0), paving, fitting, array=(4, 4, 4), repetition=(2, 2)))
    assert (shown.slice, shown.cells) == ((-1, 0, 0), {})
    assert set(shown.beyond) == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_arrows_are_the_columns_of_paving_and_fitting() -> None:
    paving, fitting = ((1, 0, 0), (2, 3, 0)), ((0,), (1,))
    shown = panel(linked((0, 5), paving, fitting, array=(9, 40), repetition=(2, 2, 7), pattern=(3,)))
    start = (0, 5)
    assert shown.arrows == (Arrow("r0", start, (1, 7)), Arrow("r1", start, (0, 8)), Arrow("f0", start, (0, 6)))
    assert shown.still == ("r2",)


def test_a_dimension_of_one_has_no_arrow() -> None:
    shown = panel(linked((0,), ((4, 8),), ((1,),), array=(8,), repetition=(2, 1), pattern=(1,)))
    assert [arrow.label for arrow in shown.arrows] == ["r0"]


@pytest.mark.parametrize(
    ("paving", "fitting", "pattern", "axes"),
    [
        (((1, 0), (0, 1), (0, 0)), ((0,), (0,), (1,)), (2,), (1, 2)),  # all alike: the last two
        (((9, 0), (0, 1), (0, 4)), ((0,), (0,), (1,)), (2,), (0, 2)),
        (((0, 0), (0, 1), (1, 0)), ((1,), (0,), (0,)), (3,), (0, 2)),
    ],
)
def test_the_slice_lies_along_the_axes_that_move_most(
    paving: tuple[tuple[int, ...], ...],
    fitting: tuple[tuple[int, ...], ...],
    pattern: tuple[int, ...],
    axes: tuple[int, int],
) -> None:
    link = linked((1, 2, 3), paving, fitting, array=(30, 30, 30), repetition=(3, 3), pattern=pattern)
    assert shown_axes(link.access) == axes
    assert panel(link).slice == (1, 2, 3)


def test_huge_spaces_show_a_window_around_the_first_repetitions() -> None:
    side = 10**9
    link = linked(
        (0, 0),
        ((1000, 0), (0, 1000)),
        ((1, 0), (0, 1)),
        array=(side, side),
        repetition=(10**6, 10**6),
        pattern=(1000, 1000),
    )
    shown = panel(link)
    assert shown.pattern == (6, 6)
    assert shown.columns.segments == ((0, 6), (999, 1006), (1999, 2006), (side - 1, side - 1))
    assert {touch.repetition for found in shown.cells.values() for touch in found} == set(product((0, 1), (0, 1, 2)))


def test_a_pattern_that_does_not_fit_is_cut() -> None:
    shown = panel(linked((0,), ((100,),), ((7,),), array=(10**6,), repetition=(4,), pattern=(24,)))
    assert 1 < shown.pattern[0] < 24
    assert len(shown.columns.shown) <= 40
    assert shown.cells


def test_few_colours_in_a_cell() -> None:
    everywhere = linked((0, 0), ((0, 0), (0, 0)), ((1,), (0,)), array=(3, 3), repetition=(5, 5), pattern=(3,))
    assert first_repetitions((5, 5), (everywhere,)) == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert len(first_repetitions((5, 5), ())) == 6
    assert first_repetitions((1, None), ()) == ((0, 0), (0, 1), (0, 2))
    assert first_repetitions((), ()) == ((),)
    assert len(first_repetitions((4, 4, 4, 4, 4), ())) == 8


def test_a_delays_default_is_drawn_only_where_the_delay_starts(tmp_path: Path) -> None:
    spec = spec_of(
        tmp_path,
        "elementary e(x: f32, p: f32) -> (y: f32, q: f32)\n"
        "task t(a: f32[4, 4]) -> (b: f32[4, 4]) { repeat [4, 4] of e {\n"
        "  x <- a at origin [0, 0] paving [1, 0; 0, 1] fitting []\n"
        "  p <- q delay [0, 1] else a at origin [0, 0] paving [1, 0; 0, 1] fitting []\n"
        "  y -> b at origin [0, 0] paving [1, 0; 0, 1] fitting [] } }\n",
    )
    links = links_of(spec, task_of(spec, "t"))
    shown = panel_of(links[1], 1, first_repetitions((4, 4), links), ())
    assert [link.delay for link in links] == [None, (0, 1), None]
    assert set(shown.cells) == {(0, 0), (1, 0)}
    assert shown.missing == ()


@given(st.integers(1, 200), st.sets(st.integers(-20, 220), max_size=6))
def test_a_broken_axis_is_in_order_and_keeps_what_is_wanted(extent: int, wanted: set[int]) -> None:
    axis = broken_axis(extent, wanted, whole=32)
    assert wanted <= set(axis.shown)
    assert {0, extent - 1} <= set(axis.shown)
    starts = [axis.start(index) for index in axis.shown]
    assert starts == sorted(starts)
    assert starts[0] == 0
    assert axis.length == len(axis.shown) + len(axis.segments) - 1
    missing = set(range(axis.shown[0], axis.shown[-1])) - set(axis.shown)
    for index in missing:
        before = max(one for one in axis.shown if one < index)
        assert axis.start(before) < axis.start(index) < axis.start(before) + 2
    assert extent > 32 or not missing & set(range(extent))


MARKED = {
    "out-of-bounds": (0, (0, 7), "outside the array", [(0, 5)]),
    "out-of-bounds-transposed": (0, (0, 20), "outside the array", [(5, 0)]),
    "out-of-bounds-default": (1, (3, 9), "outside the array", [(3, 0)]),
    "written-twice": (1, (0, 0), "written twice", [(0, 0), (0, 1)]),
    "written-twice-wrapped": (1, (0, 0), "written twice", [(0, 0), (0, 3)]),
    "not-covered": (1, (0, 5), "never written", [(0, 4)]),
}


@pytest.mark.parametrize("stem", MARKED)
def test_the_faulty_element_is_marked(stem: str) -> None:
    number, element, text, repetitions = MARKED[stem]
    spec = load(ERRORS / f"{stem}.aol").spec
    task = task_of(spec, "t")
    links = links_of(spec, task)
    (found,) = find_in_task(spec, task)["t"]
    (fault,) = find_faults(links, [found])
    assert (fault.element, fault.text, fault.links) == (element, text, (number,))
    assert [repetition for _, repetition in fault.repetitions] == repetitions
    assert str(list(element)) in found.message
    panels = [panel_of(link, at, first_repetitions(task.repetition, links), (fault,)) for at, link in enumerate(links)]
    assert [one.marks for one in panels] == [((element, text),) if at == number else () for at in range(len(links))]
    touched = {**panels[number].cells, **panels[number].beyond}
    assert (element in touched) == (text != "never written")
    assert set(repetitions) <= {touch.repetition for found in touched.values() for touch in found}


def test_a_clash_of_two_links_is_marked_in_both() -> None:
    spec = load(ERRORS / "written-twice-two-links.aol").spec
    task = task_of(spec, "t")
    (fault,) = find_faults(links_of(spec, task), find_in_task(spec, task)["t"])
    assert (fault.element, fault.links) == ((0, 0), (1, 2))


def test_a_far_mistake_is_in_the_window_and_the_slice_passes_through_it() -> None:
    link = linked(
        (0, 0, 0), ((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((), (), ()), array=(9, 1000, 1000), repetition=(9, 1000, 1000)
    )
    fault = TilerFault("not-covered", "never written", (7, 500, 999), ((0, (7, 500, 998)),), (0,))
    shown = panel_of(link, 0, first_repetitions(link.repetition, (link,)), (fault,))
    assert shown.slice == (7, 500, 999)
    assert shown.marks == (((500, 999), "never written"),)
    assert shown.cells == {(500, 998): (Touch((7, 500, 998), (), wrapped=False),)}
    assert shown.rows.segments == ((0, 2), (499, 501), (999, 999))
