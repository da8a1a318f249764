"""How the blocks of one last task cut others: loops that they share, and groups that share none."""

from __future__ import annotations

from fractions import Fraction

import pytest
from spec_data import loaded

from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from hwmodel.accesses import Accesses
from hwmodel.last_tasks import SharedLoop, following, last_tasks

FORK = """
elementary add(x: u8) -> (y: u8) {{
  y = x + 1
}}
elementary sum(x: u8[2]) -> (y: u8) {{
  y = x[0] + x[1]
}}
task first(x: u8[8, 12]) -> (y: u8[8, 12]) {{
  repeat [8, 12] of add {{
    x <- x
    y -> y
  }}
}}
task halved(x: u8[8, 12]) -> (y: u8[6, 8]) {{
  repeat [6, 8] of sum {{
    x <- x at origin [0, 0] paving {halved} fitting [0; 1]
    y -> y
  }}
}}
task copied(x: u8[8, 12]) -> (y: u8[{sides}]) {{
  repeat [{sides}] of add {{
    x <- x at origin [0, 0] paving {copied} fitting []
    y -> y
  }}
}}
task top(x: u8[8, 12]) -> (a: u8[6, 8], b: u8[{sides}]) {{
  y = first(x)
  a = halved(y)
  b = copied(y)
}}
"""
TURNED, STRAIGHT = "[0, 1; 2, 0]", "[1, 0; 0, 1]"


def fork(**texts: str) -> Accesses:
    choices = {"halved": TURNED, "copied": STRAIGHT, "sides": "8, 12"} | texts
    return Accesses(flatten(loaded(FORK.format(**choices)), "top"))


def test_each_shares_the_loops_of_the_task_that_leads() -> None:
    accesses = fork()
    tasks = tuple(accesses.network.processes)
    assert last_tasks(accesses.network, tasks) == ("halved", "copied")
    loops = SharedLoop(0, 1, Fraction(1)), SharedLoop(1, 0, Fraction(2))
    assert following(accesses, tasks) == {"halved": loops}


def test_a_task_that_leads_may_pass_more_than_the_others() -> None:
    accesses = fork(halved="[0, 1; 1, 0]", copied="[2, 0; 0, 3]", sides="4, 4")
    loops = SharedLoop(0, 1, Fraction(1, 2)), SharedLoop(1, 0, Fraction(1, 3))
    assert following(accesses, tuple(accesses.network.processes)) == {"halved": loops}


def test_one_last_task_is_followed_by_none() -> None:
    assert following(fork(), ("first", "halved")) == {}


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ({"halved": "[1, 0; 0, 0]", "copied": "[0; 1]", "sides": "12"}, "'halved' moves along no loop of 'copied', "),
        (
            {"halved": "[1, 0; 2, 0]", "copied": "[1, 0; 1, 0]", "sides": "6, 4"},
            "'copied' moves along 'y' at two paces, and no blocks serve both",
        ),
    ],
)
def test_loops_that_no_blocks_cut_are_refused(texts: dict[str, str], why: str) -> None:
    accesses = fork(**texts)
    with pytest.raises(ArrayolError) as caught:
        following(accesses, tuple(accesses.network.processes))
    assert caught.value.diagnostics[0].code == "several-last-tasks"
    assert why in str(caught.value)
