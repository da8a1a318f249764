"""The custom layout of a nest: virtual memories for all arrays, mapped on physical banks (paper B, fig. 3).

Each partition of an array's references becomes a virtual memory. Its elements have one residue b mod s modulo the
partition's common stride s, so element b mod s + s v may lie at v, and a L + b becomes (a / s) L + floor(b / s) (eqs. 4
to 7). The map is one-to-one: one element stays one place, two elements stay two (paper B, theorems 2 and 3), and the
array moved by eq. 7 before the nest is what the renamed references expect (theorem 4). It is so in each dimension by
itself. Virtual memories that are more than the banks share them: the most accessed first, each on the least busy bank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import gcd

from arrayol.ir.spec import Shape
from hwmodel.banks.cost import Busy
from hwmodel.banks.partition import PARTITIONS, Lattice, Partition, lattice_of, residue
from hwmodel.banks.references import ArrayInfo, Reference, Subscript, UnrolledNest

Element = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class VirtualMemory:
    """The memory of one partition of an array's references: element suffix + strides v is at v, dimension by dimension.

    `strides` are those of the partition itself, not of all references (the paper's text leaves it open); where one is 0
    the elements share one coordinate, `suffix`, and v is 0 (table 1 (d) as printed wastes space: A56[5][6] here is
    A_5_6[0, 0]). `shape` covers the array; None is an infinite dimension. `lattices` tell which elements the references
    name. `replica` numbers the copies of a replicated read-only array, 0 for the only or first one.
    """

    array: str
    name: str
    strides: tuple[int, ...]
    suffix: tuple[int, ...]
    shape: Shape
    references: tuple[Reference, ...]
    renamed: tuple[tuple[Subscript, ...], ...]
    lattices: frozenset[Lattice]
    replica: int = 0


def rename(
    partitions: Iterable[Partition], array: ArrayInfo, taken: set[str] | None = None
) -> tuple[VirtualMemory, ...]:
    """Procedure Array_Renaming: a virtual memory for each partition of an array's references.

    A name is the array's with the suffix, A_0_1; where that is taken, or two partitions have one suffix (only the finer
    ones can), a letter follows. The suffix is a tuple: glued digits, as printed, could mean two things. The names are
    added to those `taken`.
    """
    used = set() if taken is None else taken
    return tuple(_memory(partition, array, used) for partition in partitions)


def replicas(memory: VirtualMemory, count: int, taken: set[str]) -> tuple[VirtualMemory, ...]:
    """Footnote 1: `count` copies of a read-only memory, its references dealt out among them in turn.

    The new names are added to those `taken`.
    """
    names = [memory.name, *(_free_name(f"{memory.name}_copy{number}", taken) for number in range(1, count))]
    return tuple(
        replace(
            memory,
            name=name,
            references=memory.references[number::count],
            renamed=memory.renamed[number::count],
            replica=number,
        )
        for number, name in enumerate(names)
    )


def _memory(partition: Partition, array: ArrayInfo, used: set[str]) -> VirtualMemory:
    strides = tuple(
        _common_stride(dimension) for dimension in zip(*(reference.subscripts for reference in partition), strict=True)
    )
    suffix = tuple(residue(part.offset, stride) for part, stride in zip(partition[0].subscripts, strides, strict=True))
    shape = tuple(_extent(*each) for each in zip(array.shape, suffix, strides, strict=True))
    renamed = tuple(
        tuple(_renamed(part, stride) for part, stride in zip(reference.subscripts, strides, strict=True))
        for reference in partition
    )
    stem = "_".join([array.name, *(str(number).replace("-", "m") for number in suffix)])
    lattices = frozenset(lattice_of(reference) for reference in partition)
    return VirtualMemory(array.name, _free_name(stem, used), strides, suffix, shape, partition, renamed, lattices)


def _common_stride(dimension: Sequence[Subscript]) -> int:
    """The greatest stride of which all references have one residue.

    Their own common one may be greater: a split in a later dimension can part references of 9i + 3 and 9i + 6 from one
    of 3i that kept them together here.
    """
    return gcd(*(part.stride for part in dimension), *(part.offset - dimension[0].offset for part in dimension))


def _renamed(subscript: Subscript, stride: int) -> Subscript:
    """Eqs. 5 and 6, with floor for b/s; 0 for a constant that all references share."""
    if stride == 0:
        return Subscript(subscript.coefficients, 0)
    return Subscript(
        tuple(factor // stride for factor in subscript.coefficients),
        subscript.offset // stride,
        tuple(replace(part, factor=part.factor // stride) for part in subscript.unknown),
    )


def _extent(extent: int | None, suffix: int, stride: int) -> int | None:
    """How many coordinates suffix, suffix + stride, ... lie below an extent."""
    if stride == 0:
        return 1 if extent is None or 0 <= suffix < extent else 0
    return None if extent is None else max(0, -((suffix - extent) // stride))


def _free_name(stem: str, used: set[str]) -> str:
    """The stem, or the stem with letters; the name is taken from now on."""
    name, letter = stem, 0
    while name in used:
        name, letter = f"{stem}_{_letters(letter)}", letter + 1
    used.add(name)
    return name


def _letters(number: int) -> str:
    text = ""
    while number >= 0:
        number, place = divmod(number, 26)
        text, number = chr(ord("a") + place) + text, number - 1
    return text


# Physical mapping: virtual memories spread over the physical ones (paper B, section 5).


@dataclass(frozen=True, slots=True)
class Tie:
    """A statement that stores in some memories what it makes of others.

    By this scheduling constraint the two sides are never accessed at once within a body, and share a bank well.
    """

    loads: frozenset[int]
    stores: frozenset[int]


@dataclass(frozen=True, slots=True)
class Demand:
    """What the physical mapping weighs, by the memories' numbers: accesses in one run of each body, and the ties."""

    accesses: tuple[Counter[int], ...]  # by memory: body -> accesses
    ties: tuple[Tie, ...] = ()


def demand_of(memories: Sequence[VirtualMemory], accesses: Sequence[tuple[int, Reference]]) -> Demand:
    """The demand of accesses, each with the number of its memory."""
    counts: tuple[Counter[int], ...] = tuple(Counter() for _ in memories)
    loads: dict[object, set[int]] = {}
    stores: dict[object, set[int]] = {}
    for number, reference in accesses:
        counts[number][reference.body] += 1
        (stores if reference.write else loads).setdefault(reference.instance, set()).add(number)
    ties = (Tie(frozenset(loads.get(instance, ())), frozenset(stored)) for instance, stored in stores.items())
    return Demand(counts, tuple(tie for tie in ties if tie.loads))


def longest_first(demand: Demand, banks: int) -> tuple[int, ...]:
    """The bank of each memory: the most accessed first, each where the bank is least busy in the same bodies.

    Among equal banks the one with fewer memories wins, then the one with more ties, then the lowest. With one body this
    is longest processing time first: at most 4/3 - 1/(3 banks) of the optimum (Graham 1969).
    """
    spread = _Spread(demand, banks)
    by_length = sorted(range(len(demand.accesses)), key=lambda number: (-demand.accesses[number].total(), number))
    for memory in by_length:
        spread.place(memory)
    return tuple(spread.chosen[number] for number in range(len(demand.accesses)))


@dataclass
class _Spread:
    """A mapping in the making: how busy each bank is, and which sides of each tie it holds."""

    demand: Demand
    banks: int
    chosen: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.busy: list[Counter[int]] = [Counter() for _ in range(self.banks)]
        self.held = [0] * self.banks
        self.loading = [[0] * self.banks for _ in self.demand.ties]
        self.storing = [[0] * self.banks for _ in self.demand.ties]
        self.loads_of: list[list[int]] = [[] for _ in self.demand.accesses]
        self.stores_of: list[list[int]] = [[] for _ in self.demand.accesses]
        for number, tie in enumerate(self.demand.ties):
            for memory in tie.loads:
                self.loads_of[memory].append(number)
            for memory in tie.stores:
                self.stores_of[memory].append(number)

    def place(self, memory: int) -> None:
        """Choose the bank of one more memory."""
        needs = self.demand.accesses[memory]
        tied = [0] * self.banks
        for number in self.loads_of[memory]:
            tied = [sum(pair) for pair in zip(tied, self.storing[number], strict=True)]
        for number in self.stores_of[memory]:
            tied = [sum(pair) for pair in zip(tied, self.loading[number], strict=True)]
        keys = [
            (sum(busy[body] for body in needs), busy.total(), self.held[bank], -tied[bank], bank)
            for bank, busy in enumerate(self.busy)
        ]
        bank = min(keys)[-1]
        self.chosen[memory] = bank
        self.busy[bank].update(needs)
        self.held[bank] += 1
        for number in self.loads_of[memory]:
            self.loading[number][bank] += 1
        for number in self.stores_of[memory]:
            self.storing[number][bank] += 1


@dataclass(frozen=True, slots=True)
class Custom:
    """Virtual memories in the order of the arrays, and the physical bank of each."""

    memories: tuple[VirtualMemory, ...]
    bank: tuple[int, ...]
    banks: int

    def of_array(self, array: str) -> tuple[VirtualMemory, ...]:
        return tuple(memory for memory in self.memories if memory.array == array)

    def busy(self, accesses: Sequence[Reference]) -> list[Busy]:
        """The bank of each access."""
        numbers = _numbers(self.memories)
        return [frozenset({self.bank[numbers[reference]]}) for reference in accesses]


def _numbers(memories: Sequence[VirtualMemory]) -> dict[Reference, int]:
    """The number of the memory that serves each reference."""
    return {reference: number for number, memory in enumerate(memories) for reference in memory.references}


def custom_layout(
    nest: UnrolledNest,
    banks: int,
    *,
    partition: str = "paper",
    replicated: frozenset[str] = frozenset(),
    accesses: Sequence[Reference] | None = None,
) -> Custom:
    """The memories of a nest on `banks` physical ones; arrays in `replicated` are copied for their references.

    `accesses` are those that the mapping spreads where registers save some of the nest's references. Replicated arrays
    must be read only.
    """
    memories = _memories(nest, banks, partition, replicated)
    numbers = _numbers(memories)
    weighed = nest.references if accesses is None else accesses
    demand = demand_of(memories, [(numbers[reference], reference) for reference in weighed])
    return Custom(memories, longest_first(demand, banks), banks)


def read_only(nest: UnrolledNest) -> tuple[str, ...]:
    """The arrays that the nest reads and never writes."""
    written = {reference.array for reference in nest.references if reference.write}
    read = {reference.array for reference in nest.references}
    return tuple(name for name in nest.arrays if name in read - written)


def _memories(nest: UnrolledNest, banks: int, partition: str, replicated: frozenset[str]) -> tuple[VirtualMemory, ...]:
    by_array: dict[str, list[Reference]] = {name: [] for name in nest.arrays}
    for reference in nest.references:
        by_array[reference.array].append(reference)
    taken, memories = set(nest.arrays), list[VirtualMemory]()
    for array in nest.arrays.values():
        for memory in rename(PARTITIONS[partition](by_array[array.name]), array, taken):
            copies = min(len(memory.references), banks) if array.name in replicated else 1
            memories += replicas(memory, copies, taken) if copies > 1 else [memory]
    return tuple(memories)
