"""How often some work calls from one file of our packages into another."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import dse

PACKAGES = Path(dse.__file__).parents[1]


def calls_of(work: Callable[[], object]) -> int:
    """How often some work calls a function in another file of ours than the caller's."""
    folders, number = tuple(f"{PACKAGES / name}/" for name in ("arrayol", "dse", "hwmodel")), 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal number
        caller = frame.f_back
        if event == "call" and caller is not None and caller.f_code.co_filename != frame.f_code.co_filename:
            files = frame.f_code.co_filename, caller.f_code.co_filename
            number += all(file.startswith(folders) for file in files)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return number
