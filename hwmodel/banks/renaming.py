"""Virtual memories: new names and subscripts of references, and the maps to them and back (eqs. 4-7, fig. 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import gcd

from arrayol.ir.spec import Shape
from hwmodel.banks.partition import Lattice, Partition, lattice_of, residue
from hwmodel.banks.references import ArrayInfo, Reference, Subscript

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

    def holds(self, element: Sequence[int]) -> bool:
        """Whether a reference of the partition can name the element; no other partition's then can."""
        return any(
            all(
                residue(coordinate, stride) == offset
                for coordinate, (stride, offset) in zip(element, lattice, strict=True)
            )
            for lattice in self.lattices
        )

    def forward(self, element: Sequence[int]) -> Element | None:
        """Eq. 7: where the memory keeps an element of the array; None for an element that it does not hold."""
        if not self.holds(element):
            return None
        dimensions = zip(element, self.suffix, self.strides, strict=True)
        return tuple((coordinate - first) // stride if stride else 0 for coordinate, first, stride in dimensions)

    def backward(self, place: Sequence[int]) -> Element:
        """The inverse of eq. 7: the element of the array at a place of the memory."""
        return tuple(
            first + stride * index for index, first, stride in zip(place, self.suffix, self.strides, strict=True)
        )


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
        gcd(*(part.stride for part in dimension))
        for dimension in zip(*(reference.subscripts for reference in partition), strict=True)
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
