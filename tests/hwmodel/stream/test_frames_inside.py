"""Frames inside of a streaming group: windows over frames and delays by frames, word by word over several frames."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from many_cases import case_count
from strategies_frames_inside import FRAMES, DrawnFrames, frames_inside
from stream_networks import OWN, Case, require_whole_run, segments_with_a_word_to_spare

from arrayol.errors import ArrayolError
from hwmodel.streamed import Stream

INSIDE, AXIS = Stream(frames="inside"), Stream(interface="axis", frames="inside")
VIDEO = """const H = 3
const W = 4
elementary same(x: u8) -> (y: u8) { y = x }
elementary sum(x: u8[2]) -> (y: u8) { y = x[0] ^ x[1] }
elementary fold(x: u8, before: u8) -> (y: u8) { y = x ^ before }
task video(v: u8[*, H, W], t: u8[H, W]) -> (o: u8[*, H, W]) {
  repeat [*, H, W] of ELEMENTARY {
    LINKS
    y -> o
  }
}
"""
IN_PLACE = "at origin [0, 0] paving [0, 1, 0; 0, 0, 1] fitting []"
PAVING = "[1, 0, 0; 0, 1, 0; 0, 0, 1]"


def case_of(text: str, frames: int = FRAMES) -> Case:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(text)
        return replace(Case.of(path), frames=frames)


def test_a_window_over_frames_keeps_a_frame() -> None:
    """Behind the memory port a frame has one line of blanking: its last store is two pulses late."""
    case = replace(Case.of(OWN / "temporal.aol"), frames=1)
    for stream, frame in ((AXIS, 1_536), (INSIDE, 1_536 + 48)):
        group, metrics = case.model.streamed(stream), case.model.metrics(stream)
        starts = {name: node.firing.start for name, node in group.nodes.items() if node.kind != "store"}
        assert starts == {"load v": 0, "blurred": 1, "means": frame + 2}
        assert (metrics.words, metrics.cycles, metrics.frame_cycles) == (1_538, frame + 1_539, frame)


def test_each_word_is_needed() -> None:
    case = replace(Case.of(OWN / "temporal.aol", H=5, W=6), frames=4)
    run = require_whole_run(case, AXIS)
    assert run.words == run.live == 2 + 5 * 6
    assert segments_with_a_word_to_spare(case, AXIS) == (3, [])


@settings(max_examples=case_count(10))
@given(frames_inside())
def test_drawn_groups_run_as_the_model_and_the_execution_say(drawn: DrawnFrames) -> None:
    case = case_of(drawn.text)
    try:
        case.model.metrics(drawn.stream)
    except ArrayolError as refused:
        assume(refused.diagnostics[0].code != "not-streamed")
        raise
    require_whole_run(case, drawn.stream)
    assert segments_with_a_word_to_spare(case, drawn.stream)[1] == []


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (
            f"same | x <- v at origin [0, 0, 0] paving {PAVING.replace('[1', '[2')} fitting []",
            "'video' does not pass 'v' frame by frame",
        ),
        (
            "same | x <- t at origin [0, 0] paving [1, 1, 0; 0, 0, 1] fitting [] wrap",
            "'video' does not pass 't' frame by frame",
        ),
        (
            f"fold | x <- v\n    before <- y delay [1, 0, 0] else t {IN_PLACE}",
            "'video' reads what the first frames have in place of its results",
        ),
    ],
)
def test_what_is_refused(links: str, message: str) -> None:
    elementary, _, link = links.partition(" | ")
    text = VIDEO.replace("ELEMENTARY", elementary).replace("LINKS", link)
    text = text if "<- t" in link or "else t" in link else text.replace(", t: u8[H, W]", "")
    text = text if "<- v" in link else text.replace("v: u8[*, H, W], ", "")
    with pytest.raises(ArrayolError) as refused:
        case_of(text).model.metrics(INSIDE)
    assert [(own.code, own.message) for own in refused.value.diagnostics] == [("not-streamed", message)]
