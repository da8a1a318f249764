"""The external memory's port: byte by byte against the model, and what each platform's table leads to."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_model import points, table
from strategies_memory import bursts, row_models

from hwmodel.external_memory import Bursts, joined, port_time, row_time
from hwmodel.platform import Platform, load_platform
from hwmodel.platform_memories import ExternalMemory, RowModel

ROOT = Path(__file__).resolve().parents[2]
DDR3 = load_platform(ROOT / "specs" / "platforms" / "ddr3-1333.toml")
BOARD = load_platform(ROOT / "specs" / "platforms" / "ddr2010.toml")


def plain(*pairs: tuple[int, int], write: bool = False) -> Bursts:
    """Reads (or writes) of 4-byte elements: address and bytes of each burst."""
    address, size = (np.array([pair[part] for pair in pairs], np.int64) for part in range(2))
    return Bursts(address, size, size // 4, np.full(len(pairs), write))


def byte_by_byte(rows: RowModel, clock_mhz: float, sequence: Bursts) -> tuple[list[int], list[int]]:
    """The same memory as a machine that moves single bytes and looks at its banks before each."""
    period = 1000 / Fraction(str(clock_mhz))
    open_row: dict[int, int] = {}
    opened_at: dict[int, Fraction] = {}
    edges, cycles, changes = 0, [], []
    local = np.broadcast_to(sequence.local, len(sequence)).tolist()
    for address, size, words in zip(sequence.address.tolist(), sequence.size.tolist(), local, strict=True):
        now, changed, moving = edges * period, 0, Fraction(0)
        for byte in range(address, address + size):
            row = byte // rows.row_bytes
            bank = row % rows.banks
            if open_row.get(bank) != row:
                if bank in opened_at:
                    ready = opened_at[bank] + Fraction(str(rows.same_bank_activate_ns))
                    at_edge = -(-ready // period) * period
                    now = max(now, at_edge if byte == address else ready)
                opened_at[bank], open_row[bank] = now, row
                now += Fraction(str(rows.row_change_ns))
                changed += 1
            now += Fraction(str(rows.word_ns)) / 64
            moving += Fraction(str(rows.word_ns)) / 64
        now += max(Fraction(0), words * period - moving)  # the memory inside takes a word in a cycle
        end = -(-now // period)
        cycles.append(int(end - edges))
        changes.append(changed)
        edges = int(end)
    return cycles, changes


@given(row_models(), st.sampled_from([33.3, 100, 666.667]), bursts())
def test_the_row_model_is_the_byte_by_byte_machine(rows: RowModel, clock_mhz: float, sequence: Bursts) -> None:
    found = row_time(rows, clock_mhz, sequence)
    assert found.row_changes is not None
    assert (found.cycles.tolist(), found.row_changes.tolist()) == byte_by_byte(rows, clock_mhz, sequence)


@given(bursts())
def test_times_that_no_int64_holds_stay_exact(sequence: Bursts) -> None:
    rows = RowModel(row_bytes=16, banks=2, word_ns=6.000000000001, row_change_ns=1e9, same_bank_activate_ns=1e9)
    found = row_time(rows, 133.33333333, sequence)
    assert found.cycles.tolist() == byte_by_byte(rows, 133.33333333, sequence)[0]


def test_one_row_streams_and_new_rows_of_one_bank_wait() -> None:
    row, bank_again = 2048, 2048 * 4
    found = port_time(BOARD, plain((0, 4), (4, 4), (row, 4), (0, 8), (bank_again, 4), (bank_again + 4, row)))
    assert found.cycles.tolist() == [8, 1, 8, 2, 8, 519]  # 512 words, 7 cycles more for the second row
    assert found.row_changes is not None
    assert found.row_changes.tolist() == [1, 0, 1, 0, 1, 1]


def test_without_rows_a_burst_pays_the_latency_and_its_words() -> None:
    sequence = plain((0, 4), (4, 20))
    assert port_time(_platform(data_per_word=4), sequence).cycles.tolist() == [31, 32]
    found = port_time(_platform(word_bits=64), sequence)
    assert found.cycles.tolist() == [31, 33]
    assert found.row_changes is None


def _platform(**memory: int) -> Platform:
    return Platform(memory=ExternalMemory(latency=30, **memory))


@given(bursts())
def test_separate_ports_keep_rows_of_their_own(sequence: Bursts) -> None:
    separate = BOARD.model_copy(update={"memory": BOARD.memory.model_copy(update={"port": "separate"})})
    found = port_time(separate, sequence)
    for side in (sequence.write, ~sequence.write):
        alone = port_time(BOARD, sequence.only(side))
        assert found.cycles[side].tolist() == alone.cycles.tolist()
        assert found.row_changes is not None
        assert alone.row_changes is not None
        assert found.row_changes[side].tolist() == alone.row_changes.tolist()


def test_sequences_join_and_none_is_none() -> None:
    both = joined([plain((0, 4)), plain((8, 4), write=True)])
    assert (both.address.tolist(), both.write.tolist(), len(both)) == ([0, 8], [False, True], 2)
    assert len(joined([])) == 0
    assert port_time(DDR3, joined([])).cycles.tolist() == []


def test_reference_points_are_met_within_15_percent_and_the_page_shows_them() -> None:
    found = points(DDR3)
    assert len(found) == 7
    for point in found:
        assert point.model_ns == pytest.approx(point.measured_ns, rel=0.15)
    assert table(found) in (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")


def test_the_paper_s_board_moves_a_word_in_1_cycle_in_a_row_and_in_8_across_rows() -> None:
    in_a_row = port_time(BOARD, plain((0, 2048))).cycles.sum() - 7
    across = port_time(BOARD, plain(*((row * 2048, 4) for row in range(100)))).cycles
    assert (in_a_row, set(across.tolist())) == (512, {8})
