"""Organisations: numbers worked out by hand on 7 series memories, and why each way is taken or refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from arrayol.errors import ArrayolError
from arrayol.ir.borders import Border
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues, box_depth, smallest_function
from hwmodel.local_memory.memory_kinds import Built, Kinds
from hwmodel.local_memory.offsets import Access, Edge, box_places, differences, run_places
from hwmodel.local_memory.organisations import (
    Organisation,
    Terms,
    organise,
    organise_fifo,
    organise_state,
)
from hwmodel.local_memory.port_plan import Ports, plan_ports
from hwmodel.platform_memories import LocalPrices

SERIES7 = load_technology("series7")
TERMS = Terms(Kinds(SERIES7.memory_kinds), LocalPrices())
K3 = box_places(((1, 0), (0, 1)), (3, 3))
IMAGE = (4, 1920)


def organised(ports: Ports, bits: int, shape: tuple[int, ...], terms: Terms = TERMS) -> Organisation:
    return organise(plan_ports(ports), bits, math.prod(shape), lambda function: box_depth(function, shape), terms)


def image(units: int, interval: int, word: int) -> Organisation:
    """Four rows of 1920 u8, read through windows of 3 x 3."""
    reader = Access(K3, (0, 1), units, interval, ordered=True)
    return organised(Ports(2, (reader,), (), run_places(word, IMAGE)), 8, IMAGE)


@pytest.mark.parametrize(
    ("asked", "way", "function", "depth", "built"),
    [
        ((1, 1, 16), "banks", Linear((1, 3), 16), 480, (0, 2048, 0)),
        ((4, 1, 16), "window", Linear((1, 3), 16), 480, (0, 2048, 144)),
        ((64, 1, 16), "window", Residues((3, 64)), 60, (0, 3072, 1584)),
        ((1, 9, 4), "banks", Residues((1, 4)), 1920, (4, 0, 0)),
        ((1, 1, 1), "window", Residues((3, 1)), 3840, (6, 0, 72)),
    ],
)
def test_rows_of_an_image(
    asked: tuple[int, int, int], way: str, function: BankFunction, depth: int, built: tuple[int, int, int]
) -> None:
    """Asked are units, interval and the data of a word; built are blocks, LUT and FF."""
    one = image(*asked)
    assert (one.way, one.function, one.depth, one.copies) == (way, function, depth, 1)
    assert (one.built.blocks, one.built.lut, one.built.ff) == built


def test_without_a_window_the_units_ask_for_more_banks() -> None:
    """What the window of 4 and of 64 units is compared with: 18 banks, 428 deep; 198 banks, 60 deep."""
    for units, function, depth, lut in ((4, Linear((6, 1), 18), 428, 2016), (64, Residues((3, 66)), 60, 3168)):
        reader = Access(K3, (0, 1), units)
        one = organised(Ports(2, (reader,), (), run_places(16, IMAGE)), 8, IMAGE)
        assert (one.way, one.function, one.depth, one.built.lut) == ("banks", function, depth, lut)


def test_a_kernel_is_in_registers() -> None:
    one = organised(Ports(2, (Access(K3, (0, 0)),), (), run_places(8, (3, 3))), 16, (3, 3))
    assert (one.way, one.built, one.bits) == ("registers", Built("registers", ff=144), 144)


@pytest.mark.parametrize(("units", "copies", "blocks"), [(1, 1, 2), (2, 1, 2), (8, 4, 8), (9, 5, 10)])
def test_a_rom_read_by_data_has_a_copy_for_each_two_units(units: int, copies: int, blocks: int) -> None:
    table = Ports(1, (Access(box_places(((1,),), (4096,)), (0,), units, random=1),))
    one = organised(table, 8, (4096,))
    assert (one.way, one.copies, one.depth, one.built.blocks) == ("copies", copies, 4096, blocks)
    assert one.bits == copies * 4096 * 8


@pytest.mark.parametrize(("interval", "banks", "blocks", "lut"), [(128, 4, 16, 0), (1, 128, 0, 8192)])
def test_a_long_pattern_costs_what_its_interval_asks(interval: int, banks: int, blocks: int, lut: int) -> None:
    reader = Access(box_places(((1,),), (128,)), (128,), 1, interval)
    one = organised(Ports(1, (reader,), (), run_places(4, (8192,))), 32, (8192,))
    assert (one.function, one.built.blocks, one.built.lut) == (Residues((banks,)), blocks, lut)


def test_columns_of_four_beside_words_of_four() -> None:
    reader = Access(box_places(((1,), (0,)), (4,)), (0, 1), 4)
    assert plan_ports(Ports(2, (reader,), (), run_places(4, (40, 80)))).function == Residues((4, 4))


def test_each_further_reader_is_one_more_copy() -> None:
    reader = Access(((0,),), (1,))
    alone = Ports(1, (reader,), (), run_places(1, (4096,)))
    two = replace(alone, stored=run_places(1, (4096,)))
    assert (organised(alone, 8, (4096,)).copies, organised(two, 8, (4096,)).copies) == (1, 2)
    both = organised(replace(alone, readers=(reader, reader), stored=two.stored), 8, (4096,))
    assert (both.copies, both.built.blocks, both.bits) == (3, 6, 3 * 8 * 4096)


def test_too_many_copies_are_refused_by_name() -> None:
    table = Ports(1, (Access(box_places(((1,),), (64,)), (0,), 40, random=1),), (), run_places(1, (64,)))
    with pytest.raises(ArrayolError) as refused:
        organised(table, 32, (64,))
    (found,) = refused.value.diagnostics
    assert found.code == "random-port"
    assert found.message == (
        "no memory of 'array' serves its ports: no banks: subscripts from data may meet in one; registers not "
        "considered: 2,048 bits exceed the limit of 512; copies not considered: 40 elements are read in a cycle, and "
        "the limit is 16 copies"
    )


@pytest.mark.parametrize(("most", "way"), [(8, None), (9, "banks"), (1024, "banks")])
def test_no_more_banks_than_are_allowed(most: int, way: str | None) -> None:
    """Nine places in a cycle are in nine banks, or in nine copies of as many banks as a word of 16 asks for."""
    reader = Access(K3, (0, 0), 1)
    plan = plan_ports(Ports(2, (reader,), (), run_places(min(most + 1, 9), IMAGE)), most=most)
    if way is None:
        with pytest.raises(ArrayolError, match="no function with up to 8 banks keeps them apart") as refused:
            organise(plan, 8, math.prod(IMAGE), lambda function: box_depth(function, IMAGE), TERMS)
        assert refused.value.diagnostics[0].code == "no-banks"
    else:
        one = organise(plan, 8, math.prod(IMAGE), lambda function: box_depth(function, IMAGE), TERMS)
        assert (one.way, one.banks) == (way, 9)


def test_where_only_wrapping_is_in_the_way_it_is_told() -> None:
    """Three in a row of 10 that wraps ask for five banks; four are allowed, which a word takes."""
    row = Access(box_places(((1,),), (3,)), (0,), edges=(Edge(10, (0, 9, 1)),))
    plan = plan_ports(Ports(1, (row,), (), (((0,), (1,), (2,), (3,)),)), most=4)
    terms = replace(TERMS, copies_most=1, register_bits=0)
    with pytest.raises(ArrayolError) as refused:
        organise(plan, 8, 10, lambda function: box_depth(function, (10,)), terms)
    assert refused.value.diagnostics[0].code == "wrap-banks"


def test_wrapped_rows_ask_for_banks_that_divide_them() -> None:
    """Three in a row that wraps: 9 indices may lie in 3 banks; 10 need 4 by a linear function, as residues do not."""
    row = box_places(((1,),), (3,))

    def wrapped(extent: int, at_most: int) -> BankFunction | None:
        edges = (Edge(extent, (0, extent - 1, 1)),)
        return smallest_function(differences((row,), edges), 3, at_most)

    assert wrapped(9, 3) == Residues((3,))
    assert wrapped(10, 3) is None
    assert wrapped(10, 8) == Residues((5,))
    assert smallest_function(differences((row,)), 3) == Residues((3,))


def test_a_border_that_leads_back_is_a_set_of_its_own() -> None:
    """Every second place, nearest: at the end 0, 1 and 3 are read, so that no two of 0 to 3 may share a bank."""
    dilated = box_places(((2,),), (3,))
    edges = (Edge(20, (-1, 17, 1), Border("nearest")),)
    assert smallest_function(differences((dilated,)), 3) == Residues((3,))
    free = smallest_function(differences((dilated,), edges), 3)
    assert free == Residues((5,))
    bent = differences((dilated,), edges)
    expected = set()
    for base in range(-1, 18):
        places = {min(max(base + place, 0), 19) for (place,) in dilated}
        expected |= {b - a for a in places for b in places if b > a}
    assert set(bent.ravel().tolist()) == expected


def test_powers_of_two() -> None:
    reader = Access(box_places(((1,),), (3,)), (3,))
    ports = Ports(1, (reader,), (), run_places(1, (90,)))
    assert plan_ports(ports).function == Residues((3,))
    assert plan_ports(ports, power_of_two=True).function == Residues((4,))


def test_a_window_is_refused_with_its_reason() -> None:
    still, unordered = Access(K3, (0, 0)), Access(K3, (0, 1))
    texts = [plan_ports(Ports(2, (one,), (), run_places(1, IMAGE))).refused for one in (still, unordered)]
    assert [(one.code, one.text) for (one,) in texts] == [
        ("window", "no window: it does not move along the line"),
        ("window", "no window: repetitions do not start in scan order"),
    ]
    apart = Access(K3, (0, 3), ordered=True)
    assert plan_ports(Ports(2, (apart,), (), run_places(1, IMAGE))).windows == (None,)


def test_a_window_whose_registers_are_of_unequal_length_is_full_after_the_longest() -> None:
    """A run of four and a place apart: 5 places, 2 new ones, and three rounds until the run is full."""
    reader = Access(((0, 0), (0, 1), (0, 2), (0, 3), (0, 10)), (0, 1), ordered=True)
    (window,) = plan_ports(Ports(2, (reader,), (), run_places(1, (1, 40)))).windows
    assert window is not None
    assert (len(window.fresh), window.registers, window.fill) == (2, 5, 3)


def test_fifos_are_as_wide_as_their_wider_end() -> None:
    fifo = organise_fifo(1000, 4, 8, TERMS)
    assert (fifo.depth, fifo.width, fifo.bits, fifo.built.lut) == (250, 32, 8000, 2 * 4 * 32)
    assert organise_fifo(3, 4, 8, TERMS).built == Built("registers", ff=32)


def test_states_have_a_bank_for_each_unit() -> None:
    state = organise_state(1080, 4, 32, TERMS)
    assert (state.banks, state.depth, state.bits, state.built.blocks) == (4, 270, 32 * 1080, 4)
    assert organise_state(3, 3, 32, TERMS).built == Built("registers", ff=96)


def test_the_reason_is_told() -> None:
    one = image(4, 1, 16)
    assert one.reason == "window at cost 2,120 (copies would cost 24,648)"
    assert [refusal.text for refusal in one.refused] == [
        "registers not considered: 61,440 bits exceed the limit of 512"
    ]


def test_two_in_a_cycle_have_their_own_address() -> None:
    """An address and its bank tell a place apart, whatever the function."""
    shape, places = (6, 35), np.stack([axis.ravel() for axis in np.indices((6, 35))], axis=1)
    for function in (Residues((4, 3)), Linear((2, 3), 7), Linear((0, 1), 36), Residues((7, 1))):
        slots = set(zip(function.bank(places).tolist(), function.address(places, shape).tolist(), strict=True))
        assert len(slots) == len(places)
        assert max(address for _, address in slots) + 1 == box_depth(function, shape)
