"""Tilers: integer origin, paving and fitting whose ranks fit their array, repetition and pattern."""

from __future__ import annotations

from dataclasses import dataclass

from arrayol.ir import syntax
from arrayol.ir.spec import IntMatrix, Shape, Tiler
from arrayol.language.diagnose import mistake
from arrayol.language.namespace import Definitions


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tiler is used: the ranks it must have."""

    array: str
    array_shape: Shape
    repetition: Shape
    port: str
    pattern: Shape


def resolve_tiler(reference: syntax.TilerRef, place: Place, definitions: Definitions) -> Tiler:
    """The tiler of a link. Raises Mistake (`rank-mismatch`, `ragged-matrix`, or what its numbers have)."""
    tiler = definitions.tiler(reference) if isinstance(reference, syntax.Name) else reference
    rank = len(place.array_shape)
    origin = tuple(definitions.constants.integer(item, "an origin") for item in tiler.origin.items)
    if len(origin) != rank:
        raise mistake(
            "rank-mismatch",
            f"the origin has {_count(len(origin), 'entry')}; {_array(place)} needs {rank}",
            reference.span,
            "an origin has one entry per dimension of the array",
        )
    paving = _matrix("paving", tiler.paving, rank, len(place.repetition), reference, place, definitions)
    fitting = _matrix("fitting", tiler.fitting, rank, len(place.pattern), reference, place, definitions)
    return Tiler(origin, paving, fitting, tiler.wrap, reference.span)


def _matrix(
    role: str,
    matrix: syntax.Matrix,
    rows: int,
    columns: int,
    reference: syntax.TilerRef,
    place: Place,
    definitions: Definitions,
) -> IntMatrix:
    """A matrix as rows of integers; `[]` stands for any matrix without entries."""
    lengths = [len(row) for row in matrix.rows]
    ragged = next((number for number, length in enumerate(lengths) if length != lengths[0]), None)
    if ragged is not None:
        raise mistake(
            "ragged-matrix",
            f"row {ragged + 1} of the {role} has {_count(lengths[ragged], 'entry')}, row 1 has {lengths[0]}",
            matrix.rows[ragged][0].span.to(matrix.rows[ragged][-1].span),
            "rows are separated by ';', entries by ','",
        )
    found = (len(lengths), lengths[0] if lengths else 0)
    if found != (rows, columns) and not (found == (0, 0) and 0 in (rows, columns)):
        raise _wrong_ranks(role, found, (rows, columns), reference, place)
    values = tuple(
        tuple(definitions.constants.integer(item, f"an entry of the {role}") for item in row) for row in matrix.rows
    )
    return values or ((),) * rows


def _wrong_ranks(
    role: str, found: tuple[int, int], needed: tuple[int, int], reference: syntax.TilerRef, place: Place
) -> Exception:
    space = (
        f"repetition space of rank {len(place.repetition)}"
        if role == "paving"
        else f"pattern of port '{place.port}' of rank {len(place.pattern)}"
    )
    message = f"the {role} is {found[0]} x {found[1]}; {_array(place)} and a {space} need {needed[0]} x {needed[1]}"
    hint = f"a {role} has one row per dimension of the array and one column per dimension of the "
    hint += "repetition space" if role == "paving" else "pattern"
    if found == needed[::-1]:
        hint = f"its transpose would fit: {hint}"
    return mistake("rank-mismatch", message, reference.span, hint)


def _array(place: Place) -> str:
    return f"array '{place.array}' of rank {len(place.array_shape)}"


def _count(number: int, noun: str) -> str:
    return (
        f"{number} {noun}" if number == 1 else f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"
    )
