"""What tasks are made of: their ports, and the tilers of their links.

Each part is resolved as far as it goes: a `Fragment` says what had to be left out, so that the rest is checked too.
Repetitions, which have links of their own, are resolved in `repetitions`, compound tasks in `compounds`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from arrayol.ir import syntax
from arrayol.ir.spec import (
    MAXIMUM_RANK,
    Component,
    ConstArray,
    IntMatrix,
    Port,
    Shape,
    Tiler,
    own_part_tiler,
    whole_array_tiler,
)
from arrayol.ir.types import ElementType
from arrayol.language.constants import named_type
from arrayol.language.namespace import Definitions
from arrayol.language.syntax.diagnose import Mistake, Mistakes, mistake, shown_shape
from arrayol.source import Span
from arrayol.text import counted

# Ports: element types and shapes of elementaries and tasks.


@dataclass(frozen=True, slots=True)
class TaskSignature:
    """The resolved ports of a component; the last `tables` inputs are const arrays that it reads."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    tables: int = 0

    @property
    def declared(self) -> tuple[Port, ...]:
        """The inputs that are written in the signature."""
        return self.inputs[: len(self.inputs) - self.tables]

    @property
    def hidden(self) -> tuple[Port, ...]:
        """The const arrays among the inputs."""
        return self.inputs[len(self.inputs) - self.tables :]

    @property
    def ports(self) -> tuple[Port, ...]:
        return self.inputs + self.outputs


def resolve_signature(
    item: syntax.Elementary | syntax.Task, tables: Sequence[ConstArray], definitions: Definitions, mistakes: Mistakes
) -> TaskSignature:
    """The ports of a component that reads those const arrays.

    Raises a silent Mistake after noting what is wrong with them.
    """
    names = [port.name for port in (*item.signature.inputs, *item.signature.outputs)]
    check_fresh(names, "port", definitions, mistakes)
    inputs, outputs = (
        mistakes.attempt(lambda ports=ports: mistakes.all_of(ports, lambda port: _port(port, item, definitions)))  # type: ignore[misc]
        for ports in (item.signature.inputs, item.signature.outputs)
    )
    if inputs is None or outputs is None:
        raise Mistake
    return TaskSignature((*inputs, *(table.port for table in tables)), outputs, len(tables))


def _port(port: syntax.Port, item: syntax.Elementary | syntax.Task, definitions: Definitions) -> Port:
    element_type = resolve_element_type(port.type)
    shape = resolve_shape(port.shape, definitions)
    infinite = [dim for dim in port.shape if isinstance(dim, syntax.Infinite)]
    if infinite and isinstance(item, syntax.Elementary):
        raise mistake(
            "infinite-pattern",
            f"port '{port.name.text}' of an elementary task cannot be infinite",
            infinite[0].span,
            "give it a finite pattern and repeat the elementary along the infinite dimension",
        )
    if len(infinite) > 1:
        raise mistake("two-infinite", "an array has at most one infinite dimension", infinite[1].span)
    return Port(port.name.text, element_type, shape, port.span)


def resolve_element_type(name: syntax.Name) -> ElementType:
    """The type of elements that a name means. Raises Mistake (`unknown-type`, `bad-width`)."""
    return named_type(name)


def resolve_shape(dims: Sequence[syntax.Dim], definitions: Definitions) -> Shape:
    """The extents of an array or repetition space; None is infinite. Raises Mistake."""
    if len(dims) > MAXIMUM_RANK:
        message = f"{len(dims)} dimensions; at most {MAXIMUM_RANK} are allowed"
        raise mistake("too-many-dimensions", message, dims[MAXIMUM_RANK].span, "make one dimension of several")
    return tuple(None if isinstance(dim, syntax.Infinite) else _extent(dim, definitions) for dim in dims)


def _extent(dim: syntax.Expr, definitions: Definitions) -> int:
    extent = definitions.constants.integer(dim, "a dimension")
    if extent < 1:
        raise mistake("empty-dimension", f"a dimension must be at least 1, not {extent}", dim.span)
    if extent >= 1 << 63:
        raise mistake("huge-dimension", "a dimension must be below 2**63", dim.span)
    return extent


def check_fresh(names: Iterable[syntax.Name], what: str, definitions: Definitions, mistakes: Mistakes) -> None:
    """Note local names that repeat each other or a file-level name: a name has one meaning."""
    seen: set[str] = set()
    for name in names:
        if name.text in definitions.by_name:
            message = f"'{name.text}' is already {definitions.kind(name.text)} of this file"
            mistakes.report("name-reused", message, name.span, f"choose another name for the {what}")
        elif name.text in seen:
            mistakes.report("defined-twice", f"two {what}s are named '{name.text}'", name.span, "rename one of them")
        seen.add(name.text)


# Tilers: integer origin, paving and fitting whose ranks fit their array, repetition and pattern.


@dataclass(frozen=True, slots=True)
class TilerContext:
    """Where a tiler is used: the ranks it must have."""

    array: str
    array_shape: Shape
    repetition: Shape
    port: str
    pattern: Shape


def resolve_tiler(reference: syntax.TilerRef, place: TilerContext, definitions: Definitions) -> Tiler:
    """The tiler of a link. Raises Mistake (`rank-mismatch`, `ragged-matrix`, or what its numbers have)."""
    tiler = definitions.tiler(reference) if isinstance(reference, syntax.Name) else reference
    rank = len(place.array_shape)
    origin = tuple(definitions.constants.integer(item, "an origin") for item in tiler.origin.items)
    if len(origin) != rank:
        raise mistake(
            "rank-mismatch",
            f"the origin has {counted(len(origin), 'entry', 'entries')}; {_array(place)} needs {rank}",
            reference.span,
            "an origin has one entry per dimension of the array",
        )
    paving = _matrix("paving", tiler.paving, rank, len(place.repetition), reference, place, definitions)
    fitting = _matrix("fitting", tiler.fitting, rank, len(place.pattern), reference, place, definitions)
    return Tiler(origin, paving, fitting, tiler.wrap, reference.span)


def plain_tiler(place: TilerContext, span: Span, skipped: Collection[int] = ()) -> Tiler:
    """The tiler of a link without one: each instance has the whole array, or the pattern at its own index.

    The pattern lies along the array's last dimensions; before them there are none, or those of the repetition space
    that are not `skipped`. Raises Mistake (`no-plain-link`).
    """
    if place.array_shape == place.pattern:
        return whole_array_tiler(len(place.pattern), span, len(place.repetition))
    kept = [axis for axis in range(len(place.repetition)) if axis not in skipped]
    own_parts = (*(place.repetition[axis] for axis in kept), *place.pattern)
    if place.array_shape == own_parts:
        tiler = own_part_tiler(len(kept), len(place.pattern), span)
        paving = tuple(
            tuple(row[kept.index(axis)] if axis in kept else 0 for axis in range(len(place.repetition)))
            for row in tiler.paving
        )
        return replace(tiler, paving=paving)
    raise mistake(
        "no-plain-link",
        f"no plain link of '{place.port}' to '{place.array}', which is {shown_shape(place.array_shape) or 'scalar'}: "
        f"the whole array for each instance would be {shown_shape(place.pattern) or 'scalar'}, "
        f"a pattern of its own for each {shown_shape(own_parts)}",
        span,
        "write the tiler: at origin [...] paving [...] fitting [...]",
    )


def _matrix(
    role: str,
    matrix: syntax.Matrix,
    rows: int,
    columns: int,
    reference: syntax.TilerRef,
    place: TilerContext,
    definitions: Definitions,
) -> IntMatrix:
    """A matrix as rows of integers; `[]` stands for any matrix without entries."""
    lengths = [len(row) for row in matrix.rows]
    ragged = next((number for number, length in enumerate(lengths) if length != lengths[0]), None)
    if ragged is not None:
        entries = counted(lengths[ragged], "entry", "entries")
        raise mistake(
            "ragged-matrix",
            f"row {ragged + 1} of the {role} has {entries}, row 1 has {lengths[0]}",
            matrix.rows[ragged][0].span.to(matrix.rows[ragged][-1].span),
            "rows are separated by ';', entries by ','",
        )
    size = (len(lengths), lengths[0] if lengths else 0)
    if size != (rows, columns) and not (size == (0, 0) and 0 in (rows, columns)):
        raise _wrong_ranks(role, size, (rows, columns), reference, place)
    values = tuple(
        tuple(definitions.constants.integer(item, f"an entry of the {role}") for item in row) for row in matrix.rows
    )
    return values or ((),) * rows


def _wrong_ranks(
    role: str, size: tuple[int, int], needed: tuple[int, int], reference: syntax.TilerRef, place: TilerContext
) -> Exception:
    space = (
        f"repetition space of rank {len(place.repetition)}"
        if role == "paving"
        else f"pattern of port '{place.port}' of rank {len(place.pattern)}"
    )
    message = f"the {role} is {size[0]} x {size[1]}; {_array(place)} and a {space} need {needed[0]} x {needed[1]}"
    hint = f"a {role} has one row per dimension of the array and one column per dimension of the "
    hint += "repetition space" if role == "paving" else "pattern"
    if size == needed[::-1]:
        hint = f"its transpose would fit: {hint}"
    return mistake("rank-mismatch", message, reference.span, hint)


def _array(place: TilerContext) -> str:
    return f"array '{place.array}' of rank {len(place.array_shape)}"


# A component as far as it could be resolved, so that its sound parts are checked beside the mistakes of the others.

INPUTS, OUTPUTS, DELAYS, BODY, PORTS = "inputs", "outputs", "delays", "body", "ports"


@dataclass(frozen=True, slots=True)
class Fragment:
    """A component and which parts of it had mistakes: what those parts hold was left out."""

    component: Component
    damaged: frozenset[str] = frozenset()

    @property
    def whole(self) -> bool:
        """Whether nothing was left out."""
        return not self.damaged
