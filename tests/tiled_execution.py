"""Generated nests executed in plain Python: as written, and tile by tile on a local memory that starts as garbage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from strategies_tiles import CONSTS, EXTENTS, LOCAL, NestCase, NestLine, place_of
from tiles_brute import Instance, instances

from arrayol.language.loader import Loaded, load_source
from arrayol.language.symbolic import read_schedule, symbolic_component
from arrayol.source import SourceFile
from arrayol.tiling.allocation import Allocation, allocate, allocate_overlapped
from arrayol.tiling.enumerate import iterations, rows, strips
from arrayol.tiling.liveness import lifetimes
from arrayol.tiling.nest import TiledNest, Traffic
from arrayol.tiling.program import program_of
from arrayol.tiling.tile import Schedule, Tiling, tile_nest

Memory = dict[str, NDArray[np.int64]]
Place = Callable[[str, tuple[int, ...]], tuple[NDArray[np.int64], Any]]
GARBAGE = -(1 << 40)

ORDERS = ("load compute store", "load store compute", "compute load store", "compute store load",
          "store load compute", "store compute load")  # fmt: skip


def loaded(case: NestCase) -> Loaded:
    return load_source(SourceFile("generated.aol", case.text))


def tiled(case: NestCase) -> TiledNest:
    """The nest of a case. Raises ArrayolError where its schedule or its tiles are refused."""
    source = loaded(case)
    program = program_of(symbolic_component(source, "e"))
    schedules = [
        Schedule(number, *read_schedule(", ".join(times), program.statements[number - 1].indices, source, ()))
        for number, times in zip(case.chosen, case.schedules, strict=True)
    ]
    return tile_nest(program, schedules, Tiling(case.sizes, case.strip_dims))


def inputs(seed: int) -> Memory:
    """Data for the inputs; those of `d` are subscripts and decide conditions."""
    rng = np.random.default_rng(seed)
    return {"x": rng.integers(-100, 100, EXTENTS["x"]), "d": rng.integers(-2, 9, EXTENTS["d"]).clip(0, 8)}


def outputs() -> Memory:
    """Outputs before anything is written there."""
    return {name: np.zeros(EXTENTS[name], np.int64) for name in ("y", "z")}


@dataclass(frozen=True)
class _View:
    """An array as the lines of a body read it."""

    name: str
    place: Place

    def __getitem__(self, index: int | tuple[int, ...]) -> int:
        memory, slot = self.place(self.name, index if isinstance(index, tuple) else (index,))
        return int(memory[slot])


def run_line(line: NestLine, values: Mapping[str, int], place: Place) -> None:
    """One instance of a line, if its condition holds; integers wrap as i64."""

    def own(array: str, element: tuple[int, ...]) -> tuple[NDArray[np.int64], Any]:
        return place(array, place_of(array, element, values))

    names: dict[str, Any] = {**{name: _View(name, own) for name in EXTENTS}, **CONSTS, **values}

    def value(text: str) -> int:
        return int(eval(text, {"__builtins__": {}}, names))

    if line.where is not None and not value(line.where):
        return
    total = value(" + ".join(read.text for read in line.reads) or "1")
    subscripts = line.target.subscripts or line.target.by_data
    memory, slot = own(line.target.array, tuple(value(part) for part in subscripts))
    if line.accumulate:
        total += int(memory[slot])
    memory[slot] = (total + (1 << 63)) % (1 << 64) - (1 << 63)


def run_instances(case: NestCase, found: Sequence[Instance], place: Place) -> None:
    for one in found:
        names = [*([case.outer[0]] if case.outer else []), *(name for name, _, _ in case.lines[one.number - 1].ranges)]
        run_line(case.lines[one.number - 1], dict(zip(names, one.point, strict=True)), place)


def plainly(memory: Memory) -> Place:
    """Every element in its own place of external memory, and of a local in one that is zero at first."""
    every = memory | {LOCAL: defaultdict(int)}
    return lambda name, element: (every[name], element)


def as_written(case: NestCase, memory: Memory) -> None:
    """The whole body in the order of the text."""
    run_instances(case, instances(case), plainly(memory))


def tile_by_tile(case: NestCase, traffic: Traffic, memory: Memory, order: str | None) -> None:
    """What runs before, the tiles on local memory, what runs after.

    Without an order, load, compute and store follow one another tile by tile. With one, a step loads a tile, computes
    the one before and stores the one before that, in this order: double buffering.
    """
    nest = traffic.nest
    every = instances(case)
    run_instances(case, [one for one in every if one.number in nest.before], plainly(memory))
    tiles = _Tiles(case, traffic, memory, overlapped=order is not None)
    for strip in strips(nest):
        tiles.spoil(name for name in traffic.load if traffic.nests[name].strip_dims <= nest.strip_dims)
        found = [tuple(tile) for tile in strip.tolist()]
        for action, tile in _steps(found, order):
            getattr(tiles, action)(tile)
    run_instances(case, [one for one in every if one.number in nest.after], plainly(memory))


def _steps(found: list[tuple[int, ...]], order: str | None) -> list[tuple[str, tuple[int, ...]]]:
    if order is None:
        return [(action, tile) for tile in found for action in ("load", "compute", "store")]
    late = {"load": 0, "compute": 1, "store": 2}
    return [
        (action, found[step - late[action]])
        for step in range(len(found) + 2)
        for action in order.split()
        if 0 <= step - late[action] < len(found)
    ]


class _Tiles:
    """Local memory of a nest under its modular allocation, and what its tiles do to it."""

    def __init__(self, case: NestCase, traffic: Traffic, memory: Memory, *, overlapped: bool) -> None:
        self.case, self.traffic, self.memory = case, traffic, memory
        self.allocations: dict[str, Allocation] = {
            name: allocate_overlapped(traffic, name)
            if overlapped or name in traffic.locals
            else allocate(lifetimes(traffic, name))
            for name in traffic.load
        }
        self.slots: Memory = {}
        self.spoil(traffic.locals)
        self.zeroed = {name: _by_tile(relation) for name, relation in traffic.zeroed.items()}
        self.moves = {
            action: {name: _by_tile(relations[name]) for name in relations}
            for action, relations in (("load", traffic.load), ("store", traffic.store))
        }
        self.instances: dict[tuple[int, ...], list[Instance]] = {}
        found = iterations(traffic.nest)
        for tile, statement, point in zip(
            found.tile.tolist(), found.statement.tolist(), found.instance.tolist(), strict=True
        ):
            one = traffic.nest.statements[statement]
            instance = Instance(one.number, tuple(point[: len(one.indices)]), (), ())  # type: ignore[arg-type]
            self.instances.setdefault(tuple(tile), []).append(instance)

    def spoil(self, names: Iterable[str]) -> None:
        for name in names:
            self.slots[name] = np.full(self.allocations[name].size, GARBAGE)

    def load(self, tile: tuple[int, ...]) -> None:
        for name, elements in self.moves["load"].items():
            for element in elements.get(tile, []):
                memory, slot = self.place(name, element)
                memory[slot] = self.memory[name][element]

    def store(self, tile: tuple[int, ...]) -> None:
        for name, elements in self.moves["store"].items():
            for element in elements.get(tile, []):
                memory, slot = self.place(name, element)
                self.memory[name][element] = memory[slot]

    def compute(self, tile: tuple[int, ...]) -> None:
        for name, elements in self.zeroed.items():
            for element in elements.get(tile, []):
                memory, slot = self.place(name, element)
                memory[slot] = 0
        run_instances(self.case, self.instances[tile], self.place)

    def place(self, name: str, element: tuple[int, ...]) -> tuple[NDArray[np.int64], int]:
        own = element[len(element) - len(EXTENTS[name]) :]
        assert all(0 <= index < extent for index, extent in zip(own, EXTENTS[name], strict=True))
        slots = self.allocations[name].slots(np.array([element], np.int64))
        return self.slots[name], int(slots[0])


def _by_tile(relation: Any) -> dict[tuple[int, ...], list[tuple[int, ...]]]:
    found: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    pairs = rows(relation)
    for tile, element in zip(pairs.domain.tolist(), pairs.image.tolist(), strict=True):
        found.setdefault(tuple(tile), []).append(tuple(element))
    return found
