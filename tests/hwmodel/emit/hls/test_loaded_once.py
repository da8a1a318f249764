"""Arrays that are loaded once, in C++: groups in blocks and as streams, in turn and at the same time, share them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cpp_programs import is_right, needs_compiler, seen_of
from port_designs import ONCE, Kinds, memory_of, mixed_design, sharing_case
from stream_designs import platform_at

from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.streamed import Stream

pytestmark = needs_compiler

STREAM = Stream()


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("kinds", [((1, STREAM), (1, None), (1, None)), ((1, None), (2, STREAM)), ((1, STREAM),) * 3])
def test_groups_share_what_is_loaded_once(tmp_path: Path, kinds: Kinds, *, together: bool) -> None:
    case, platform = sharing_case(tmp_path), memory_of(platform_at(50), word_bits=32, channels=1 + together)
    design = mixed_design(case, kinds, platform, together=together, loads=ONCE, streams=CPP_STREAMS)
    files = HlsFiles(case.spec, design)
    assert is_right(seen_of(files), files.frames)
