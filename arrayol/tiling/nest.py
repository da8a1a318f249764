"""A nest of statements with a schedule and tile sizes: what all questions about tiles are asked of.

Parameters of isl objects are named `parameter(name)` for the symbolic consts and symbolic tile sizes; the dimensions of
their tuples have no names and are told by their places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import islpy as isl

from arrayol.errors import ArrayolError, error
from arrayol.ir import expressions
from arrayol.ir.spec import Elementary, OuterRange, RepetitiveTask, Shape, SymbolicComponent
from arrayol.ir.types import ElementType
from arrayol.polyhedral.nests import Parameters
from arrayol.polyhedral.pieces import value_pieces
from arrayol.source import Span

Role = Literal["input", "output", "delayed", "local"]
Size = int | str  # iterations per tile along a schedule dimension; a name where it stays symbolic


@dataclass(frozen=True, slots=True)
class NestArray:
    """An array in external memory, or a local of a body, which is in local memory only.

    `shape` holds the extents under the consts' values, also where some of them stay symbolic; `extents` gives them as
    isl's texts over the symbols. An array of the role `delayed` holds what a delay carries between repetitions: one
    element for each repetition and pattern index. A local has a dimension for each range variable `around` it, then its
    own; `extents` has nothing of it.
    """

    name: str
    type: ElementType
    shape: Shape
    role: Role
    extents: tuple[str, ...]
    around: tuple[OuterRange, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether it is a local: never loaded, never stored."""
        return self.role == "local"


@dataclass(frozen=True, slots=True)
class NestReach:
    """What a statement's instances touch of one array, as relations from instances to elements.

    `may` holds every access that may happen, `sure` those that happen whatever the data are.
    """

    array: str
    may: isl.Map
    sure: isl.Map


@dataclass(frozen=True, slots=True)
class ProgramStatement:
    """A statement as written.

    `number` counts statements from 1 in textual order. `indices` are the users' names of the range variables, r0, r1,
    ... for a repetition, whose `assign` is None. `path` gives, from the outermost level inwards, the textual place
    there and how many range variables it brings. An instance reads all that it reads before it writes. `+=` reads what
    it adds to.
    """

    number: int
    indices: tuple[str, ...]
    path: tuple[tuple[int, int], ...]
    domain: isl.Set
    reads: tuple[NestReach, ...]
    writes: tuple[NestReach, ...]
    assign: expressions.Assign | None


@dataclass(frozen=True, slots=True)
class ScheduledStatement(ProgramStatement):
    """A statement of the tiled part, and when each of its instances runs: `schedule` maps an instance to its time.

    Instances of one time run in the order of their statements' numbers.
    """

    schedule: isl.Map


@dataclass(frozen=True, slots=True)
class TiledNest:
    """Statements that run tile by tile, tiles in lexicographic order, the instances of a tile in that of their times.

    A tile is a point [t_0, ..., t_n-1], one coordinate for each schedule dimension: it holds the times x with
    b_k t_k <= x_k < b_k (t_k + 1). Where a size b_k is symbolic, the coordinate is the tile's origin p_k = b_k t_k
    instead, since b_k t_k is not affine: p_k <= x_k < p_k + b_k; it stands for any integer, and means a tile where it
    is a multiple of b_k. `by_origin` says for each dimension which one it is. A strip holds the tiles that differ in
    the last `strip_dims` coordinates only.

    `before` and `after` number the statements that run as written before and after the tiled ones. `symbols` are the
    names of the consts and tile sizes that stay symbolic, `context` what is known of them, `values` the values of the
    consts among them as the file or a setting gives them. `text` gives each schedule as it was written.
    """

    name: str
    statements: tuple[ScheduledStatement, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    arrays: Mapping[str, NestArray]
    symbols: tuple[str, ...]
    values: Mapping[str, int]
    context: isl.Set
    sizes: tuple[Size, ...]
    strip_dims: int
    text: tuple[tuple[str, ...], ...]

    @property
    def depth(self) -> int:
        """The number of schedule dimensions, which is that of a tile's coordinates."""
        return len(self.sizes)

    @property
    def by_origin(self) -> tuple[bool, ...]:
        """For each coordinate of a tile whether it is the tile's origin, not its number."""
        return tuple(isinstance(size, str) for size in self.sizes)

    def along(self, strip_dims: int) -> TiledNest:
        """The nest with strips along its first `strip_dims` dimensions."""
        return self if strip_dims == self.strip_dims else replace(self, strip_dims=strip_dims)

    @property
    def tile_names(self) -> tuple[str, ...]:
        """Names of a tile's coordinates as they are shown: I, J, ... for the strip, T last; in lower case an origin.

        A name that a range variable or a symbol has already gets a 0.
        """
        outer = ["I", "J", "K", "L", "M"][: self.depth - 1] if self.depth <= 6 else []
        names = [*(outer or [f"I{place}" for place in range(1, self.depth)]), "T"]
        cased = [name.lower() if origin else name for name, origin in zip(names, self.by_origin, strict=True)]
        taken = {*self.symbols, *(index for statement in self.statements for index in statement.indices)}
        return tuple(f"{name}0" if name in taken else name for name in cased)


PREFIX = "p_"


def parameter(symbol: str) -> str:
    """The name that isl has for a symbol; the user's could be a word of isl."""
    return f"{PREFIX}{symbol}"


@dataclass(frozen=True, slots=True)
class Traffic:
    """What each tile moves, by array: relations [params] -> { [tile] -> [element] }.

    `read` is In(T), what a tile may read before it surely wrote it; `written` and `surely_written` bound Out(T) from
    above and below; `load` and `store` are the transfers before and after the tile, by theorem 1 where In and Out are
    exact (`exact`, by array), else by theorem 6. `touched` is what the tile's instances may access; `accesses` holds
    sets of [tile, element, key] of the possible reads and the possible and sure writes, see `relations.Frame`.
    `simplified` says that load or store were made single polyhedra.

    A local is neither loaded nor stored, so it stays in local memory from strip to strip where its uses do: `nests` has
    the nest with strips that are long enough for all uses of an element, by array. `variables` are the locals of which
    local memory holds nothing: each is used within a tile, and before the next one is. `zeroed` has what of locals
    starts at zero in a tile, since `+=` adds to it and nothing has written it before.
    """

    nest: TiledNest
    read: Mapping[str, isl.Map]
    written: Mapping[str, isl.Map]
    surely_written: Mapping[str, isl.Map]
    load: Mapping[str, isl.Map]
    store: Mapping[str, isl.Map]
    touched: Mapping[str, isl.Map]
    accesses: Mapping[str, tuple[isl.Set, ...]]
    exact: Mapping[str, bool]
    simplified: bool
    nests: Mapping[str, TiledNest]
    variables: frozenset[str]
    zeroed: Mapping[str, isl.Map]

    @property
    def moved(self) -> tuple[str, ...]:
        """The arrays in external memory."""
        return tuple(name for name in self.touched if not self.nest.arrays[name].is_local)

    @property
    def locals(self) -> tuple[str, ...]:
        """The locals."""
        return tuple(name for name in self.touched if self.nest.arrays[name].is_local)

    @property
    def kept_locals(self) -> tuple[str, ...]:
        """The locals that local memory holds."""
        return tuple(name for name in self.locals if name not in self.variables)


# Expressions of symbols as isl's text, and what is known of symbols.


def parameters_of(symbolic: SymbolicComponent) -> Parameters:
    """The symbols of a component and the shapes of its arrays, for isl."""
    names = {name: parameter(name) for name in symbolic.symbols}
    component = symbolic.component
    around = {local.name: local.around for local in component.locals} if isinstance(component, Elementary) else {}
    extents = {
        name: (
            *("?" for _ in around.get(name, ())),
            *(affine_text(size, symbolic) for size in shape if size is not None),
        )
        for name, shape in symbolic.shapes.items()
    }
    return Parameters(names, extents)


def affine_text(expr: expressions.Expr, symbolic: SymbolicComponent) -> str:
    """An expression of symbols. Raises ArrayolError (`not-symbolic`) where it is not affine."""
    pieces = value_pieces(expr, {name: parameter(name) for name in symbolic.symbols})
    if pieces is None or len(pieces) != 1 or pieces[0][0]:
        raise not_affine(symbolic, expr.span, "it must be a sum of multiples of the symbols")
    return pieces[0][1]


def product_text(factor: expressions.Expr, name: str, symbolic: SymbolicComponent) -> str:
    """A factor times an index. Raises ArrayolError (`not-symbolic`) where the factor holds a symbol."""
    if not isinstance(factor, expressions.Constant):
        raise not_affine(symbolic, factor.span, "it multiplies an index, and a product of two unknowns is not affine")
    return f"{int(factor.value)} * {name}"


def not_affine(symbolic: SymbolicComponent, span: Span, why: str) -> ArrayolError:
    """The refusal of symbols that this analysis cannot follow."""
    names = ", ".join(f"'{name}'" for name in symbolic.symbols)
    hint = "leave it out of --symbolic, or write the specification so that the symbol only adds"
    return error("not-symbolic", f"{names} cannot stay symbolic here: {why}", span, hint=hint)


def parameter_set(symbols: Iterable[str], conditions: Sequence[str]) -> isl.Set:
    """A set of values of symbols."""
    names = ", ".join(parameter(name) for name in symbols)
    return isl.Set(f"[{names}] -> {{ : {' and '.join(conditions) or 'true'} }}")


def context_of(symbolic: SymbolicComponent) -> isl.Set:
    """What is known of the symbols: no dimension is empty, and `/` divides exactly."""
    repeated = symbolic.component
    shapes = [*symbolic.shapes.values(), repeated.repetition if isinstance(repeated, RepetitiveTask) else ()]
    extents = [extent for shape in shapes for extent in shape if extent is not None]
    conditions = [f"{affine_text(extent, symbolic)} >= 1" for extent in extents]
    conditions += [f"({affine_text(expr, symbolic)}) mod {abs(by)} = 0" for expr, by in symbolic.divisible]
    return parameter_set(symbolic.symbols, list(dict.fromkeys(conditions)))
