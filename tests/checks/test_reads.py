"""What of its inputs a task never reads: who gets the remark and who does not, with its exact words."""

from __future__ import annotations

import pytest

from arrayol.checks.check import check_source
from arrayol.errors import Severity
from arrayol.source import SourceFile

ONE = "elementary one(p: u8) -> (q: u8) { q = p }\n"


def remarks(text: str) -> list[str]:
    """All that `check` says of a text; only remarks."""
    checked = check_source(SourceFile("t.aol", text))
    assert all(found.severity is Severity.WARNING and found.code == "never-read" for found in checked.diagnostics)
    return [found.message for found in checked.diagnostics]


def task(inputs: str, links: str, *, repetition: str = "[8]", output: str = "y: u8[8]") -> str:
    """A task of `one`, whose port q goes to y."""
    return f"task t({inputs}) -> ({output}) {{ repeat {repetition} of one {{ {links} q -> y }} }}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            task("x: u8[6, 8]", "p <- x at origin [0, 0] paving [0; 1] fitting []"),
            "5 of 6 elements of 'x' are never read by 't': 40 of 48, the first is [1, 0]",
        ),
        (
            task("x: u8[9]", "p <- x at origin [0] paving [1] fitting []"),
            "1 of 9 elements of 'x' is never read by 't', the first is [8]",
        ),
        (
            task(
                "x: u8[*, 9]",
                "p <- x at origin [0, 0] paving [1, 0; 0, 1] fitting []",
                repetition="[*, 8]",
                output="y: u8[*, 8]",
            ),
            "1 of 9 elements of 'x' is never read by 't' of each frame",
        ),
        (  # a torus is no crop
            task("x: u8[2, 8]", "p <- x at origin [1, 0] paving [0; 1] fitting [] wrap"),
            "1 of 2 elements of 'x' is never read by 't': 8 of 16, the first is [0, 0]",
        ),
        (  # the default of a delay is read by the first two instances only
            task("x: u8[8]", "p <- q delay [2] else x at origin [0] paving [1] fitting []"),
            "3 of 4 elements of 'x' are never read by 't': 6 of 8, the first is [2]",
        ),
        (task("x: u8[2]", "p <- q delay [2] else x at origin [0] paving [1] fitting []"), None),
        (task("x: u8[10]", "p <- x at origin [1] paving [1] fitting []"), None),  # a crop
        (task("x: u8[2, 8]", "p <- x at origin [1, 0] paving [0; 1] fitting []"), None),  # a row by its number
        (task("x: u8[8]", "p <- x"), None),
        (task("x: u8[4]", "p <- x at origin [-2] paving [1] fitting [] else nearest"), None),
        (  # slices say so: the task that is called has no other elements
            task("x: u8[8]", "p <- x") + "\ntask top(x: u8[6, 16]) -> (y: u8[8]) { y = t(x[0, 0..16 : 2]) }",
            None,
        ),
        ("const C: u8[9] = [k for k in 0..9]\n" + task("", "p <- C at origin [0] paving [1] fitting []"), None),
    ],
)
def test_who_gets_the_remark(text: str, said: str | None) -> None:
    found = remarks(ONE + text)
    assert found == ([] if said is None else [said])


def test_several_links_count_together() -> None:
    two = "elementary two(a: u8, b: u8) -> (q: u8) { q = a + b }\n"
    links = "a <- x at origin [0] paving [2] fitting [] b <- x at origin [{}] paving [2] fitting []"
    text = "task t(x: u8[16]) -> (y: u8[8]) {{ repeat [8] of two {{ {} q -> y }} }}"
    assert remarks(two + text.format(links.format(1))) == []
    assert remarks(two + text.format(links.format(0))) == ["1 of 2 elements of 'x' is never read by 't': 8 of 16"]


def test_mistakes_are_said_first() -> None:
    """A tiler that leaves its array gets no remark beside that."""
    text = ONE + task("x: u8[6, 8]", "p <- x at origin [0, 4] paving [0; 1] fitting []")
    assert [found.code for found in check_source(SourceFile("t.aol", text)).diagnostics] == ["out-of-bounds"]
