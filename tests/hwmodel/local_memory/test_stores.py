"""Banks and windows against stores that are executed word by word: no conflict, and the right words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given

from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues, box_depth
from hwmodel.local_memory.offsets import Place, run_places
from hwmodel.local_memory.port_plan import PortPlan, Ports, Window, plan_ports
from tests.strategies_stores import Store, stores


class ConflictError(Exception):
    """Two places of one bank in one cycle."""


@dataclass
class Banks:
    """Banks that hold words by address."""

    function: BankFunction
    shape: tuple[int, int]
    words: dict[tuple[int, int], int] = field(default_factory=dict)

    def slots(self, places: list[Place]) -> list[tuple[int, int]]:
        """Bank and address of each place of one cycle; all together, so that a conflict is seen."""
        rows = np.array(places, np.int64).reshape(len(places), -1)
        banks, addresses = self.function.bank(rows), self.function.address(rows, self.shape)
        assert addresses.min() >= 0
        assert addresses.max() < box_depth(self.function, self.shape)
        used: dict[int, int] = {}
        for bank, address in zip(banks.tolist(), addresses.tolist(), strict=True):
            if used.setdefault(bank, address) != address:
                raise ConflictError
        return list(zip(banks.tolist(), addresses.tolist(), strict=True))


def filled(store: Store, function: BankFunction) -> Banks:
    """The banks with every element in, a word of the port in a cycle, the last of a row cut."""
    banks = Banks(function, store.shape)
    for row in range(store.shape[0]):
        for start in range(0, store.shape[1], store.word):
            places = [(row, at) for at in range(start, min(start + store.word, store.shape[1]))]
            for place, slot in zip(places, banks.slots(places), strict=True):
                assert slot not in banks.words, "two places at one address"
                banks.words[slot] = datum(store, place)
    return banks


def datum(store: Store, place: Place) -> int:
    return place[0] * store.shape[1] + place[1]


def moved(place: Place, *ways: tuple[int, Place]) -> Place:
    return tuple(int(at + sum(times * by[axis] for times, by in ways)) for axis, at in enumerate(place))


def execute(store: Store, plan: PortPlan, function: BankFunction) -> int:
    """Reads all patterns and returns the cycles; AssertionError for a wrong word, ConflictError for two in a bank."""
    banks, cycles = filled(store, function), 0
    for line in range(store.lines):
        window = plan.windows[0]
        cycles += _plain(store, banks, line) if window is None else _windowed(store, banks, line, window)
    return cycles


def _rounds(store: Store) -> int:
    return -(-store.width // store.access.units)


def _plain(store: Store, banks: Banks, line: int) -> int:
    access = store.access
    size = -(-len(access.places) // access.cycles)
    for start in range(_rounds(store)):
        for cycle in range(access.cycles):
            chunk = access.places[cycle * size : (cycle + 1) * size]
            places = [
                moved(place, (start * access.units + unit, access.step), (line, store.apart))
                for unit in range(access.units)
                for place in chunk
            ]
            for place, slot in zip(places, banks.slots(places) if places else [], strict=True):
                assert banks.words[slot] == datum(store, place)
    return _rounds(store) * access.cycles


def _windowed(store: Store, banks: Banks, line: int, window: Window) -> int:
    """Registers by place relative to the round: in a round they move U steps back, and New is read.

    Rounds before the first read what lies in the array only, as hardware would that masks its requests. In a cycle
    units find in the registers what they take in it.
    """
    access, registers = store.access, dict[Place, int]()
    size, reads = -(-len(access.places) // access.cycles), window.reads
    for start in range(-window.fill, _rounds(store)):
        registers = {moved(place, (-access.units, access.step)): word for place, word in registers.items()}
        for cycle in range(access.cycles):
            chunk = reads[cycle] if cycle < len(reads) else ()
            there = [moved(place, (start * access.units, access.step), (line, store.apart)) for place in chunk]
            inside = [(own, place) for own, place in zip(chunk, there, strict=True) if min(place) >= 0]
            slots = banks.slots([place for _, place in inside]) if inside else []
            registers |= {own: banks.words[slot] for (own, _), slot in zip(inside, slots, strict=True)}
            for place in access.places[cycle * size : (cycle + 1) * size] if start >= 0 else ():
                assert all(moved(place, (unit, access.step)) in registers for unit in range(access.units))
        kept = {place for place in registers if place in _joint(store)}
        assert len(kept) <= window.registers
        for place in _joint(store) if start >= 0 else ():
            assert registers[place] == datum(
                store, moved(place, (start * access.units, access.step), (line, store.apart))
            )
    return (_rounds(store) + window.fill) * access.cycles


def _joint(store: Store) -> set[Place]:
    access = store.access
    return {moved(place, (unit, access.step)) for place in access.places for unit in range(access.units)}


def plan_of(store: Store) -> PortPlan:
    return plan_ports(Ports(2, (store.access,), (), run_places(store.word, store.shape)))


@given(stores())
def test_every_port_has_its_words_in_each_cycle(store: Store) -> None:
    plan = plan_of(store)
    assert plan.function is not None
    fill = 0 if plan.windows[0] is None else plan.windows[0].fill
    cycles = store.lines * (-(-store.width // store.access.units) + fill) * store.access.cycles
    assert execute(store, plan, plan.function) == cycles


@given(stores())
def test_one_bank_fewer_meets_a_conflict_where_a_cycle_takes_them_all(store: Store) -> None:
    plan = plan_of(store)
    window = plan.windows[0]
    touched = run_places(min(store.word, store.shape[1]), store.shape)[0]
    reads = window.reads if window else ()
    largest = max([len(touched), *map(len, reads)] + ([] if window else [plan.reads]))
    assert plan.function is not None
    assert plan.function.banks >= largest
    if plan.function.banks == largest > 1:
        fewer = (Linear((a, 1), largest - 1) for a in range(largest - 1))
        for function in (*fewer, Residues((1, largest - 1)), Residues((largest - 1, 1))):
            with pytest.raises(ConflictError):
                execute(store, plan, function)


@given(stores())
def test_one_place_fewer_in_a_cycle_is_late_or_does_not_end(store: Store) -> None:
    plan = plan_of(store)
    window = plan.windows[0]
    if window is None or (window.each - 1) * store.access.cycles < len(window.fresh):
        return
    assert plan.function is not None
    with pytest.raises(AssertionError):
        execute(store, replace(plan, windows=(replace(window, each=window.each - 1),)), plan.function)


@given(stores())
def test_no_function_before_the_one_found_is_free(store: Store) -> None:
    """Of all functions in their order the first; here every vector is tried, and places, not differences."""
    plan = plan_of(store)
    found = plan.function
    assert found is not None
    if found.banks > 12:
        return
    for function in _all_before(found):
        with pytest.raises(ConflictError):
            _touch_all(store, plan, function)


def _all_before(found: BankFunction) -> list[BankFunction]:
    functions: list[BankFunction] = []
    for banks in range(1, found.banks + 1):
        functions += [Residues((a, banks // a)) for a in range(1, banks + 1) if banks % a == 0]
        functions += [Linear((a, b), banks) for a in range(banks) for b in range(banks) if np.gcd(b, banks) == 1]
    return functions[: functions.index(found)]


def _touch_all(store: Store, plan: PortPlan, function: BankFunction) -> None:
    """The sets of a cycle, from one place, as they are defined."""
    banks, access, window = Banks(function, (64, 64)), store.access, plan.windows[0]
    for places in run_places(store.word, store.shape):
        banks.slots(list(places))
    if window is not None:
        chunks = [list(places) for places in window.reads]
    else:
        size = -(-len(access.places) // access.cycles)
        singles = [access.places[at : at + size] for at in range(0, len(access.places), size)]
        chunks = [
            [moved(place, (unit, access.step)) for unit in range(access.units) for place in chunk] for chunk in singles
        ]
    for chunk in chunks:
        banks.slots(chunk)
