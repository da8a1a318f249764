"""FIFOs as words of a bank: queues beside brute force, and what is wrong stops by its rule, in exact words."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_banks import Bench, fused

from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.simulator.schedule.fifos import Fifo
from hwmodel.simulator.schedule.plan import SimulatorError


def fifo(written: Sequence[tuple[int, int]], read: Sequence[tuple[int, int]], capacity: int = 9) -> Fifo:
    """One datum for each instance of both ends: what, and in which cycle."""
    own = Fifo("a", capacity)
    for move, moved in ((own.write, written), (own.read, read)):
        data, cycles = (np.array([pair[at] for pair in moved], np.int64)[:, None] for at in (0, 1))
        move(data, cycles, np.arange(len(moved)))
    return own


def stopped(own: Fifo, wide: int = 1, depth: int = 9) -> str:
    with pytest.raises(SimulatorError) as caught:
        own.finish(wide, depth, lambda reader: f"reader {reader}")
    return f"{caught.value.rule}: {caught.value.diagnostics[0].message}"


def test_what_is_wrong_with_a_queue() -> None:
    in_order = [(0, 1), (1, 2), (2, 3)]
    assert stopped(fifo(in_order, [(0, 5), (1, 6)])) == "fifo-order: the FIFO of 'a' still holds 1 elements at the end"
    assert (
        stopped(fifo(in_order[:1], [(0, 5), (1, 6)]))
        == "read-before-write: reader 1 reads the FIFO of 'a' when it is empty"
    )
    assert (
        stopped(fifo(in_order, [(0, 5), (2, 6), (1, 7)]))
        == "fifo-order: the FIFO of 'a' gives another datum in cycle 6 than reader 1 expects"
    )
    assert (
        stopped(fifo(in_order, [(0, 2), (1, 2), (2, 9)]))
        == "read-before-write: reader 1 reads the FIFO of 'a' in cycle 2, before its datum is there"
    )
    assert (
        stopped(fifo(in_order, [(0, 5), (1, 6), (2, 7)], capacity=2))
        == "overflow: the FIFO of 'a' holds 3 elements and has 2 places"
    )


def test_a_bank_moves_a_word_in_a_cycle() -> None:
    together = fifo([(0, 1), (1, 1), (2, 2)], [(0, 5), (1, 6), (2, 7)])
    assert (
        stopped(together)
        == "port: more than 1 elements are written in cycle 1 of the FIFO of 'a', whose bank has words of so many"
    )
    at_once = fifo([(0, 1), (1, 2), (2, 3)], [(0, 5), (1, 5), (2, 5)])
    assert (
        stopped(at_once, wide=2)
        == "port: more than 2 elements are read in cycle 5 of the FIFO of 'a', whose bank has words of so many"
    )


def test_a_word_too_few_is_an_overwrite() -> None:
    own = fifo([(0, 1), (1, 2), (2, 3)], [(0, 4), (1, 5), (2, 6)])
    assert own.finish(1, 3, str) == 3
    assert (
        stopped(own, depth=2) == "overwrite: cycle 3 overwrites a word of the FIFO of 'a' that reader 0 has not read, "
        "at address 0 of its bank"
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=40), st.integers(1, 4))
def test_words_for_the_data_at_once_are_enough(moves: list[tuple[int, int]], wide: int) -> None:
    """In each cycle up to a word of data comes and goes: beside a machine of registers and a bank, cycle by cycle."""
    waiting, written, read, most = deque[int](), list[tuple[int, int]](), list[tuple[int, int]](), 0
    for cycle, (come, go) in enumerate([*moves, *[(0, wide)] * 160]):
        leaving = [waiting.popleft() for _ in range(min(go, wide, len(waiting)))]
        for _ in range(min(come, wide)):
            waiting.append(len(written))
            written.append((len(written), cycle))
        most = max(most, len(waiting) + len(leaving))
        read += [(datum, cycle) for datum in leaving]
    depth = -(-most // wide)
    assert fifo(written, read, capacity=most).finish(wide, max(1, depth), str) == most
    fewest = words_at_once(written, read, wide)
    assert fewest <= depth
    if fewest > 1:
        assert stopped(fifo(written, read, capacity=most), wide, fewest - 1).startswith("overwrite")


def words_at_once(written: Sequence[tuple[int, int]], read: Sequence[tuple[int, int]], wide: int) -> int:
    """The most whole words that wait in the bank in any cycle, the one that comes and the one that goes among them."""
    lives = [(written[at + wide - 1][1], read[at][1]) for at in range(0, len(written) - wide + 1, wide)]
    kept = [(made, taken) for made, taken in lives if taken > made]
    return max((sum(first <= cycle <= last for first, last in kept) for cycle, _ in kept), default=0)


def through_a_fifo(name: str, array: str, units: int) -> Bench:
    """All tasks of a specification in one group, one of its arrays through a FIFO."""
    bench = fused(name, units)
    (group,) = bench.design.groups
    processors = tuple(Processor(task, units) for task in group.tasks)
    shape = tuple(min(4, extent) for extent in bench.model.accesses.extents(group.tasks[-1]))
    return Bench(
        bench.model,
        Design((GroupDesign(processors, Blocks(shape, row_major(len(shape))), fifos=frozenset({array})),)),
    )


@pytest.mark.parametrize("units", [1, 2])
def test_a_fifo_of_a_shipped_design_needs_its_bank(units: int) -> None:
    """Lines of four make whole words: one less in width or depth stops the machine."""
    bench = through_a_fifo("conv3x3", "sums", units)
    (own,) = bench.local
    wide, depth = own.fifos["sums"]
    assert (wide, depth) == (units, 2)
    assert bench.stopped(0, own) is None
    shallow = bench.stopped(0, replace(own, fifos={"sums": (wide, depth - 1)}))
    assert shallow is not None
    assert shallow.rule == "overwrite"
    narrow = bench.stopped(0, replace(own, fifos={"sums": (wide - 1, depth)})) if wide > 1 else None
    assert wide == 1 or (narrow is not None and narrow.rule == "port")
