"""Kinds of memories: which have the ports that are asked for, and which of these is cheapest."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.datapath.technology.formulas import constant
from hwmodel.datapath.technology.rows import MemoryKind
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.local_memory.memory_kinds import Built, Kinds
from hwmodel.local_memory.offsets import Access, box_places
from hwmodel.local_memory.organisations import Terms, organise
from hwmodel.local_memory.port_plan import Ports, plan_ports
from hwmodel.platform_memories import LocalPrices

BLOCKS, LUT = LocalPrices(lut=1000), LocalPrices(block=100_000)  # the other kind is far too dear
FPGAS = ["ecp5-6", "series7"]
ONE_WORD = MemoryKind(name="far too dear", shapes=((1, 1),), ports=3, lut=constant(1e9))


def kinds(technology: str) -> Kinds:
    return Kinds(load_technology(technology).memory_kinds)


def bank(technology: str, shape: tuple[int, int], reads: int, writes: int, prices: LocalPrices) -> Built | None:
    """A bank of `shape`, words and bits of a word."""
    return kinds(technology).bank(*shape, prices, reads=reads, writes=writes)


@pytest.mark.parametrize("technology", FPGAS)
@pytest.mark.parametrize(
    ("reads", "writes", "blocks"), [(1, 1, 1), (1, 0, 1), (2, 0, 2), (2, 1, 2), (3, 0, None), (1, 2, None)]
)
def test_at_36_bits_a_block_reads_through_one_port(
    technology: str, reads: int, writes: int, blocks: int | None
) -> None:
    """Through both only 18 bits a block; one that is written and read twice is two."""
    built = bank(technology, (512, 32), reads, writes, BLOCKS)
    assert (built and built.blocks) == blocks


@given(
    st.sampled_from([*FPGAS, "asic45"]),
    st.tuples(st.integers(1, 5000), st.integers(1, 80)),
    st.sampled_from([(1, 1), (1, 0), (2, 0), (2, 1)]),
    st.integers(0, 10_000),
)
def test_depths_that_take_the_same_are_told_together(
    technology: str, shape: tuple[int, int], ports: tuple[int, int], block: int
) -> None:
    prices = LocalPrices(block=block)
    own = kinds(technology)
    each = dataclasses.replace(own, kinds=(*own.kinds, ONE_WORD))  # with a shape of one word nothing is rounded
    assert own.bank(*shape, prices, reads=ports[0], writes=ports[1]) == each.bank(
        *shape, prices, reads=ports[0], writes=ports[1]
    )


@pytest.mark.parametrize("technology", FPGAS)
def test_at_18_bits_a_block_reads_through_both_ports(technology: str) -> None:
    assert bank(technology, (1024, 18), 2, 0, BLOCKS) == bank(technology, (1024, 18), 1, 1, BLOCKS)


def test_memories_of_lut_that_read_at_the_address_of_writing() -> None:
    """Those of the 7 series do, those of the ECP5 do not; what is never written is logic there."""
    assert bank("series7", (64, 8), 2, 0, LUT) == Built("RAM64X1D", lut=16)
    two = bank("ecp5-6", (64, 8), 2, 0, LUT)
    assert two is not None
    assert two.kind == "DP16KD"
    assert bank("ecp5-6", (64, 8), 1, 1, LUT) == Built("DPR16X4", lut=48)
    assert bank("ecp5-6", (64, 8), 1, 0, LUT) == Built("LUT4", lut=32)


def test_a_memory_with_one_port_serves_only_what_is_never_written() -> None:
    assert [one and one.kind for one in (bank("asic45", (64, 8), 1, writes, LUT) for writes in (0, 1))] == [
        "SRAM",
        "SRAM with two ports",
    ]


@pytest.mark.parametrize(("units", "copies", "blocks"), [(1, 1, 1), (2, 1, 2), (3, 3, 3), (4, 2, 4)])
def test_a_rom_of_32_bits_by_its_reads(units: int, copies: int, blocks: int) -> None:
    """512 words, read at subscripts of data: one block for a read, in copies of two where they come in pairs."""
    table = plan_ports(Ports(1, (Access(box_places(((1,),), (512,)), (0,), units, random=1),)))
    one = organise(table, 32, 512, lambda _: 512, Terms(kinds("ecp5-6"), BLOCKS))
    assert (one.copies, one.built.blocks) == (copies, blocks)


def test_banks_that_are_read_twice_halve_the_copies() -> None:
    """Four places in a cycle of one bank: four copies, or two of twice the memories, which cost the same."""
    ports = plan_ports(Ports(1, (Access(box_places(((1,),), (64,)), (0,), 4, random=1),), (), (((0,),),)))
    ways = [
        organise(ports, 8, 4096, lambda _: 4096, Terms(kinds("ecp5-6"), BLOCKS, read_ports=each)) for each in (1, 2)
    ]
    assert [one.copies for one in ways] == [4, 2]
    assert [one.built.blocks for one in ways] == [8, 8]
