"""Frames of an infinite dimension as PNG images, one file each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from arrayol.errors import error
from arrayol.ir.spec import Port

_NUMBER = re.compile(r"%(0[1-9])?d")


def is_pattern(path: Path) -> bool:
    """Whether a name stands for several images to read: it has *, ? or [ and is no file's own name."""
    return path.suffix.lower() == ".png" and any(sign in path.name for sign in "*?[") and not path.exists()


def is_numbered(path: Path) -> bool:
    """Whether a name stands for several images to write: it has one place for the number of a frame, as %04d."""
    return path.suffix.lower() == ".png" and len(_NUMBER.findall(path.name)) == 1


def matching(pattern: Path) -> list[Path]:
    """The files of a pattern, sorted by name. Raises ArrayolError (`cannot-read`) where there is none."""
    found = sorted(path for path in pattern.parent.glob(pattern.name) if not path.name.startswith("."))
    if not found:
        raise error("cannot-read", "no file has such a name", file=str(pattern))
    return found


def numbered(path: Path, count: int) -> list[Path]:
    """The files of a numbered name, for frames 0 to count - 1."""
    place = _NUMBER.search(path.name)
    assert place is not None
    before, after = path.name[: place.start()], path.name[place.end() :]
    return [path.with_name(f"{before}{place[0] % frame}{after}") for frame in range(count)]


def frame_axis(path: Path, port: Port, shown: str) -> int:
    """The infinite dimension of a port. Raises ArrayolError (`no-frames-here`) where it has none."""
    if None not in port.shape:
        message = f"several images are the frames of a dimension *, and port {shown} has none"
        raise error("no-frames-here", message, file=str(path), hint="name a single file")
    return port.shape.index(None)


def without_axis(shape: Sequence[int | None], axis: int) -> tuple[int | None, ...]:
    """A shape without one of its dimensions."""
    return (*shape[:axis], *shape[axis + 1 :])
