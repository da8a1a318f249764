"""STEP texts: what is understood, and what is said where a text is no step."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.transforms.collapse.collapse import Collapse
from arrayol.transforms.fuse import Fuse
from arrayol.transforms.inline import Inline
from arrayol.transforms.pave import Pave
from arrayol.transforms.rewrite import CallName
from arrayol.transforms.split.split import Split
from arrayol.transforms.steps import EXAMPLES, FORMS, Step, StepTextError, parse_step
from arrayol.transforms.tile import Tile

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
CALLS = st.builds(CallName, NAMES, st.none() | NAMES)
SIZES = st.lists(st.integers(1, 10**6), min_size=1, max_size=4).map(tuple)
STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(Fuse, CALLS, CALLS, st.none() | SIZES),
    st.builds(Pave, CALLS, SIZES),
    st.builds(Tile, CALLS, SIZES),
    st.builds(Collapse, CALLS),
    st.builds(Split, CALLS, NAMES, st.integers(1, 10**6)),
    st.builds(Inline, CALLS),
)


@given(STEPS)
def test_the_text_of_a_step_means_it(step: Step) -> None:
    assert parse_step(str(step)) == step


def test_forms_and_examples_are_of_the_same_steps() -> None:
    assert {parse_step(text).__class__.__name__.lower() for text in EXAMPLES.values()} == set(FORMS) == set(EXAMPLES)


def test_blanks_do_not_matter() -> None:
    assert parse_step("  tile   hflr  4 , 12 ") == Tile(CallName("hflr"), (4, 12))
    assert parse_step("fuse a@x b") == Fuse(CallName("a", "x"), CallName("b"))


FUSE = 'Its form is fuse PRODUCER CONSUMER [BLOCK], as in "fuse hflr vftd 4,12".'
PAVE = 'Its form is pave TASK FACTORS, as in "pave hflr 1,8".'
TILE = 'Its form is tile TASK SIZES, as in "tile hflr 4,12".'
COLLAPSE = 'Its form is collapse TASK, as in "collapse hflr".'
SPLIT = 'Its form is split TASK RANGE N, as in "split product k 16".'
SERIAL = 'Its form is serial TASK RESULT, as in "serial larger a".'
AGAIN = 'Its form is again PRODUCER CONSUMER, as in "again hflr vftd".'
INLINE = 'Its form is inline TASK, as in "inline camera".'
ALL = (
    'The steps are "fuse PRODUCER CONSUMER [BLOCK]", "pave TASK FACTORS", "tile TASK SIZES", "collapse TASK", '
    '"split TASK RANGE N", "serial TASK RESULT", "again PRODUCER CONSUMER", "inline TASK".'
)
LIST = "sizes as whole numbers with commas, as in 4,12"
MUCH = "1" + "0" * 20


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" ", f"A step is empty. {ALL}"),
        ("fuze a b", "There is no step 'fuze'. Did you mean 'fuse'?"),
        ("unroll a", f"There is no step 'unroll'. {ALL}"),
        ("fuse a", f"In 'fuse a': fuse takes two tasks and at most one list of sizes, not one word. {FUSE}"),
        ("fuse a b 1 2", f"In 'fuse a b 1 2': fuse takes two tasks and at most one list of sizes, not 4 words. {FUSE}"),
        ("pave a", f"In 'pave a': pave takes a task and a list of sizes, not one word. {PAVE}"),
        ("tile", f"In 'tile': tile takes a task and a list of sizes, not nothing. {TILE}"),
        ("tile a 0,2", f"In 'tile a 0,2': tile takes sizes of at least 1, not '0,2'. {TILE}"),
        ("tile a 4x2", f"In 'tile a 4x2': tile takes {LIST}, not '4x2'. {TILE}"),
        ("tile a -1", f"In 'tile a -1': tile takes {LIST}, not '-1'. {TILE}"),
        (f"tile a {MUCH}", f"In 'tile a {MUCH}': tile takes sizes of at most 19 digits. {TILE}"),
        ("collapse a b", f"In 'collapse a b': collapse takes one task, not 2 words. {COLLAPSE}"),
        ("inline a b", f"In 'inline a b': inline takes one task, not 2 words. {INLINE}"),
        ("split a k", f"In 'split a k': split takes a task, a range and a number, not 2 words. {SPLIT}"),
        ("split a 2 k", f"In 'split a 2 k': split names a range variable, not '2'. {SPLIT}"),
        ("split a k 2,3", f"In 'split a k 2,3': split takes one number of iterations, not '2,3'. {SPLIT}"),
        ("serial a", f"In 'serial a': serial takes a task and one of its results, not one word. {SERIAL}"),
        ("serial a 2", f"In 'serial a 2': serial names a result, not '2'. {SERIAL}"),
        ("again a b c", f"In 'again a b c': again takes two tasks, not 3 words. {AGAIN}"),
        ("collapse a@", f"In 'collapse a@': collapse names a task as TASK or TASK@RESULT, not 'a@'. {COLLAPSE}"),
    ],
)
def test_what_is_no_step(text: str, message: str) -> None:
    with pytest.raises(StepTextError) as failure:
        parse_step(text)
    assert str(failure.value) == message


HUGE = """elementary f(x: u8) -> (y: u8) {
  y = x
}
task t(a: u8[1000000000000000000]) -> (b: u8[1000000000000000000]) {
  repeat [1000000000000000000] of f {
    x <- a at origin [0] paving [1] fitting []
    y -> b at origin [0] paving [1] fitting []
  }
}
"""


@pytest.mark.parametrize(
    ("step", "hint"),
    [
        ("pave t 3", "the nearest that do: 2 or 4"),
        ("tile t 999999999", "the nearest that do: 976562500 or 1000000000"),
        ("pave t 9000000000000000000", "the nearest that do: 1000000000000000000"),
    ],
)
def test_the_nearest_sizes_of_a_huge_space_are_found_at_once(tmp_path: Path, step: str, hint: str) -> None:
    (tmp_path / "huge.aol").write_text(HUGE, encoding="utf-8")
    with pytest.raises(ArrayolError) as refusal:
        parse_step(step).apply(api.load(tmp_path / "huge.aol"))
    assert refusal.value.diagnostics[0].hint == hint
