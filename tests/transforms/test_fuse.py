"""Fusion by hand: macro-patterns, recomputation, states, opposite scans, and what stays beside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from proof import prove, transformed
from spec_data import loaded

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.spec import CompoundTask, RepetitiveTask, Spec
from arrayol.language.emitter import spec_text

SPECS = Path(__file__).resolve().parents[2] / "specs"
SMALL = {"H": 16, "W": 32}


@pytest.fixture(scope="module")
def lpsf() -> Spec:
    return api.load(SPECS / "lpsf.aol", SMALL)


def task(spec: Spec, name: str) -> RepetitiveTask:
    found = spec.components[name]
    assert isinstance(found, RepetitiveTask)
    return found


def refusal(spec: Spec, step: str) -> str:
    with pytest.raises(ArrayolError) as failure:
        transformed(spec, step)
    (found,) = failure.value.diagnostics
    assert found.code == "step-refused"
    return f"{found.message} ({found.hint})"


@pytest.mark.parametrize(("block", "factor"), [(1, "1.556"), (2, "1.278"), (4, "1.139"), (8, "1.069")])
def test_wrapping_windows_recompute_what_they_share(block: int, factor: str) -> None:
    """1080 lines, 120 windows of 14 at step 9: a block of b windows needs 9 b + 5 lines."""
    spec = loaded(
        "elementary line(a: u8) -> (b: u8) { b = a }\n"
        "elementary window(x: u8[14]) -> (y: u8) { y = x[0] + x[13] }\n"
        "task lines(a: u8[1080]) -> (b: u8[1080]) { repeat [1080] of line {\n"
        "  a <- a at origin [0] paving [1] fitting []  b -> b at origin [0] paving [1] fitting [] } }\n"
        "task windows(b: u8[1080]) -> (c: u8[120]) { repeat [120] of window {\n"
        "  x <- b at origin [0] paving [9] fitting [1] wrap  y -> c at origin [0] paving [1] fitting [] } }\n"
        "task top(a: u8[1080]) -> (c: u8[120]) { b = lines(a)  c = windows(b) }\n"
    )
    found = transformed(spec, f"fuse lines windows {block}")
    runs = (9 * block + 5) * 120 // block
    assert found.remarks == (f"'lines' runs {runs:,} times instead of 1,080: recomputation {factor}",)
    assert task(found.spec, "lines_block").repetition == (9 * block + 5,)
    prove(spec, found)


def test_the_smallest_block_has_whole_repetitions_of_the_producer(lpsf: Spec) -> None:
    found = transformed(lpsf, "fuse hflr vftd")
    fused = task(found.spec, "hflr_vftd")
    assert fused.repetition == (8, 4)
    assert sorted(delay.vector for delay in fused.delays) == [(0, 1), (1, 0)]
    assert found.remarks[0] == "a block is 4,1 repetitions of 'vftd'"
    prove(lpsf, found, "lpsf")


def test_a_block_of_one_repetition() -> None:
    spec = loaded(
        "elementary inc(x: u8[2]) -> (y: u8) { y = u8(x[0] + x[1]) }\n"
        "task once(a: u8[8]) -> (b: u8[4]) { repeat [4] of inc { "
        "x <- a at origin [0] paving [2] fitting [1]\n y -> b } }\n"
        "task again(b: u8[4]) -> (c: u8[2]) { repeat [2] of inc { "
        "x <- b at origin [0] paving [2] fitting [1]\n y -> c } }\n"
        "task top(a: u8[8]) -> (c: u8[2]) { b = once(a)  c = again(b) }\n"
    )
    found = transformed(spec, "fuse once again")
    assert found.remarks[0] == "a block is 1 repetition of 'again'"
    prove(spec, found)


def test_all_four_filters_of_lpsf_in_either_order(lpsf: Spec) -> None:
    forwards = ["fuse hflr vftd", "fuse hflr_vftd hfrl", "fuse hflr_vftd_hfrl vfbu"]
    backwards = ["fuse hfrl vfbu 4,2", "fuse vftd hfrl_vfbu", "fuse hflr vftd_hfrl_vfbu"]
    for steps in (forwards, backwards):
        prove(lpsf, transformed(lpsf, *steps), "lpsf")


def test_opposite_scans_take_the_axis_whole(lpsf: Spec) -> None:
    found = transformed(lpsf, "fuse hflr vftd", "fuse hflr_vftd hfrl")
    assert task(found.spec, "hflr_vftd_hfrl").repetition == (4, 1)
    (said,) = (remark for remark in found.remarks if "scan against each other" in remark)
    assert "dimension 1 of 'hfrl' is taken whole" in said
    assert "repetition [0, 1] of 'hfrl' in block [0, 1] needs [0, 0] in block [0, 0]" in said


def test_a_given_block_that_is_too_small_for_opposite_scans_grows_too(lpsf: Spec) -> None:
    found = transformed(lpsf, "fuse hflr vftd", "fuse hflr_vftd hfrl 4,2")
    assert task(found.spec, "hflr_vftd_hfrl").repetition == (4, 1)


def test_blocks_that_begin_inside_a_repetition_are_refused(lpsf: Spec) -> None:
    said = refusal(lpsf, "fuse hflr vftd 2,2")
    assert "repetitions [0, 0] and [2, 0] of 'vftd', with which two blocks begin" in said
    assert "the nearest blocks that serve: 4,2 or 4,1" in said


def test_what_others_read_is_given_where_it_is_written_once() -> None:
    spec = api.load(SPECS / "harris.aol", {"H": 8, "W": 8})
    found = transformed(spec, "fuse gradients product@pxy")
    fused = task(found.spec, "gradients_product")
    assert [port.name for port in fused.outputs] == ["across", "down", "pxy"]
    assert "gradients" not in found.spec.components
    prove(spec, found, "harris")


def test_what_others_read_keeps_the_producer_where_it_is_recomputed() -> None:
    spec = api.load(SPECS / "harris.aol", {"H": 8, "W": 8})
    found = transformed(spec, "fuse product@pxx boxsum@sxx", "fuse gradients product_boxsum 2,2")
    top = found.spec.components["harris"]
    assert isinstance(top, CompoundTask)
    assert [call.callee for call in top.calls if call.callee == "gradients"] == ["gradients"]
    assert any("stays beside" in remark for remark in found.remarks)
    assert [maps.path[0] for maps in found.trace.tasks["gradients"]] == ["gradients", "gradients_product_boxsum"]
    prove(spec, found, "harris")


def test_a_consumer_that_also_waits_through_another_call_leaves_the_producer() -> None:
    """Fused alone, the block would need what it gives itself to the call between."""
    text = (
        "elementary one(a: u8) -> (b: u8) { b = a + 1 }\n"
        "elementary two(a: u8, c: u8) -> (b: u8) { b = a + c }\n"
        "task p(a: u8[6]) -> (b: u8[6]) { repeat [6] of one {\n"
        "  a <- a at origin [0] paving [1] fitting []  b -> b at origin [0] paving [1] fitting [] } }\n"
        "task q(a: u8[6]) -> (b: u8[6]) { repeat [6] of one {\n"
        "  a <- a at origin [5] paving [-1] fitting []  b -> b at origin [0] paving [1] fitting [] } }\n"
        "task r(a: u8[6], c: u8[6]) -> (b: u8[6]) { repeat [6] of two { a <- a at origin [0] paving [1] fitting []\n"
        "  c <- c at origin [0] paving [1] fitting []  b -> b at origin [0] paving [1] fitting [] } }\n"
        "task top(x: u8[6]) -> (z: u8[6]) { m = p(x)  n = q(m)  z = r(m, n) }\n"
    )
    spec = loaded(text)
    found = transformed(spec, "fuse p r")
    top = found.spec.components["top"]
    assert isinstance(top, CompoundTask)
    assert [call.callee for call in top.calls] == ["p", "q", "p_r"]
    prove(spec, found)


def test_a_block_of_one_of_each_calls_the_elementaries(lpsf: Spec) -> None:
    spec = api.load(SPECS / "flow.aol", {"H": 4, "W": 6})
    found = transformed(
        spec, "fuse average@mv update", "fuse average@mu average_update", "fuse gradients average_average_update"
    )
    body = found.spec.components["gradients_average_average_update_body"]
    assert isinstance(body, CompoundTask)
    assert [call.callee for call in body.calls] == ["differences", "mean", "mean", "correct"]
    prove(spec, found, "flow")


def test_an_infinite_video_is_fused_frame_by_frame() -> None:
    spec = api.load(SPECS / "downscaler.aol", {"H": 18, "W": 16})
    video = np.random.default_rng(3).integers(0, 256, (3, 18, 16), np.uint8)
    expected = api.run(spec, {"video": video})["small"]
    found = api.run(transformed(spec, "fuse hfilter vfilter 1,1,3").spec, {"video": video})["small"]
    assert np.array_equal(expected, found)


def test_scattered_writes_are_fused_whole_only() -> None:
    text = (
        "elementary copy(a: u8) -> (b: u8) { b = a }\n"
        "task scatter(src: u8[9]) -> (dst: u8[9]) { repeat [3, 3] of copy {\n"
        "  a <- src at origin [0] paving [3, 1] fitting []  b -> dst at origin [0] paving [2, 3] fitting [] wrap } }\n"
        "task plain(src: u8[9]) -> (dst: u8[9]) { repeat [9] of copy {\n"
        "  a <- src at origin [0] paving [1] fitting []  b -> dst at origin [0] paving [1] fitting [] } }\n"
        "task top(x: u8[9]) -> (z: u8[9]) { y = scatter(x)  z = plain(y) }\n"
    )
    spec = loaded(text)
    assert "a block's part of 'y' is no array" in refusal(spec, "fuse scatter plain 3")
    found = transformed(spec, "fuse scatter plain")
    assert task(found.spec, "scatter_plain").repetition == (1,)
    prove(spec, found)


def test_a_border_that_fused_repetitions_no_longer_reach_is_left_out() -> None:
    """The last repetition of `pairs` reads beyond the end; nothing reads what it gives, so no block has it."""
    spec = loaded(
        "elementary pair(a: u8[2]) -> (b: u8) { b = a[0] + 2 * a[1] }\nelementary copy(a: u8) -> (b: u8) { b = a }\n"
        "task pairs(x: u8[4]) -> (y: u8[4]) {\n"
        "  repeat [4] of pair { a <- x at origin [0] paving [1] fitting [1] else 2  b -> y }\n}\n"
        "task some(y: u8[4]) -> (z: u8[3]) {\n"
        "  repeat [3] of copy { a <- y at origin [0] paving [1] fitting []  b -> z }\n}\n"
        "task top(x: u8[4]) -> (z: u8[3]) {\n  y = pairs(x)\n  z = some(y)\n}\n"
    )
    result = transformed(spec, "fuse pairs some 1")
    assert " else " not in spec_text(result.spec)
    prove(spec, result)
