"""Plain links: the tiler that is left out, and the arrays for which there is none."""

from __future__ import annotations

from itertools import product

from hypothesis import event, given
from hypothesis import strategies as st

from arrayol.checks.check import check_source
from arrayol.ir.spec import RepetitiveTask, Shape
from arrayol.language.emitter import spec_text
from arrayol.language.loader import Loaded, load_source
from arrayol.language.syntax.diagnose import shown_shape
from arrayol.language.syntax.parser import parse
from arrayol.language.syntax.printer import print_file
from arrayol.polyhedral.accesses import Access
from arrayol.source import SourceFile

SPACES = st.lists(st.integers(1, 4), min_size=1, max_size=2).map(tuple)
PATTERNS = st.lists(st.integers(1, 4), max_size=2).map(tuple)


def read_plainly(array: Shape, space: Shape, pattern: Shape) -> Loaded:
    """A task `t` whose instances read `x`, of shape `array`, by a plain link."""
    text = (
        f"elementary e(x: u8{shown_shape(pattern)}) -> (y: u8)\n"
        f"task t(x: u8{shown_shape(array)}) -> (y: u8{shown_shape(space)}) {{\n"
        f"  repeat {shown_shape(space)} of e {{ x <- x  y -> y }}\n}}\n"
    )
    return load_source(SourceFile("plain.aol", text))


@given(SPACES, PATTERNS, st.booleans())
def test_an_instance_has_the_whole_array_or_the_pattern_at_its_index(
    space: tuple[int, ...], pattern: tuple[int, ...], whole: bool
) -> None:
    array = pattern if whole else (*space, *pattern)
    task = read_plainly(array, space, pattern).spec.components["t"]
    assert isinstance(task, RepetitiveTask)
    reads = Access(task.input_links[0].tiler, space, pattern, array)
    writes = Access(task.output_links[0].tiler, space, (), space)
    for repetition in product(*map(range, space)):
        assert writes.element(repetition, ()) == repetition
        for index in product(*map(range, pattern)):
            assert reads.element(repetition, index) == (index if whole else (*repetition, *index))


@given(SPACES, PATTERNS, SPACES)
def test_any_other_array_has_none(space: tuple[int, ...], pattern: tuple[int, ...], array: tuple[int, ...]) -> None:
    found = [mistake.code for mistake in read_plainly(array, space, pattern).diagnostics]
    event(f"refused: {bool(found)}")
    assert found == ([] if array in (pattern, (*space, *pattern)) else ["no-plain-link"])


def test_streams_have_plain_links() -> None:
    task = read_plainly((None, 4), (None,), (4,)).spec.components["t"]
    assert isinstance(task, RepetitiveTask)
    assert (task.input_links[0].tiler.paving, task.input_links[0].tiler.fitting) == (((1,), (0,)), ((0,), (1,)))


def test_where_the_space_is_a_mistake_nothing_is_said_of_plain_links() -> None:
    text = "elementary e(x: u8) -> (y: u8)\ntask t(x: u8[4]) -> (y: u8[4]) {\n  repeat [W] of e { x <- x  y -> y }\n}\n"
    assert [mistake.code for mistake in load_source(SourceFile("space.aol", text)).diagnostics] == ["unknown-name"]


def test_the_whole_array_is_not_written_by_every_instance() -> None:
    text = (
        "elementary e(x: u8) -> (y: u8[4])\ntask t(x: u8[3]) -> (y: u8[4]) {\n  repeat [3] of e { x <- x  y -> y }\n}\n"
    )
    assert [mistake.code for mistake in check_source(SourceFile("whole.aol", text)).diagnostics] == ["written-twice"]


def test_fmt_leaves_them_plain_and_steps_print_their_tilers() -> None:
    loaded = read_plainly((4,), (4,), ())
    printed = print_file(
        parse(SourceFile("plain.aol", "task t(x: u8[4]) -> (y: u8[4]) { repeat [4] of e {x<-x y->y} }"))
    )
    assert printed.splitlines()[2:4] == ["    x <- x", "    y -> y"]
    assert "    x <- x at origin [0]  paving [1]  fitting []\n" in spec_text(loaded.spec)
