"""Table 1 of paper B, whole, and the example of its section 4.2."""

from __future__ import annotations

from dataclasses import dataclass

from hwmodel.banks.references import NormalisedLoop, Reference, Subscript, Unknown

LOOPS = (NormalisedLoop("i", 100), NormalisedLoop("j", 100))


def reference(number: int, *dimensions: tuple[tuple[int, ...], int] | Subscript) -> Reference:
    """A reference to A by coefficients and offset per dimension."""
    parts = tuple(part if isinstance(part, Subscript) else Subscript(*part) for part in dimensions)
    return Reference("A", False, parts, number=number)


@dataclass(frozen=True)
class Row:
    """References, their partitions by number, and each one's new name and subscripts."""

    name: str
    references: tuple[Reference, ...]
    partitions: set[frozenset[int]]
    renamed: tuple[str, ...]


def _row(name: str, dimensions: list[tuple[object, ...]], partitions: list[set[int]], renamed: list[str]) -> Row:
    found = tuple(reference(number, *parts) for number, parts in enumerate(dimensions))  # type: ignore[arg-type]
    return Row(name, found, {frozenset(part) for part in partitions}, tuple(renamed))


_I, _J = (1, 0), (0, 1)


def _times(factor: int, index: tuple[int, int], offset: int = 0) -> tuple[tuple[int, int], int]:
    return (factor * index[0], factor * index[1]), offset


_NONE = (0, 0)
TABLE_1 = (
    _row("a", [(_times(2, _I),), (_times(2, _I, 1),)], [{0}, {1}], ["A_0[i]", "A_1[i]"]),
    _row("b", [(((2, 4), 0),), (((6, 6), 1),)], [{0}, {1}], ["A_0[i + 2 * j]", "A_1[i + j]"]),
    _row(
        "c",
        [
            (_times(2, _I), _times(2, _J, 1)),
            (_times(4, _I), _times(4, _J)),
            (_times(2, _I, 1), _times(2, _J)),
        ],
        [{0}, {1}, {2}],
        ["A_0_1[i, j]", "A_0_0[i, j]", "A_1_0[i, j]"],
    ),
    _row(  # A56[5][6] as printed wastes space: the compact form is A56[0][0]
        "d",
        [
            (_times(2, _I), _times(2, _J)),
            ((_NONE, 4), _times(2, _J)),
            (_times(2, _I, 1), _times(2, _J, 1)),
            ((_NONE, 5), (_NONE, 6)),
        ],
        [{0, 1}, {2}, {3}],
        ["A_0_0[i, j]", "A_0_0[2, j]", "A_1_1[i, j]", "A_5_6[0, 0]"],
    ),
    _row(
        "e",
        [(_times(1, _I), _times(2, _J, 1)), (_times(1, _J), _times(4, _I))],
        [{0}, {1}],
        ["A_0_1[i, j]", "A_0_0[j, i]"],
    ),
    _row(
        "f",
        [
            (_times(2, _I, 1), Subscript(_NONE, 0, (Unknown(3, "B[j]"),))),
            (_times(2, _I), _times(2, _J)),
        ],
        [{0}, {1}],
        ["A_1_0[i, B[j]]", "A_0_0[i, j]"],
    ),
    _row(
        "g",
        [
            (_times(4, _I), Subscript(_NONE, 1, (Unknown(4, "j * k"),))),
            (_times(2, _I), _times(2, _J)),
        ],
        [{0}, {1}],
        ["A_0_1[i, (j * k)]", "A_0_0[i, j]"],
    ),
)

FOUR_REFERENCES = (
    reference(0, ((2,), 0)),
    reference(1, ((4,), 3)),
    reference(2, ((8,), 1)),
    reference(3, ((8,), 5)),
)
