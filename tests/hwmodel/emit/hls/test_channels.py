"""External memories of several channels in C++: a pointer for each, and the bits of `run` under sanitizers."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cpp_programs import is_right, needs_compiler, seen_of, write
from generated_designs import CHANNELS, try_many
from many_cases import full_count, new_seed
from port_designs import memory_of, mixed_design
from stream_designs import platform_at
from stream_networks import case_of

from hwmodel.emit.hls.compiler import PLAIN, run_build
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.streamed import Stream

pytestmark = needs_compiler

FEATURES = {"2 channels", "shared port", "several groups", "single buffer"}


def test_generated_designs() -> None:
    tally = try_many(CHANNELS, full_count(5), 3 + new_seed(), hls=True)
    assert tally.wrong == []
    assert {feature for feature, count in tally.features.items() if count} >= FEATURES, tally.features


@pytest.mark.parametrize("together", [False, True])
def test_streams_and_blocks(tmp_path: Path, *, together: bool) -> None:
    """Two groups of blocks, and between them a stream; at the same time, with frames in copies of arrays."""
    case, kinds = case_of("unsharp", tmp_path, H=4, W=6), ((1, None), (3, Stream()), (1, None))
    platform = memory_of(platform_at(50), channels=3, word_bits=32, latency=5, outstanding=2)
    design = mixed_design(case, kinds, platform, together=together, streams=CPP_STREAMS)
    files = HlsFiles(case.spec, design)
    heads = re.findall(r"void (?:group\d|unsharp)\((.*)\);", files.files()["src/design.hpp"])
    assert len({pointer for head in heads for pointer in re.findall(r"memory\d", head)}) > 1
    seen = seen_of(files)
    assert is_right(seen, files.frames), seen


CHANGES = [
    ("src/top.cpp", r"group0\(memory0, memory1", "group0(memory1, memory0"),
    ("src/group0.cpp", r"port_(\w+)\(memory0, ", r"port_\1(memory1, "),
]


@pytest.mark.parametrize(("path", "before", "after"), CHANGES, ids=["pointers of a group", "the pointer of a port"])
def test_other_channels_are_seen(tmp_path: Path, path: str, before: str, after: str) -> None:
    """What takes another channel than its own has other data."""
    case = case_of("unsharp", tmp_path, H=4, W=6)
    platform = memory_of(platform_at(50), channels=2, word_bits=32, latency=5, outstanding=2)
    files = HlsFiles(case.spec, mixed_design(case, ((5, Stream()),), platform, streams=CPP_STREAMS))
    changed, count = re.subn(before, after, str(files.files()[path]))
    assert count
    with TemporaryDirectory() as scratch:
        write(files, Path(scratch))
        (Path(scratch) / path).write_text(changed, encoding="utf-8")
        assert not is_right(run_build(Path(scratch), PLAIN), files.frames)
