"""Array references of a loop nest: what each names by the loop indices (paper B, section 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import gcd, prod

from arrayol.ir.borders import Border
from arrayol.ir.expressions import Expr
from arrayol.ir.spec import Shape


@dataclass(frozen=True, slots=True)
class Fold:
    """A border at the ends of an axis of `extent` elements: what leaves it is one of them."""

    border: Border
    extent: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """`factor` times an integer that is not affine in the loop indices: 3 B[j], 4 j k, 2 (i // 3), 8 q of a wrap.

    Equal `text` means equal values within one iteration as long as none of the arrays in `reads` is written; `expr` is
    the integer as an expression of the original indices, None where there is none (tilers). A subscript that a border
    changes holds the `fold`: its value is what that makes of the affine part.
    """

    factor: int
    text: str
    reads: tuple[str, ...] = ()
    expr: Expr | None = field(default=None, compare=False, repr=False)
    fold: Fold | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Subscript:
    """a_1 L_1 + ... + a_n L_n + b in one array dimension, plus what is not affine.

    `coefficients` has one entry per loop of the reference's body, outermost first; the loops count 0, 1, 2, ... It is
    the row of a matrix, not an `Affine` by names: banks are found by arithmetic on all rows at once.
    """

    coefficients: tuple[int, ...]
    offset: int
    unknown: tuple[Unknown, ...] = ()

    @property
    def stride(self) -> int:
        """Eq. 1: the greatest common divisor of the coefficients, 0 for a constant; factors of unknowns count."""
        return gcd(*self.coefficients, *(part.factor for part in self.unknown))

    @property
    def affine(self) -> bool:
        return not self.unknown

    def value(self, indices: tuple[int, ...]) -> int:
        """The subscript in one iteration, where it is affine."""
        return sum(factor * index for factor, index in zip(self.coefficients, indices, strict=True)) + self.offset


@dataclass(frozen=True, slots=True)
class Reference:
    """One access of the unrolled body.

    `body` numbers the innermost bodies of a nest (a perfect nest has one), `statement` the statements of a body in
    textual order, `copy` is the place among the unrolled copies: 0 <= copy[k] < factor[k] per loop. `number` counts the
    reads of the statement in textual order; the write comes last. `certain` is false where a condition decides whether
    the access happens.
    """

    array: str
    write: bool
    subscripts: tuple[Subscript, ...]
    body: int = 0
    statement: int = 0
    copy: tuple[int, ...] = ()
    number: int = 0
    certain: bool = True

    @property
    def instance(self) -> tuple[int, int, tuple[int, ...]]:
        """The statement's copy that the access belongs to."""
        return self.body, self.statement, self.copy

    @property
    def affine(self) -> bool:
        return all(subscript.affine for subscript in self.subscripts)


@dataclass(frozen=True, slots=True)
class NormalisedLoop:
    """A normalised loop: its index runs 0, 1, ... below `extent` (None: without end), in unrolled bodies.

    With a remainder `extent` counts full bodies only. Where an inner bound depends on outer indices it is the largest.
    """

    name: str
    extent: int | None


@dataclass(frozen=True, slots=True)
class Body:
    """The innermost statements under common loops, unrolled: their references in the order of execution.

    `factors` are the unroll factors per loop; `runs` how often the full unrolled body runs in one execution of the
    nest, None where that has no end; `leftover` counts the iterations that no full body holds.
    """

    loops: tuple[NormalisedLoop, ...]
    factors: tuple[int, ...]
    references: tuple[Reference, ...]
    runs: int | None
    leftover: int = 0


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """An array of a nest: whether its values come from before the nest, and whether they are used after it."""

    name: str
    shape: Shape
    live_in: bool
    live_out: bool

    @property
    def elements(self) -> int | None:
        """How many elements there are; None for an infinite array."""
        extents = [extent for extent in self.shape if extent is not None]
        return prod(extents) if len(extents) == len(self.shape) else None


@dataclass(frozen=True, slots=True)
class UnrolledNest:
    """A task or elementary after unrolling; arrays in the order of its ports."""

    name: str
    arrays: Mapping[str, ArrayInfo]
    bodies: tuple[Body, ...]

    @property
    def references(self) -> tuple[Reference, ...]:
        return tuple(reference for body in self.bodies for reference in body.references)
