"""The cycle in which each datum passes the port: two rows of 17 bytes, in local words of up to 16 of one row."""

from __future__ import annotations

import numpy as np
import pytest

from arrayol.checks.check import load_checked
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.accesses import Accesses
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory, RowModel
from hwmodel.simulator.port import Port

ROWS = RowModel(row_bytes=64, banks=2, word_ns=64.0, row_change_ns=20.0, same_bank_activate_ns=0.0)  # a byte in 1 ns
MEMORIES = {
    "box": ExternalMemory(latency=5, data_per_word=16),
    "run": ExternalMemory(latency=5, data_per_word=16, burst="run"),
    "rows": ExternalMemory(rows=ROWS, data_per_word=16),
}
# The end of a row parts words 0 to 15, 16 to 31, 32 and 33 of runs, and the data of a box after 16 of each row.
PASSED = {
    "box": ([5] * 16 + [6] + [7] * 16 + [8], 9),
    "run": ([5] * 16 + [6] + [7] * 15 + [8] * 2, 9),
    "rows": ([2] * 16 + [3] + [4] * 16 + [5], 6),  # 2 cycles of 10 ns to open the row, and 34 bytes in less than 4
}


@pytest.mark.parametrize("kind", MEMORIES)
def test_local_words_follow_each_other(kind: str) -> None:
    spec = load_checked(shipped_folder() / "conv3x3.aol", {"H": 4, "W": 17})
    accesses = Accesses(flatten(spec, "conv3x3"), {})
    port = Port(accesses, Platform(technology="ecp5-6", clock_mhz=100.0, memory=MEMORIES[kind]))
    elements = np.arange(34)[::-1].copy()  # in any order
    port.expect("image", [elements], write=False)
    port.begin()
    cycles = port.serve("image", elements, write=False)
    assert (cycles[::-1].tolist(), port.now) == PASSED[kind]
