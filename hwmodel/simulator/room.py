"""Memory that a simulation will take, predicted from the elements that tasks access, and the memory available."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path

from hwmodel.accesses import Accesses, Touch

try:
    import resource
except ModuleNotFoundError:  # as on Windows
    resource = None  # type: ignore[assignment]

BASE = 128 << 20  # bytes of the program with its libraries
EACH_PLACE = 72  # bytes of an element that is touched: measured with six tasks at 480 x 640, Verilog emitted
DEFAULT = 4 << 30  # bytes, where the system does not tell what is available
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def predicted_bytes(accesses: Accesses, by_data: Collection[tuple[str, str]]) -> int:
    """A prediction of the bytes for simulating a network: a constant for each element that a repetition accesses.

    Ports that are read at subscripts of data (`by_data`, as (process, port)) count once for all repetitions whose
    patterns begin at one position.
    """
    sides = (accesses.reads, accesses.writes)
    touches = (touch for side in sides for touches in side.values() for touch in touches)
    return BASE + EACH_PLACE * sum(_patterns(accesses, touch, by_data) * math.prod(touch.pattern) for touch in touches)


def _patterns(accesses: Accesses, touch: Touch, by_data: Collection[tuple[str, str]]) -> int:
    """The patterns of a tiler: with subscripts of data, only along axes that it moves along."""
    extents = accesses.extents(touch.process)
    if (touch.process, touch.port) not in by_data:
        return math.prod(extents)
    columns = zip(*touch.tiler.paving, strict=True) if touch.tiler.paving else ((),) * len(extents)
    return math.prod(extent for column, extent in zip(columns, extents, strict=True) if any(column))


def available_bytes() -> int:
    """The memory that this process may still take: of the machine, its control group, and its own limit."""
    return min([*_of_machine(), *_of_cgroup(), *_of_process()], default=DEFAULT)


def _of_process() -> list[int]:
    if resource is None:
        return []
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return [] if soft == resource.RLIM_INFINITY else [soft]


def _of_machine() -> list[int]:
    try:
        lines = _MEMINFO.read_text(encoding="utf-8").splitlines()
        return [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")]
    except (OSError, ValueError, IndexError):
        return []


def _of_cgroup() -> list[int]:
    try:
        most, used = (int((_CGROUP / name).read_text(encoding="utf-8")) for name in ("memory.max", "memory.current"))
    except (OSError, ValueError):  # no group, or one without a limit
        return []
    return [max(0, most - used)]
