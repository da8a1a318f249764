"""What cannot stream, and why: the exact messages."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from stream_designs import platform_at
from stream_networks import Case, case_of

from arrayol.errors import ArrayolError
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.stream.model import StreamModel
from hwmodel.streamed import Stream

HEAD = """const H = 8
const W = 12
elementary same(x: u8) -> (y: u8) { y = x }
elementary both(a: u8, b: u8) -> (y: u8) { y = a ^ b }
elementary fold(x: u8, before: u8) -> (y: u8) { y = x ^ before }
"""
JOINED_RATES = """task every(i: u8[H, W]) -> (a: u8[H, W]) {
  repeat [H, W] of same {
    x <- i
    y -> a
  }
}
task second(i: u8[H, W]) -> (b: u8[H / 2, W]) {
  repeat [H / 2, W] of same {
    x <- i at origin [0, 0] paving [2, 0; 0, 1] fitting []
    y -> b
  }
}
task join(a: u8[H, W], b: u8[H / 2, W]) -> (o: u8[H / 2, W]) {
  repeat [H / 2, W] of both {
    a <- a at origin [0, 0] paving [1, 0; 0, 1] fitting []
    b <- b
    y -> o
  }
}
task rates(i: u8[H, W]) -> (o: u8[H / 2, W]) {
  a = every(i)
  b = second(i)
  o = join(a, b)
}
"""


def one_task(name: str, space: str, link: str, *, elementary: str = "same", result: str = "u8[H, W]") -> str:
    return f"""task {name}(i: u8[H, W]) -> (o: {result}) {{
  repeat [{space}] of {elementary} {{
    {link}
    y -> o
  }}
}}
"""


def refusal(folder: Path, text: str, stream: Stream | None = None, **sizes: int) -> str:
    path = folder / "spec.aol"
    path.write_text(HEAD + text)
    return message_of(Case.of(path, **sizes), stream or Stream())


def message_of(case: Case, stream: Stream) -> str:
    with pytest.raises(ArrayolError) as caught:
        case.model.metrics(stream)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "not-streamed"
    return diagnostic.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (JOINED_RATES, "'i' reaches 'join' at 1 and at 1/2 of a row for each row: no common rate"),
        (
            one_task("back", "H, W", "x <- i at origin [0, W - 1] paving [1, 0; 0, -1] fitting []"),
            "'back' moves against the scan along axis 1 of 'i'",
        ),
        (
            one_task("skew", "H", "x <- i at origin [0, 0] paving [1; 1] fitting []", result="u8[H]"),
            "'skew' moves along two axes of 'i' with one dimension",
        ),
        (
            one_task("rows", "H, W", "x <- i\n    before <- y delay [0, -1] else 0", elementary="fold"),
            "'rows' needs the repetition after [0, -1]",
        ),
        (
            one_task("folded", "H, W", "x <- i at origin [0, 0] paving [0, 0; 0, 1] fitting []"),
            "place 0 of 'x' reads elements of 'i' out of order",
        ),
    ],
)
def test_messages(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path, text) == message


def test_transposed(tmp_path: Path) -> None:
    text = one_task("along", "H, H", "x <- i", result="u8[H, H]").replace("u8[H, W]", "u8[H, H]")
    text += (
        text.replace("along", "turned")
        .replace("i: ", "a: ")
        .replace("x <- i", "x <- a at origin [0, 0] paving [0, 1; 1, 0] fitting []")
    )
    text += "task top(i: u8[H, H]) -> (o: u8[H, H]) {\n  a = along(i)\n  o = turned(a)\n}\n"
    message = "'turned' walks the rows of 'a' in its inner loop, 'along' in its outer one: no scan serves both"
    assert refusal(tmp_path, text) == message


def test_a_state_within_a_pulse(tmp_path: Path) -> None:
    text = one_task("rows", "H, W", "x <- i\n    before <- y delay [0, 1] else 0", elementary="fold")
    assert refusal(tmp_path, text, Stream(pace=Fraction(1, 2))) == (
        "'rows' can take the state of [0, 1] after 1 cycle, but fires every pulse: a pace of 1 is the least"
    )


def test_pulses_that_no_interval_divides(tmp_path: Path) -> None:
    """A unit that takes a repetition every 2 cycles cannot go round in 3 pulses; one of 1 or 3 can."""
    case, stream = case_of("column", tmp_path, H=4, W=5), Stream(pace=Fraction(3))

    def model(*intervals: int) -> StreamModel:
        entry = ElementaryEntry(interval=intervals, latency=9)
        platform = platform_at(2).model_copy(update={"elementary": {"third": entry}})
        return StreamModel(case.accesses, tuple(case.network.processes), platform)

    with pytest.raises(ArrayolError, match=r"not-streamed.*fires every 3 pulses, which is no multiple of an interval"):
        model(2).metrics(stream)
    assert {node.firing.interval for node in model(2, 3).fired(stream).nodes.values()} == {1, 3}


@pytest.mark.parametrize(
    ("name", "sizes", "message"),
    [
        ("lpsf", {"H": 24, "W": 32}, "'hfrl' moves against the scan along axis 0 of 'p2'"),
        (
            "radar",
            {},
            (
                "'corner_turn' walks the rows of 'sharp' in its inner loop, 'compress' in its outer one: "
                "no scan serves both"
            ),
        ),
        ("matmul", {"M": 16, "N": 16, "K": 16, "S": 8}, "place 0 of 'b' reads elements of 'right' out of order"),
    ],
)
def test_shipped(tmp_path: Path, name: str, sizes: dict[str, Any], message: str) -> None:
    assert message_of(case_of(name, tmp_path, **sizes), Stream()) == message


@pytest.mark.parametrize("name", ["dct", "fir", "flow", "jacobi"])
def test_other_shipped_ones_stream(tmp_path: Path, name: str) -> None:
    metrics = case_of(name, tmp_path).model.metrics(Stream())
    assert metrics.words > 0
    assert metrics.cycles > metrics.frame_cycles - metrics.last_start


def test_a_scan_that_is_none(tmp_path: Path) -> None:
    assert message_of(case_of("two", tmp_path), Stream(scan=(0, 2))) == (
        "the scan [0, 2] does not name the loops 0 to 1, each once"
    )
