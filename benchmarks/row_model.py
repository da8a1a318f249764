"""The row model of the external memory beside measured times of a DDR3-1333 module, in nanoseconds per 64 bytes.

    .venv/bin/python benchmarks/row_model.py

prints the table of docs/accuracy.md; `--platform P` prints what another platform's [memory.rows] gives.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hwmodel.external_memory import WORD_BYTES, Bursts, port_time
from hwmodel.platform import Platform, load_platform

LINES = 4096  # of 64 bytes per stream
MEASURED = {1: 51.7, 4: 14.1, 8: 10.1, 16: 8.1, 64: 6.6}  # three streams in one bank, by lines in a block
PLATFORM = Path(__file__).resolve().parents[1] / "specs" / "platforms" / "ddr3-1333.toml"


@dataclass(frozen=True)
class Point:
    """A way of access, and its time per 64 bytes as measured and by the model."""

    access: str
    measured_ns: float
    model_ns: float


def points(platform: Platform) -> list[Point]:
    """The reference points, with the model's times on a platform with rows and a clock.

    Both stand in docs/accuracy.md, "The row model of the external memory".
    """
    return [Point(access, measured, _ns_per_line(platform, bursts)) for access, measured, bursts in _accesses(platform)]


def _accesses(platform: Platform) -> Iterator[tuple[str, float, Bursts]]:
    rows = platform.memory.rows
    if rows is None:
        raise SystemExit("the platform has no [memory.rows]")
    same_bank = rows.row_bytes * rows.banks
    yield "one sequential stream", 6.1, _reads(np.zeros(1, np.int64), LINES)
    streams = np.arange(3) * same_bank * LINES  # all begin in bank 0 and leave each row together
    for lines, measured in MEASURED.items():
        blocks = np.arange(LINES // lines) * lines * WORD_BYTES
        plural = "" if lines == 1 else "s"
        yield (
            f"three streams, blocks of {lines} line{plural}",
            measured,
            _reads((blocks[:, None] + streams).ravel(), lines),
        )
    yield "a new row of the same bank each time", 51.8, _reads(np.arange(LINES) * same_bank, 1)


def _reads(address: np.ndarray, lines: int) -> Bursts:
    size = np.full(len(address), lines * WORD_BYTES)
    return Bursts(address, size, size // 4, np.zeros(len(address), np.bool_))


def _ns_per_line(platform: Platform, bursts: Bursts) -> float:
    nanoseconds = port_time(platform, bursts).cycles.sum() * 1000 / (platform.clock_mhz or 1)
    return float(nanoseconds / (bursts.size.sum() / WORD_BYTES))


def table(found: list[Point]) -> str:
    """The points as a table in Markdown."""
    lines = ["| access | measured ns | model ns | difference |", "|---|---|---|---|"]
    for point in found:
        difference = point.model_ns / point.measured_ns - 1
        lines.append(f"| {point.access} | {point.measured_ns:.1f} | {point.model_ns:.1f} | {difference:+.1%} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="the row model beside measured times")
    parser.add_argument("--platform", type=Path, default=PLATFORM, help="a platform's TOML file")
    sys.stdout.write(table(points(load_platform(parser.parse_args().platform))))
