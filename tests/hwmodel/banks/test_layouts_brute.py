"""`arrayol layout --json` on drawn nests, against every access of every iteration one by one (`layouts_brute`)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from command_line import in_process
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts_brute import (
    DrawnNest,
    Memory,
    busiest,
    elements_at_once,
    linear_conflicts,
    live,
    memories_of,
    place_in,
    size,
)
from many_cases import case_count
from strategies_banks import drawn_nests

BANKS = st.integers(1, 8)
PARTITIONS = st.sampled_from(["paper", "finer"])
MOST_TRIES = 3_000  # mappings that are tried for fewer banks


def laid_out(nest: DrawnNest, banks: int, *options: str) -> dict[str, Any]:
    factors = ",".join(map(str, nest.factors))
    with TemporaryDirectory() as folder:
        (Path(folder) / "t.aol").write_text(nest.text, encoding="utf-8")
        command = ("layout", "t.aol", "t", "--unroll", factors, "--banks", str(banks), "--json", *options)
        done = in_process(*command, cwd=Path(folder))
    assert done.returncode == 0, done.stderr + nest.text
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@settings(max_examples=case_count(30))
@given(drawn_nests(), BANKS)
def test_fixed_layouts(nest: DrawnNest, banks: int) -> None:
    """Naive and true cyclic cycles are those of the worst body; the static view is never below the true one."""
    told = laid_out(nest, banks)["layouts"]
    everything = [access for _, touched in nest.bodies() for access in touched]
    assert told["naive"]["cycles"] == busiest(nest, dict.fromkeys(everything, 0))
    true = busiest(nest, {access: access[1][-1] % banks for access in everything})
    if nest.wraps:  # what wraps may be in any bank
        assert told["cyclic_true"]["cycles"] >= true
    else:
        assert told["cyclic_true"]["cycles"] == true
    assert told["cyclic"]["cycles"] >= max(true, seen_statically(nest, banks))
    for layout in told.values():
        assert (
            layout["cycles"] is None
            or abs(layout["reduction"] - (1 - layout["cycles"] / told["naive"]["cycles"])) < 1e-6
        )


def seen_statically(nest: DrawnNest, banks: int) -> int:
    """The busiest bank where each access of a body occupies every bank that it touches in any body."""
    columns = zip(*(touched for _, touched in nest.bodies()), strict=True)
    occupied = Counter(bank for column in columns for bank in {element[-1] % banks for _, element in column})
    return max(occupied.values())


@settings(max_examples=case_count(30))
@given(drawn_nests(), BANKS, PARTITIONS)
def test_custom_layouts(nest: DrawnNest, banks: int, partition: str) -> None:
    document = laid_out(nest, banks, "--partition", partition)
    memories = memories_of(document, dict(nest.shapes))
    home = homes(nest, memories)
    accesses_find_their_elements(nest, memories)
    told = document["layouts"]["custom"]
    bank_of = {access: memory.bank for access, memory in home.items()}
    assert told["cycles"] == busiest(nest, bank_of)
    assert told["memories"] == len({memory.bank for memory in memories}) <= banks
    assert told["cycles"] <= document["layouts"]["naive"]["cycles"]
    check_reorganisation(nest, document, bank_of)


def homes(nest: DrawnNest, memories: Sequence[Memory]) -> dict[tuple[str, tuple[int, ...]], Memory]:
    """The memory of each element that the nest touches: it has one place there, and comes back from it."""
    found: dict[tuple[str, tuple[int, ...]], Memory] = {}
    for memory in memories:
        assert len(set(memory.homes.values())) == len(memory.homes) == size(memory.shape), "two elements at one place"
        assert all(all(0 <= at < end for at, end in zip(place, memory.shape, strict=True)) for place in memory.homes)
        assert all(element in product_of(nest.shapes[memory.array]) for element in memory.homes.values())
        for element, place in memory.restores.items():
            assert memory.homes[place] == element, "another element comes back"
            assert found.setdefault((memory.array, element), memory) is memory, "an element comes back twice"
    touched = live(nest, write=False) | live(nest, write=True)
    assert touched <= found.keys(), "an element has no memory"
    return {access: found[access] for access in touched}


def product_of(shape: Sequence[int]) -> set[tuple[int, ...]]:
    return set(product(*map(range, shape)))


def accesses_find_their_elements(nest: DrawnNest, memories: Sequence[Memory]) -> None:
    """In each full body the renamed references name the places of just the elements that the nest touches."""
    for body, touched in nest.bodies():
        reached: Counter[tuple[str, tuple[int, ...]]] = Counter()
        for memory in memories:
            for old, new in zip(memory.references, memory.renamed, strict=True):
                element = place_in(old, nest.loops, body)
                assert memory.homes[place_in(new, nest.loops, body)] == element
                reached[memory.array, element] += 1
        assert reached == Counter(touched)


def check_reorganisation(nest: DrawnNest, document: dict[str, Any], bank_of: dict[Any, int]) -> None:
    """What moves before and after the nest, and from when on that pays."""
    told = document["reorganisation"]
    cycles = 0
    for write, word in ((False, "in"), (True, "out")):
        moved = live(nest, write=write)
        busy = max(Counter(bank_of[access] for access in moved).values(), default=0)
        if told["exact"]:
            assert (told[f"elements_{word}"], told[f"cycles_{word}"]) == (len(moved), busy)
        else:
            assert nest.wraps
            assert told[f"elements_{word}"] >= len(moved)
            assert told[f"cycles_{word}"] >= busy
        cycles += told[f"cycles_{word}"]
    bodies = sum(1 for _ in nest.bodies())
    naive, custom = (document["layouts"][name]["cycles"] * bodies for name in ("naive", "custom"))
    if told["break_even"] is None:
        assert custom >= naive
    else:
        pays = [cycles + times * custom <= times * naive for times in range(1, told["break_even"] + 1)]
        assert pays == [False] * (len(pays) - 1) + [True]


@settings(max_examples=case_count(30))
@given(drawn_nests())
def test_replicated_and_in_registers(nest: DrawnNest) -> None:
    """Copies hold the same elements, each access finds its own in one of them; registers never cost accesses."""
    plain = laid_out(nest, 4)["layouts"]["custom"]["cycles"]
    document = laid_out(nest, 4, "--replicate")
    accesses_find_their_elements(nest, memories_of(document, dict(nest.shapes)))
    assert document["layouts"]["custom"]["cycles"] <= plain
    saved = laid_out(nest, 4, "--scalar-replacement")["layouts"]["naive"]["cycles"]
    assert max(len(set(touched)) for _, touched in nest.bodies()) <= saved <= len(next(nest.bodies())[1])


@settings(max_examples=case_count(30))
@given(drawn_nests())
def test_linear_layouts(nest: DrawnNest) -> None:
    """No full body has a conflict; and none has where fewer banks are said to do, of all mappings that are tried."""
    document = laid_out(nest, 4)
    for array, told in ((name, found["linear"]) for name, found in document["arrays"].items()):
        if told["banks"] is None:
            continue
        assert told["banks"] >= max(told["bound"], elements_at_once(nest, array))
        assert not linear_conflicts(nest, array, told["vector"], told["block"], told["banks"])
        if told["exact"]:
            fewer_conflict(nest, array, told["banks"])


def fewer_conflict(nest: DrawnNest, array: str, banks: int) -> None:
    tries = 0
    for fewer in range(banks - 1, elements_at_once(nest, array) - 1, -1):
        for block in range(1, 9):
            for vector in product(range(fewer * block), repeat=len(nest.shapes[array])):
                assert linear_conflicts(nest, array, vector, block, fewer), (array, vector, block, fewer)
                tries += 1
                if tries == MOST_TRIES:
                    return
