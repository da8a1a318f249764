"""The space of mappings that a study spans on a network: groups, block shapes, scans, rates, cuts and bank layouts.

Mapping options are put together in `dse.space.options`; what is wrong with a study is said in `dse.space.study_checks`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError, error
from arrayol.ir.divisors import divisors
from arrayol.ir.network import Network
from dse.space.fusions import all_groups
from dse.space.networks.rewrites import are_of_streams
from dse.space.objectives import Figure, figures_of
from dse.space.rates import finest_ladder, has_coarse_divisors, intervals_of, rates, wants_every_rate
from dse.space.study import STREAM_STYLE, Study, parse_scan, without_others
from dse.space.task_graph import Mask, TaskGraph, bits, task_graph
from hwmodel.accesses import Accesses
from hwmodel.banks.linear import layout_candidates
from hwmodel.channels import channel_numbers
from hwmodel.cost_model.group.legal_scans import LISTED_AT_MOST, LegalScans
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import ArrayLoads, BankLayout, Blocks, Choice, GroupDesign, ReuseLevel, Scan, Splits, parse_keep
from hwmodel.emit.verilog.coverage import Coverage
from hwmodel.last_tasks import following
from hwmodel.memory_kinds import FIFO
from hwmodel.platform_memories import ArrayChannels
from hwmodel.residence import Loads

Item = TypeVar("Item")
Shape = tuple[int, ...]
ShapeTable = NDArray[np.int64]  # block shapes (S, rank) of a task
ScanShapes = tuple[Scan, ShapeTable]  # under a scan
ArrayTexts = tuple[tuple[str, str], ...]  # what is kept of single arrays, as a study writes it
SEVERAL_LAST = "the group ends in several tasks that no blocks cut alike"  # why it has no last task
MOST_UNITS = 1 << 16  # where a study does not list them
GROUPS_AT_MOST = 20_000  # that are listed
SLOW_ELEMENTS = 20_000_000  # structures times elements of arrays, in one group


@dataclass(frozen=True)
class MappingSpace:
    """What a study spans for one model; every list is in a fixed order.

    `splits` have made its network; `others` are the networks that the study's other splits make. Where it `fills_gaps`
    and the study does not say which sides blocks have, extents of coarse divisors have those of a ladder too. Where
    `placements` say it, its variants are the choices with these channels.
    """

    model: MachineModel
    study: Study
    splits: Splits = ()
    others: tuple[tuple[Splits, Network], ...] = ()
    fills_gaps: bool = False
    placements: tuple[Choice, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        # What is remembered stays here.
        return MappingSpace, (self.model, self.study, self.splits, (), self.fills_gaps)

    @cached_property
    def graph(self) -> TaskGraph:
        """The tasks and their links."""
        return task_graph(self.model.network)

    @cached_property
    def accesses(self) -> Accesses:
        """Extents and arrays."""
        return self.model.accesses

    @property
    def loads(self) -> ArrayLoads:
        """How arrays come of which the study says it, by name."""
        return tuple(sorted(self.accesses.loads.items()))

    @cached_property
    def channels(self) -> Mapping[str, int]:
        """The channel of each array outside; if they are open, each has a number of its own."""
        if self.accesses.channels is None:
            outside = filter(self.accesses.lies_outside, self.model.network.arrays)
            return {name: number for number, name in enumerate(outside)}
        return channel_numbers(self.accesses, self.model.platform)

    @property
    def choice(self) -> Choice:
        """What says which of the variants it is."""
        several = self.model.platform.channels[0].channels > 1
        chosen = self.accesses.channels
        return self.loads, self.splits, tuple(self.channels.items()) if several and chosen is not None else chosen

    @cached_property
    def variants(self) -> tuple[MappingSpace, ...]:
        """The space under each choice of loads and splits that the study opens, with a model of its own."""
        choices = self.study.loads
        alone = len(choices) == 1
        spaces = [self] if alone else [self._under(loads, self.study, *self._own_loads) for loads in choices]
        for splits, network in self.others:
            study = without_others(self.study, network.processes)
            if are_of_streams(splits):
                study = study.model_copy(update={"styles": (STREAM_STYLE,)})
            if study.fusions or self.study.fusions == "all":
                spaces += [self._under(loads, study, splits, network) for loads in choices]
        spaces = [space for space in spaces if space is spaces[0] or not space.has_no_hardware]
        known = {one.choice[:2]: one for one in spaces}
        return tuple(known[choice[:2]].in_channels(choice[2]) for choice in self.placements) or tuple(spaces)

    @property
    def has_no_hardware(self) -> bool:
        """Whether the study wants hardware, and states lie outside in a way that is not emitted."""
        network, coverage = self.model.network, self.coverage
        is_outside = len(network.there_before) > len(network.inputs)
        refusal = coverage.why_not_over_frames or (coverage.why_no_periods if self.study.together else None)
        return self.study.hardware and is_outside and refusal is not None

    def in_channels(self, channels: ArrayChannels | None) -> MappingSpace:
        """The space of designs whose arrays lie in other channels; None leaves open in which."""
        return replace(self, model=self.model.with_channels(channels), placements=())

    @property
    def may_be_placed(self) -> bool:
        """Whether there are several channels, and more arrays than these."""
        (channel,) = self.model.platform.channels
        return 1 < channel.channels < len(self.channels)

    @property
    def _own_loads(self) -> tuple[Splits, Network]:
        return self.splits, self.model.given

    def _under(self, loads: Loads, study: Study, splits: Splits, network: Network) -> MappingSpace:
        model = MachineModel(network, self.model.platform, loads, channels=self.accesses.channels)
        return MappingSpace(model, study, splits, fills_gaps=self.fills_gaps)

    @cached_property
    def figures(self) -> Mapping[str, Figure]:
        """All figures of designs by name, whichever variant they are of."""
        accesses = (space.accesses for space in self.variants)
        shared, together = self.study.reuse_memory, self.study.together
        return figures_of(self.model.platform, *accesses, reuse_memory=shared, together=together)

    @cached_property
    def groups(self) -> tuple[Mask, ...]:
        """The groups of the study's fusions, by their first task."""
        if self.study.fusions == "all":
            groups = all_groups(self.graph, self.study.longest_group, GROUPS_AT_MOST)
            assert groups is not None, "too many to be listed (`lists_groups`)"
            return groups
        return tuple(dict.fromkeys(group for fusion in self.fusions for group in fusion))

    @cached_property
    def lists_groups(self) -> bool:
        """Whether the groups are few enough to be listed."""
        return (
            self.study.fusions != "all" or all_groups(self.graph, self.study.longest_group, GROUPS_AT_MOST) is not None
        )

    @cached_property
    def fusions(self) -> tuple[tuple[Mask, ...], ...]:
        """The fusions that the study lists, as groups in execution order; none where it takes all."""
        if self.study.fusions == "all":
            return ()
        number = {name: place for place, name in enumerate(self.graph.names)}
        return tuple(
            tuple(sum(1 << number[task] for task in group) for group in fusion) for fusion in self.study.fusions
        )

    @cached_property
    def units(self) -> tuple[int, ...]:
        """The numbers of units a processor may have, ascending. Raises ArrayolError (`many-units`)."""
        if self.study.units:
            return tuple(sorted(set(self.study.units)))
        if self.model.data_per_word > MOST_UNITS:
            message = f"a word of {self.model.data_per_word:,} elements offers a processor 1 to as many units"
            hint = (
                f"list the numbers of units to try in a study, as units = [1, 2, 4]; up to {MOST_UNITS:,} need no list"
            )
            raise error("many-units", message, self.model.platform.place("memory"), hint=hint)
        return tuple(range(1, self.model.data_per_word + 1))

    def rates(self, task: str) -> tuple[int, ...]:
        """The rates (`hwmodel.design.rate_of`) that a task's processor may have, the slowest first: `dse.space.rates`.

        Raises ArrayolError: `many-units`, and what the platform says of a task that it has no datapath for.
        """
        if task not in self._rates:
            process = self.model.network.processes[task]
            intervals = intervals_of(self.study, self.model.platform, process)
            # What a FIFO carries lies in no buffer that would have to serve all places of a pattern.
            fifos = (False, True) if FIFO.name in self.study.links else (False,)
            serves = [partial(self.model.is_feasible, task, in_fifos=fifo) for fifo in fifos]
            self._rates[task] = rates(self.units, intervals, every=wants_every_rate(self.study), serves=serves)
        return self._rates[task]

    @cached_property
    def _rates(self) -> dict[str, tuple[int, ...]]:
        return {}

    def count_rates(self, tasks: Iterable[str]) -> int:
        """How many combinations of the rates of some tasks there are."""
        return math.prod(len(self.rates(task)) for task in tasks)

    def tasks(self, group: Mask) -> tuple[str, ...]:
        """The names of a group's tasks in dataflow order."""
        return tuple(self.graph.names[task] for task in bits(group))

    def last(self, group: Mask) -> str | None:
        """The task of a group whose repetitions are cut into blocks.

        None where it ends in several that none cut.
        """
        sinks = [task for task in bits(group) if not self.graph.successors[task] & group]
        if len(sinks) > 1 and not self._are_cut_alike(group):
            return None
        return self.graph.names[sinks[-1]]

    @cached_property
    def coverage(self) -> Coverage:
        """What of its designs is emitted as Verilog."""
        return Coverage(self.accesses, self.model.platform)

    def _are_cut_alike(self, group: Mask) -> bool:
        """Whether blocks of one last task cut the others of a group."""
        if group not in self._cut_alike:
            try:
                following(self.accesses, self.tasks(group))
            except ArrayolError:
                self._cut_alike[group] = False
            else:
                self._cut_alike[group] = True
        return self._cut_alike[group]

    @cached_property
    def _cut_alike(self) -> dict[Mask, bool]:
        return {}

    def shapes(self, task: str) -> tuple[Shape, ...]:
        """The block shapes of a task, lexicographically."""
        extents, blocks = self.accesses.extents(task), self.study.blocks
        listed = blocks.get(task) if isinstance(blocks, Mapping) else None
        if listed is None:
            return tuple(product(*map(self.sides, extents)))
        return tuple(sorted({tuple(map(min, shape, extents)) for shape in listed}))

    def shape_table(self, task: str) -> ShapeTable:
        """The block shapes of a task (S, rank), lexicographically."""
        extents = self.accesses.extents(task)
        if self.lists_shapes(task):
            return np.array(self.shapes(task), np.int64).reshape(-1, len(extents))
        return self.shapes_at(task, np.arange(self.count_shapes(task)))

    def shapes_at(self, task: str, numbers: NDArray[np.int64]) -> ShapeTable:
        """The block shapes (n, rank) at some places (n,) of `shapes`."""
        if self.lists_shapes(task):
            return self.shape_table(task)[numbers]
        sides = [np.array(self.sides(extent), np.int64) for extent in self.accesses.extents(task)]
        if not sides:
            return np.zeros((len(numbers), 0), np.int64)
        places = np.unravel_index(numbers, [len(each) for each in sides])
        return np.stack([each[place] for each, place in zip(sides, places, strict=True)], axis=1)

    def sides(self, extent: int) -> tuple[int, ...]:
        """The sides of blocks along an extent, where the study lists no shapes; ascending."""
        is_filled = self.fills_gaps and self.study.blocks != "divisors" and has_coarse_divisors(extent)
        return finest_ladder(extent) if self.study.blocks == "ladder" or is_filled else tuple(divisors(extent))

    @property
    def coarse_extents(self) -> tuple[int, ...]:
        """Extents, ascending, of coarse divisors, of tasks whose block shapes the study does not list."""
        if self.study.blocks == "ladder":
            return ()
        tasks = [task for task in self.model.network.processes if not self.lists_shapes(task)]
        extents = {extent for task in tasks for extent in self.accesses.extents(task)}
        return tuple(sorted(filter(has_coarse_divisors, extents)))

    @property
    def has_gaps(self) -> bool:
        """Whether sides of blocks are far apart though the study does not say which they are."""
        is_open = self.study.blocks != "divisors" and not self.fills_gaps
        return is_open and any(one.coarse_extents for one in self.variants)

    def scans(self, task: str, shape: Shape) -> Sequence[Scan]:
        """The legal scans of a task cut in such blocks that the study allows; all of them need not be listed."""
        legal = self.model.legal_scans(task, shape)
        if self.study.orders == "legal":
            return legal
        return tuple(sorted((scan for scan in set(self.study.orders) if scan in legal), key=legal.index))

    @cached_property
    def slow_structures(self) -> int:
        """How many structures of a group may be priced element by element where not all are: by the arrays' size."""
        elements = sum(self.accesses.size(array) for array in self.model.network.arrays)
        return SLOW_ELEMENTS // max(1, elements)

    def count_structures(self, task: str) -> int:
        """How many block shapes under scans a task has, counted without listing them."""
        scans = None if self.study.orders == "legal" else set(self.study.orders)
        if not self.lists_shapes(task):
            return self.model.count_structures(task, list(map(self.sides, self.accesses.extents(task))), scans)
        each = ([(side,) for side in shape] for shape in self.shapes(task))
        return sum(self.model.count_structures(task, sides, scans) for sides in each)

    def lists_shapes(self, task: str) -> bool:
        """Whether the study lists the block shapes of a task."""
        return isinstance(self.study.blocks, Mapping) and task in self.study.blocks

    def count_shapes(self, task: str) -> int:
        """How many block shapes a task has, counted without listing them."""
        if self.lists_shapes(task):
            return len(self.shapes(task))
        return math.prod(len(self.sides(extent)) for extent in self.accesses.extents(task))

    def shape_at(self, task: str, number: int) -> Shape:
        """The block shape at a place of `shapes`."""
        if self.lists_shapes(task):
            return self.shapes(task)[number]
        return place_in_product([self.sides(extent) for extent in self.accesses.extents(task)], number)

    def rows_under(self, task: str, scan: Scan, shapes: ShapeTable) -> NDArray[np.intp]:
        """The rows of block shapes (S, rank) of a task under which a scan is legal and of the study, ascending."""
        groups = self.model.rows_of_same_scans(task, shapes)
        legal = [rows for rows in groups if scan in self.scans(task, shape_of(shapes[rows[0]]))]
        return np.sort(np.concatenate(legal)) if legal else np.zeros(0, np.intp)

    def structures(self, task: str) -> Iterable[ScanShapes]:
        """Each scan with the block shapes (S, rank) under which it is legal, lexicographically."""
        if task not in self._structures:
            kinds: dict[Sequence[Scan], list[NDArray[np.intp]]] = {}  # many shapes have the same scans
            shapes = self.shape_table(task)
            for rows in self.model.rows_of_same_scans(task, shapes):
                kinds.setdefault(self.scans(task, shape_of(shapes[rows[0]])), []).append(rows)
            rows_of = {scans: np.concatenate(rows) for scans, rows in kinds.items()}
            if sum(map(count_of, rows_of)) > LISTED_AT_MOST:
                return _by_scan(shapes, rows_of)
            self._structures[task] = tuple(_by_scan(shapes, rows_of))
        return self._structures[task]

    def structure_at(self, task: str, share: float) -> tuple[Scan, Shape] | None:
        """One at about such a share, from 0 to below 1, of all structures of a task; None where there are none.

        They are not listed. Where all shapes have the same scans, it stands at its place among `structures`.
        """
        whole, shapes = tuple(self.accesses.extents(task)), self.count_shapes(task)
        every = self.scans(task, whole)
        count = count_of(every)
        number, place = divmod(int(shapes * count * Fraction(share)), max(1, shapes))
        shape = self.shape_at(task, place) if shapes else whole
        scans = self.scans(task, shape)
        if count and every[number] in scans:
            return every[number], shape
        if scans:
            return scans[int(count_of(scans) * Fraction(share))], shape
        firsts = self.shapes(task) if self.lists_shapes(task) else (whole,)  # all extents have every order
        return next(((own[0], one) for one in firsts if (own := self.scans(task, one))), None)

    @cached_property
    def _structures(self) -> dict[str, tuple[ScanShapes, ...]]:
        return {}  # many groups end with the same task

    def blocks(self, task: str) -> Iterator[Blocks]:
        """All blocks of a task."""
        for scan, shapes in self.structures(task):
            for shape in shapes.tolist():
                yield Blocks(tuple(shape), scan)

    def in_outer_blocks(self, plain: GroupDesign) -> Iterator[Blocks]:
        """The blocks of a plain group, alone and in all outer blocks of the study that hold some of them whole.

        Of the scans over blocks of blocks those whose innermost loops are the plain group's.
        """
        blocks, last = plain.blocks, plain.tasks[-1]
        extents = self.accesses.extents(last)
        yield blocks
        for text, shapes in self.study.listed_outer_blocks.get(last, {}).items():
            scan = parse_scan(text)
            for shape in shapes if scan.innermost == blocks.scan else ():
                sides = zip(shape, extents, blocks.shape, strict=True)
                outer = (min(side, extent) if at in scan.twice else own for at, (side, extent, own) in enumerate(sides))
                found = Blocks(blocks.shape, scan, tuple(outer))
                if found.fit(len(extents)) and self.model.is_legal(last, found):
                    yield found

    def cuts(self, task: str) -> tuple[Blocks, ...]:
        """The cuts that the study offers for a task before the last."""
        extents = self.accesses.extents(task)
        cuts = self.study.cuts
        if isinstance(cuts, tuple):
            return tuple(self._lines(task, extents)) if "lines" in cuts else ()
        shapes = (tuple(map(min, shape, extents)) for shape in cuts.get(task, ()))
        return tuple(Blocks(shape, scan) for shape in shapes for scan in self.scans(task, shape))

    def _lines(self, task: str, extents: Shape) -> Iterator[Blocks]:
        """Lines of repetitions, one wide, in either order: of the scans that walk them alike the first."""
        for shape in _lines(extents):
            narrow = next(axis for axis, side in enumerate(shape) if side < extents[axis])
            seen = set()
            for scan in self.scans(task, shape):
                direction = scan.descending[scan.dimensions.index(narrow)]
                if direction not in seen:
                    seen.add(direction)
                    yield Blocks(shape, scan)

    def layouts(self, plain: GroupDesign) -> Iterator[tuple[BankLayout, ...]]:
        """The choices of layouts for a group's buffers; none but the empty one where banks cost nothing."""
        kinds, local = self.study.layouts, self.model.platform.local
        if "linear" not in kinds or local.block_bits is None:
            yield ()
            return
        tasks = plain.tasks
        looked_up = {
            touch.array
            for task in tasks
            for touch in self.accesses.reads[task]
            if self.model.platform.lookups(self.model.network.processes[task], touch.port)
        }
        touched = {array for task in tasks for array in self._touched(task) if not self.accesses.is_resident(array)}
        touched -= looked_up
        choices: list[tuple[BankLayout | None, ...]] = []
        for array in self.model.network.arrays:
            candidates = layout_candidates(self.accesses, array, tasks, local.banks) if array in touched else ()
            if candidates:
                choices.append((None, *candidates) if "none" in kinds else candidates)
        for chosen in product(*choices):
            yield tuple(layout for layout in chosen if layout is not None)

    def single_buffers(self, tasks: Sequence[str]) -> Iterator[frozenset[str]]:
        """The choices of which arrays that a group loads have a single buffer."""
        offered = {name: self.study.buffers[name] for name in self.loaded(tasks) if name in self.study.buffers}
        for kinds in product(*offered.values()):
            yield frozenset(name for name, kind in zip(offered, kinds, strict=True) if kind == "single")

    def loaded(self, tasks: Sequence[str]) -> tuple[str, ...]:
        """The arrays that a group reads from outside, but for resident ones, by name."""
        processes = [self.model.network.processes[task] for task in tasks]
        made = {array for process in processes for array in process.writes}
        read = {array for process in processes for array in process.reads} - made
        return tuple(sorted(array for array in read if not self.accesses.is_resident(array)))

    def keeps_of(self, array: str, loops: int) -> tuple[ReuseLevel, ...]:
        """What may be kept of an array under a scan of so many loops: what the policies do, then its own list."""
        found = [keep_of(text, loops) for text in self._keep_texts(array, loops)]
        return tuple(dict.fromkeys(keep for keep in found if keep is not None))

    def count_keeps(self, tasks: Sequence[str], loops: int) -> int:
        """How many choices of what is kept a group has in blocks under a scan of so many loops."""
        return math.prod(len(self.keeps_of(array, loops)) for array in self.loaded(tasks))

    def _keep_texts(self, array: str, loops: int) -> Iterator[str]:
        for word in self.study.policies:
            yield from map(str, range(loops + 1)) if word == "levels" else (word,)
        yield from self.study.keeps.get(array, ())

    def keep_choices(
        self, plain: GroupDesign, scan: Scan | None = None, *, one_option_each: bool = False
    ) -> Iterator[ArrayTexts]:
        """The choices of what a group keeps of each array from outside, the first policy for all of them first.

        Under the scans of the study, and one more. With `one_option_each` only those that are alike for all arrays, or
        differ from the first for one.
        """
        scans = {blocks.scan for blocks in self.in_outer_blocks(plain)} | ({scan} if scan else set())
        loops = sorted({len(each.dimensions) for each in scans})
        arrays = self.loaded(plain.tasks)
        options = []
        for array in arrays:
            texts = {tuple(keep_of(text, each) for each in loops): text for text in self._keep_texts(array, loops[-1])}
            options.append(tuple(texts.values()))
        if not one_option_each:
            yield from (tuple(zip(arrays, chosen, strict=True)) for chosen in product(*options))
            return
        usual = tuple(texts[0] for texts in options)
        alike = (tuple(text for _ in arrays) for text in dict.fromkeys(text for texts in options for text in texts))
        alone = ((*usual[:at], text, *usual[at + 1 :]) for at, texts in enumerate(options) for text in texts)
        for chosen in dict.fromkeys((usual, *alike, *alone)):
            if all(text in texts for text, texts in zip(chosen, options, strict=True)):
                yield tuple(zip(arrays, chosen, strict=True))

    def _touched(self, task: str) -> frozenset[str]:
        process = self.model.network.processes[task]
        return process.reads | process.writes


def _lines(extents: Shape) -> tuple[Shape, ...]:
    """Blocks that are whole along all dimensions but one, and one wide along that."""
    return tuple(
        tuple(1 if axis == narrow else extent for axis, extent in enumerate(extents))
        for narrow in range(len(extents))
        if extents[narrow] > 1
    )


def _by_scan(shapes: ShapeTable, rows_of: Mapping[Sequence[Scan], NDArray[np.intp]]) -> Iterator[ScanShapes]:
    """Each scan once, with the shapes of all rows that have it, by the rows that have the same scans."""
    joined: dict[tuple[int, ...], ShapeTable] = {}
    for first, scans in enumerate(rows_of):
        for scan in scans:
            own = tuple(kind for kind, others in enumerate(rows_of) if others is scans or scan in others)
            if own[0] == first:
                if own not in joined:
                    rows = np.concatenate([some for kind, some in enumerate(rows_of.values()) if kind in own])
                    joined[own] = shapes[np.sort(rows)]
                yield scan, joined[own]


def table_of(shapes: Sequence[Shape]) -> ShapeTable:
    """Block shapes, at least one, as a table (S, rank)."""
    return np.array(shapes, np.int64).reshape(len(shapes), -1)


def shape_of(row: NDArray[np.int64]) -> Shape:
    """A row of a `ShapeTable`."""
    return tuple(row.tolist())


def count_of(scans: Sequence[Scan]) -> int:
    """How many scans there are, which may be more than a length can say."""
    return scans.number if isinstance(scans, LegalScans) else len(scans)


def place_in_product(choices: Sequence[Sequence[Item]], number: int) -> tuple[Item, ...]:
    """What stands at a place of the product of some choices, the last changing first."""
    found = []
    for each in reversed(choices):
        number, at = divmod(number, len(each))
        found.append(each[at])
    return tuple(reversed(found))


@lru_cache(maxsize=1024)
def keep_of(text: str, loops: int) -> ReuseLevel | None:
    """A keep of its text; None where a scan of so many loops does not have its level."""
    try:
        return parse_keep(text, loops)
    except ValueError:
        return None
