"""C++ that the tool writes, built by g++ and run."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hwmodel.emit.hls.compiler import RunSeen, run_build
from hwmodel.emit.hls.design import FRAMES, HlsFiles

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")


def write(files: HlsFiles, folder: Path) -> None:
    """Write all files of a design to a folder."""
    for name, text in files.files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(str(text), encoding="utf-8")


def seen_of(files: HlsFiles, build: str = "with sanitizers") -> RunSeen:
    """What a design's program prints."""
    with TemporaryDirectory() as scratch:
        write(files, Path(scratch))
        return run_build(Path(scratch), build)


def is_right(seen: RunSeen, frames: int = FRAMES) -> bool:
    """Whether all frames and streams are as they should be."""
    streams = all(own.fullest <= own.depth and not own.early and not own.left for own in seen.streams)
    return seen.wrong == (0,) * frames and streams
