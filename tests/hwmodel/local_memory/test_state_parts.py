"""A state in parts has each datum in its memory before it is read, whenever the next repetition of the chain begins."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hwmodel.local_memory.state_parts import data_together


@given(st.integers(1, 64), st.integers(1, 80), st.integers(0, 90))
def test_each_datum_is_there_before_it_is_read(data: int, interval: int, latency: int) -> None:
    together = data_together(data, interval, latency)
    chunk = -(-data // interval)
    written = [latency - -(element + 1) * interval // data - 1 for element in range(data)]
    in_time = all(written[element] < interval + element // chunk for element in range(data))
    if together is None:
        assert data == 1 or interval == 1 or not in_time or not _divisors(data, chunk)
        return
    assert in_time
    assert together == min(_divisors(data, chunk))
    for cycle in range(latency + interval):
        own = [element for element in range(data) if written[element] == cycle]
        assert len({element % together for element in own}) == len(own)


def _divisors(data: int, chunk: int) -> list[int]:
    """Those below the number of data, from a chunk on."""
    return [number for number in range(chunk, data) if data % number == 0]


def test_sums_of_256_bins_are_words_one_after_another() -> None:
    assert data_together(256, 256, 7) == 1
    assert data_together(256, 100, 7) == 4
    assert data_together(256, 100, 90) is None
