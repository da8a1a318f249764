"""Whether processes that a test started are gone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path


def wait_until_gone(pids: Sequence[int]) -> bool:
    """Waits up to a minute for all of them to end."""
    for _ in range(600):
        if not any(map(is_there, pids)):
            return True
        time.sleep(0.1)
    return False


def is_there(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return state.rsplit(")", 1)[1].split()[0] != "Z"
