"""References of an unrolled repetitive task: what its tilers touch of its arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import product
from math import prod

from arrayol.errors import error
from arrayol.ir.intervals import reached
from arrayol.ir.spec import Component, RepetitiveTask, Shape, TiledDefault, Tiler, port_named
from arrayol.polyhedral.dependences import find_swapped_delay
from arrayol.polyhedral.isl import TooHardError
from arrayol.transforms.unroll_legality import beyond_range, check_factors, shown
from hwmodel.banks.references import ArrayInfo, Body, Fold, NormalisedLoop, Reference, Subscript, Unknown, UnrolledNest

MAXIMUM_REFERENCES = 100_000


@dataclass(frozen=True, slots=True)
class _Tiled:
    """A pattern and where it lies in an array."""

    array: str
    shape: Shape
    pattern: tuple[int, ...]
    tiler: Tiler
    write: bool
    certain: bool


def nest_of_task(
    task: RepetitiveTask, callee: Component, factors: Sequence[int] | None, tables: Set[str] = frozenset()
) -> UnrolledNest:
    """The references of a repetitive task, its repetitions unrolled; raises ArrayolError as `unroll` does.

    One repetition reads all elements of its input patterns, then writes those of its output patterns. A delay whose
    components point against the written order turns the direction of its dimension.
    """
    rank = len(task.repetition)
    chosen = [1] * rank if factors is None else list(factors)
    check_factors(task.name, chosen, rank, task.span)
    names = [f"r{axis}" for axis in range(rank)]
    for name, factor, extent in zip(names, chosen, task.repetition, strict=True):
        if extent is not None and factor > extent:
            raise beyond_range(task.name, name, factor, extent, task.span)
    directions = _directions(task, chosen) if any(factor > 1 for factor in chosen) else (1,) * rank
    patterns = [pattern for pattern in _patterns(task, callee) if pattern.shape and pattern.array not in tables]
    _check_size(task, patterns, chosen)
    unrolling = _Unrolling(task.repetition, chosen, directions)
    copies = product(*map(range, chosen))
    references = tuple(reference for copy in copies for reference in unrolling.references(copy, patterns))
    loops = tuple(
        NormalisedLoop(name, None if extent is None else extent // factor)
        for name, extent, factor in zip(names, task.repetition, chosen, strict=True)
    )
    extents = [loop.extent for loop in loops if loop.extent is not None]
    runs = prod(extents) if len(extents) == rank else None
    whole = prod(extent for extent in task.repetition if extent is not None)
    leftover = 0 if runs is None else whole - runs * prod(chosen)
    ports = (*task.inputs, *task.outputs)
    arrays = {
        port.name: ArrayInfo(port.name, port.shape, port in task.inputs, port in task.outputs)
        for port in ports
        if port.shape and port.name not in tables
    }
    return UnrolledNest(task.name, arrays, (Body(loops, tuple(chosen), references, runs, leftover),))


def _patterns(task: RepetitiveTask, callee: Component) -> Iterator[_Tiled]:
    """What a repetition touches, reads before writes, in the order of the links."""
    ports = (*callee.inputs, *callee.outputs)
    arrays = (*task.inputs, *task.outputs)
    default = [(delay, delay.default) for delay in task.delays if isinstance(delay.default, TiledDefault)]
    touched = [
        *((link.port, link.array, link.tiler, False, True) for link in task.input_links),
        *((delay.port, tiled.array, tiled.tiler, False, not delay.acts) for delay, tiled in default),
        *((link.port, link.array, link.tiler, True, link.exit is None) for link in task.output_links),
    ]
    for port, array, tiler, write, certain in touched:
        pattern = tuple(extent or 0 for extent in port_named(ports, port).shape)
        yield _Tiled(array, port_named(arrays, array).shape, pattern, tiler, write, certain)


def _check_size(task: RepetitiveTask, patterns: Sequence[_Tiled], factors: Sequence[int]) -> None:
    count = prod(factors) * sum(prod(tiled.pattern) for tiled in patterns)
    if count > MAXIMUM_REFERENCES:
        hint = f"at most {MAXIMUM_REFERENCES:,} are looked at; choose smaller factors or patterns"
        raise error("bad-unroll", f"unrolled, '{task.name}' has {count:,} references", task.span, hint=hint)


def _directions(task: RepetitiveTask, factors: Sequence[int]) -> tuple[int, ...]:
    """In which direction each dimension is walked so that every delay points back; raises `unroll-refused`."""
    acting = [delay for delay in task.delays if delay.acts]
    choices = [(1,) if extent is None else (1, -1) for extent in task.repetition]
    directions = next((signs for signs in product(*choices) if all(_back(d.vector, signs) for d in acting)), None)
    if directions is None:
        message = f"no order of '{task.name}' row by row, in any directions, respects all its delays"
        raise error("unroll-refused", message, task.span, hint="leave all loops at factor 1")
    for delay in acting:
        try:
            swapped = find_swapped_delay(task.repetition, delay.vector, factors, directions)
        except TooHardError:
            message = f"it could not be decided whether blocks of {shown(factors)} respect this delay"
            raise error("unroll-refused", message, delay.span, hint="choose smaller factors") from None
        if swapped is not None:
            message = (
                f"unrolled by {shown(factors)}, repetition {swapped[1]} would run before repetition {swapped[0]}, "
                f"whose '{delay.output}' it reads"
            )
            hint = "unroll the last dimension alone, or choose factors that keep the two in order"
            raise error("unroll-refused", message, delay.span, hint=hint)
    return directions


def _back(vector: Sequence[int], signs: Sequence[int]) -> bool:
    return [sign * step for sign, step in zip(signs, vector, strict=True)] > [0] * len(signs)


@dataclass(frozen=True, slots=True)
class _Unrolling:
    """r = start + step x block index + copy per dimension; a dimension walked downwards has negative steps."""

    repetition: Shape
    factors: Sequence[int]
    directions: Sequence[int]

    def references(self, copy: tuple[int, ...], patterns: Sequence[_Tiled]) -> Iterator[Reference]:
        """The references of one copy."""
        number = 0
        first = [
            place if sign > 0 else (extent or 0) - 1 - place
            for place, sign, extent in zip(copy, self.directions, self.repetition, strict=True)
        ]
        for tiled in patterns:
            axes = [self._axis(tiled, axis, first) for axis in range(len(tiled.shape))]
            for index in product(*map(range, tiled.pattern)):
                subscripts = tuple(self._subscript(*axis, index, tiled.tiler) for axis in axes)
                certain = tiled.certain and (tiled.tiler.border is None or not tiled.tiler.border.is_constant)
                yield Reference(tiled.array, tiled.write, subscripts, 0, 0, copy, number, certain)
                number += 1

    def _axis(
        self, tiled: _Tiled, axis: int, first: Sequence[int]
    ) -> tuple[tuple[int, ...], int, tuple[int, ...], int | None]:
        """Coefficients of the loops, the offset of a copy, steps of the pattern, and the extent of the array."""
        paving = tiled.tiler.paving[axis]
        coefficients = tuple(
            own * sign * factor for own, sign, factor in zip(paving, self.directions, self.factors, strict=True)
        )
        offset = tiled.tiler.origin[axis] + sum(own * place for own, place in zip(paving, first, strict=True))
        return coefficients, offset, tiled.tiler.fitting[axis], tiled.shape[axis]

    def _subscript(
        self,
        coefficients: tuple[int, ...],
        offset: int,
        fitting: tuple[int, ...],
        extent: int | None,
        index: tuple[int, ...],
        tiler: Tiler,
    ) -> Subscript:
        offset += sum(own * place for own, place in zip(fitting, index, strict=True))
        folds = tiler.border is not None and not tiler.border.is_constant  # what a constant stands for is not touched
        if extent is None or not (tiler.wrap or folds):
            return Subscript(coefficients, offset)
        sizes = zip(coefficients, self.factors, self.repetition, strict=True)
        low, high = reached(offset, (own * ((size - 1) // factor) for own, factor, size in sizes if size is not None))
        if tiler.border is not None:
            if low >= 0 and high < extent:
                return Subscript(coefficients, offset)
            text = f"{tiler.border.mode} {_sum(coefficients, offset)}"
            return Subscript(coefficients, offset, (Unknown(1, text, fold=Fold(tiler.border, extent)),))
        if low // extent == high // extent:
            return Subscript(coefficients, offset - extent * (low // extent))
        return Subscript(coefficients, offset, (Unknown(extent, f"-(({_sum(coefficients, offset)}) // {extent})"),))


def _sum(coefficients: Sequence[int], offset: int) -> str:
    terms = [f"{own} * r{axis}" for axis, own in enumerate(coefficients) if own]
    return " + ".join([*terms, *([str(offset)] if offset else [])]).replace("+ -", "- ")
