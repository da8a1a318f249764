"""When elements come and leave: as a schedule's arrivals and deadlines have it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from strategies_bodies import INTEGER_TYPES, elementaries, elementary_of

from hwmodel.datapath.derive import derivation_of
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.emit.verilog.datapaths.chunks import chunk_size, elements_of, leaving, output_cycle

ECP5 = load_technology("ecp5-6")


@given(st.integers(1, 40), st.integers(1, 40))
def test_every_element_leaves_once_in_the_cycle_before_a_fifo_has_it(elements: int, interval: int) -> None:
    groups = leaving(elements, interval)
    assert len(groups) == interval
    assert [element for group in groups for element in group] == list(range(elements))
    assert max(map(len, groups)) == chunk_size(elements, interval)
    for cycle, group in enumerate(groups):
        for element in group:
            assert cycle + 1 == -(-(element + 1) * interval // elements)


@given(elementaries(INTEGER_TYPES), st.integers(1, 6))
def test_elements_leave_when_the_schedule_writes_them(text: str, interval: int) -> None:
    derived = derivation_of(elementary_of(text), ECP5, 50).at(interval)
    dataflow = derived.priced.dataflow
    written = derived.folded.ends.written(dataflow, interval)
    for port, cycles in written.items():
        own = [output_cycle(derived, port, element) + 1 for element in range(elements_of(dataflow.graph, port))]
        assert own == cycles.tolist()
        assert all(end <= cycle for end, cycle in zip(derived.folded.ends.finished[port], own, strict=True))
