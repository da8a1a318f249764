"""The indices of two levels of repetition as one: which dimensions continue each other, and tilers over the whole."""

from __future__ import annotations

from dataclasses import dataclass

from arrayol.ir.spec import Shape, Tiler
from arrayol.transforms.block import Vector, rows_of
from arrayol.transforms.blocks import Blocks


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension of the joined space: of the outer repetition, the inner, or r = extent R + rho of both."""

    outer: int | None
    inner: int | None


@dataclass(frozen=True, slots=True)
class Product:
    """Tilers of both levels multiplied: what a step of either moves, and a step in the pattern."""

    origin: Vector
    outer: tuple[Vector, ...]
    inner: tuple[Vector, ...]
    pattern: tuple[Vector, ...]
    wrap: bool


@dataclass(frozen=True, slots=True)
class Spread:
    """Both levels' indices as one."""

    dimensions: tuple[Dimension, ...]
    sizes: Vector
    outer: Shape

    @property
    def space(self) -> Shape:
        found: list[int | None] = []
        for one in self.dimensions:
            around = 1 if one.outer is None else self.outer[one.outer]
            found.append(None if around is None else around * (1 if one.inner is None else self.sizes[one.inner]))
        return tuple(found)

    @property
    def blocks(self) -> Blocks:
        """The inner level as blocks of the joined space."""
        extents = tuple(1 if one.inner is None else self.sizes[one.inner] for one in self.dimensions)
        rank = len(self.dimensions)
        paving = tuple(
            tuple(extent if one.outer == column else 0 for column in range(len(self.outer)))
            for one, extent in zip(self.dimensions, extents, strict=True)
        )
        return Blocks((0,) * rank, paving, (1,) * rank, extents, self.space, self.outer)

    def vector(self, inner: Vector) -> Vector:
        """An inner vector in the joined space."""
        return tuple(0 if one.inner is None else inner[one.inner] for one in self.dimensions)

    def tiler(self, product: Product, like: Tiler) -> Tiler:
        rank = len(product.origin)
        columns = [self._step(product, one) for one in self.dimensions]
        return Tiler(product.origin, rows_of(columns, rank), rows_of(product.pattern, rank), product.wrap, like.span)

    def _step(self, product: Product, one: Dimension) -> Vector:
        if one.inner is None or (one.outer is not None and self.sizes[one.inner] == 1):
            return product.outer[one.outer or 0]
        return product.inner[one.inner]
