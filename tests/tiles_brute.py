"""Generated nests by brute force: every instance, element and tile as Python sets, by the definitions of paper C."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from strategies_tiles import CONSTS, EXTENTS, NestCase, NestLine, NestRead, place_of

Element = tuple[int, ...]
Tile = tuple[int, ...]
Cell = tuple[str, Element]
Sets = dict[Tile, set[Element]]


@dataclass(frozen=True)
class Touch:
    """The cells that one access may touch, and whether it surely touches the one there is."""

    cells: frozenset[Cell]
    sure: bool


@dataclass(frozen=True)
class Instance:
    """A statement's instance, what it reads and what it writes."""

    number: int
    point: tuple[int, ...]
    reads: tuple[Touch, ...]
    write: Touch

    @property
    def cells(self) -> frozenset[Cell]:
        return frozenset().union(self.write.cells, *(touch.cells for touch in self.reads))


def instances(case: NestCase) -> list[Instance]:
    """All instances that may run, in the order of the text."""
    found = []
    outer = _values(case.outer, {}) if case.outer else [None]
    for value in outer:
        start = {} if case.outer is None else {case.outer[0]: value}
        for number, line in enumerate(case.lines, 1):
            found += [_instance(number, line, values) for values in _points(line.ranges, start)]
    return [one for one in found if one is not None]


def _values(ranged: tuple[str, str, str], values: Mapping[str, int]) -> range:
    return range(_evaluate(ranged[1], values), _evaluate(ranged[2], values))


def _points(ranges: Iterable[tuple[str, str, str]], values: dict[str, int]) -> Iterator[dict[str, int]]:
    first, *rest = [*ranges, None]
    if first is None:
        yield values
        return
    for value in _values(first, values):
        yield from _points(rest[:-1], {**values, first[0]: value})


def _evaluate(text: str, values: Mapping[str, int]) -> int:
    return int(eval(text, {"__builtins__": {}}, {**CONSTS, **values}))


def _instance(number: int, line: NestLine, values: dict[str, int]) -> Instance | None:
    runs, certain, reads = _condition(line.where, values)
    if not runs:
        return None
    reads = list(reads)
    for read in line.reads:
        reads += _read(read, values, certain)
    write = _touch(line.target, values, certain)
    if line.target.subscripts is None:
        reads.append(Touch(frozenset({("d", (1,))}), certain))
    if line.accumulate:
        reads.append(write)
    return Instance(number, tuple(values.values()), tuple(reads), write)


def _condition(text: str | None, values: dict[str, int]) -> tuple[bool, bool, list[Touch]]:
    """Whether a condition may hold, whether it is sure to, and what it reads."""
    if text is None:
        return True, True, []
    affine, _, data = (
        text.rpartition(" and ") if " and " in text else (("", "", text) if "d[" in text else (text, "", ""))
    )
    if affine and not _evaluate(affine, values):
        return False, True, []
    if not data:
        return True, True, []
    index = data[data.index("[") + 1 : data.index("]")]
    return True, False, [Touch(frozenset({("d", (_evaluate(index, values),))}), True)]


def _read(read: NestRead, values: dict[str, int], certain: bool) -> list[Touch]:
    holds, sure, found = _condition(read.guard, values)
    found = [Touch(touch.cells, certain) for touch in found]
    if not holds:
        return found
    if read.subscripts is None:
        found.append(Touch(frozenset({("d", (1,))}), certain and sure))
    return [*found, _touch(read, values, certain and sure)]


def _touch(read: NestRead, values: dict[str, int], certain: bool) -> Touch:
    if read.subscripts is None:
        every = product(*(range(extent) for extent in EXTENTS[read.array]))  # never of a local
        return Touch(frozenset((read.array, element) for element in every), False)
    element = tuple(_evaluate(part, values) for part in read.subscripts)
    return Touch(frozenset({(read.array, place_of(read.array, element, values))}), certain)


# Order


@dataclass(frozen=True)
class Placed:
    """An instance with its time and its tile."""

    instance: Instance
    time: tuple[int, ...]
    tile: Tile


def placed(case: NestCase) -> list[Placed]:
    """The instances of the chosen lines, in the order of the text."""
    found = []
    for one in instances(case):
        if one.number in case.chosen:
            names = dict(zip(case.indices(one.number), one.point, strict=True))
            schedule = case.schedules[case.chosen.index(one.number)]
            time = tuple(_evaluate(part, names) for part in schedule)
            tile = tuple(value // size for value, size in zip(time, case.sizes, strict=True))
            found.append(Placed(one, time, tile))
    return found


def conflicts(earlier: Instance, later: Instance) -> bool:
    """Whether both may touch one cell, and one of them may write it."""
    return bool(earlier.write.cells & later.cells or earlier.cells & later.write.cells)


def keeps_order(found: list[Placed], position: Callable[[Placed], tuple[object, ...]]) -> bool:
    """Whether every pair that conflicts stays in the order of the text."""
    return all(
        position(one) < position(other)
        for place, one in enumerate(found)
        for other in found[place + 1 :]
        if conflicts(one.instance, other.instance)
    )


# Tiles


@dataclass
class TileSets:
    """What the tiles of all strips touch of one array, by the definitions."""

    read: Sets = field(default_factory=lambda: defaultdict(set))
    written: Sets = field(default_factory=lambda: defaultdict(set))
    sure: Sets = field(default_factory=lambda: defaultdict(set))


def tile_sets(found: list[Placed]) -> dict[str, TileSets]:
    """In(T) above, Out(T) above and below, for every array and tile."""
    sets: dict[str, TileSets] = defaultdict(TileSets)
    for one in sorted(found, key=lambda one: (one.tile, one.time, one.instance.number)):
        for touch in one.instance.reads:
            for array, element in touch.cells:
                if element not in sets[array].sure[one.tile]:
                    sets[array].read[one.tile].add(element)
        for array, element in one.instance.write.cells:
            sets[array].written[one.tile].add(element)
            if one.instance.write.sure:
                sets[array].sure[one.tile].add(element)
    return sets


def strips_of(found: list[Placed], strip_dims: int) -> list[list[Tile]]:
    """The tiles that run, strip by strip."""
    strips: dict[Tile, set[Tile]] = defaultdict(set)
    for one in found:
        strips[one.tile[: len(one.tile) - strip_dims]].add(one.tile)
    return [sorted(tiles) for _, tiles in sorted(strips.items())]


def theorem_six(sets: TileSets, strip: list[Tile], store: Sets | None = None) -> tuple[Sets, Sets]:
    """Load and store of one strip as theorem 6 is printed; for other stores than its own on request."""
    if store is None:
        later = {tile: _union(sets.written, strip[place + 1 :]) for place, tile in enumerate(strip)}
        store = {tile: sets.written[tile] - later[tile] for tile in strip}
    read = {tile: sets.read[tile] | (store[tile] - sets.sure[tile]) for tile in strip}
    remote = {tile: read[tile] - _union(sets.sure, strip[:place]) for place, tile in enumerate(strip)}
    load = {}
    for place, tile in enumerate(strip):
        needed = read[tile] | (sets.written[tile] & _union(remote, strip[place + 1 :]))
        load[tile] = needed - _union(read, strip[:place]) - _union(sets.written, strip[:place])
    return load, store


def theorem_one(sets: TileSets, strip: list[Tile]) -> tuple[Sets, Sets]:
    """Load and store of one strip as theorem 1 is printed, for sure writes."""
    load, store = {}, {}
    for place, tile in enumerate(strip):
        load[tile] = sets.read[tile] - _union(sets.read, strip[:place]) - _union(sets.written, strip[:place])
        store[tile] = sets.written[tile] - _union(sets.written, strip[place + 1 :])
    return load, store


def faults(sets: TileSets, load: Sets, store: Sets, strip: list[Tile]) -> list[str]:
    """Conditions of theorems 3 and 4 that loads and stores break; definitions 1 and 2 where the writes are sure."""
    found = []
    for place, tile in enumerate(strip):
        loaded = _union(load, strip[: place + 1])
        if not sets.read[tile] - _union(sets.sure, strip[:place]) <= loaded:
            found.append(f"3 (i) at {tile}")
        if _union(sets.written, strip[:place]) & load[tile]:
            found.append(f"3 (ii) at {tile}")
        if store[tile] & _union(sets.written, strip[place + 1 :]):
            found.append(f"4 (ii) at {tile}")
        if not store[tile] - _union(sets.sure, strip[: place + 1]) <= loaded:
            found.append(f"4 (iii) at {tile}")
    if not _union(sets.written, strip) <= _union(store, strip):
        found.append("4 (i)")
    return found


def wastes(sets: TileSets, load: Sets, store: Sets, strip: list[Tile]) -> list[str]:
    """Conditions of definitions 3 and 4 that valid transfers break: useless ones, or several of one element."""
    read = {tile: sets.read[tile] | (store[tile] - sets.sure[tile]) for tile in strip}
    needed = set().union(*(read[tile] - _union(sets.sure, strip[:place]) for place, tile in enumerate(strip)))
    found = [] if _union(load, strip) == needed else ["3 (ii)"]
    found += [] if sum(len(load[tile]) for tile in strip) == len(_union(load, strip)) else ["3 (iii)"]
    return found + ([] if sum(len(store[tile]) for tile in strip) == len(_union(store, strip)) else ["4 (ii)"])


def _union(sets: Sets, tiles: Iterable[Tile]) -> set[Element]:
    return set().union(*(sets[tile] for tile in tiles))
