"""The order of iterations that touch one element, which unroll-and-jam must keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arrayol.errors import ArrayolError, error
from arrayol.ir import expressions
from arrayol.ir.spec import Elementary
from arrayol.polyhedral.isl import TooHardError
from arrayol.polyhedral.nests import statements_of
from arrayol.polyhedral.reordering import BlockOf, Swapped, Time, WithinBlock, find_swapped
from arrayol.transforms.nest_tree import Looped, items_of
from arrayol.transforms.unroll_factors import shown


def refuse_swapped(elementary: Elementary, factors: Sequence[int]) -> None:
    """Raise `unroll-refused` where two iterations that touch one element would change places, or none can tell."""
    statements = statements_of(elementary)
    times = list(_times(elementary.body or (), factors, (), ()))
    try:
        found = find_swapped(statements, times)
    except TooHardError:
        message = f"it could not be decided whether '{elementary.name}' keeps its meaning unrolled by {shown(factors)}"
        hint = "simplify its subscripts and ranges, or leave outer loops at factor 1"
        raise error("unroll-refused", message, elementary.span, hint=hint) from None
    if found is not None:
        raise _swapped(found, factors)


def _times(
    statements: Sequence[expressions.Statement],
    factors: Sequence[int],
    time: tuple[int | BlockOf | WithinBlock, ...],
    around: tuple[expressions.Range, ...],
) -> Iterator[Time]:
    """When each assignment runs after unroll-and-jam, in textual order."""
    for place, item in enumerate(items_of(statements)):
        if isinstance(item, Looped):
            ranges = (*around, *item.ranges)
            blocks = [BlockOf(index, ranges[index].low, factors[index]) for index in range(len(around), len(ranges))]
            yield from _times(item.inner, factors, (*time, place, *blocks), ranges)
        else:
            within = [WithinBlock(index, one.low, factors[index]) for index, one in enumerate(around)]
            yield from ((*time, place, *within, number) for number in range(len(item.assigns)))


def _swapped(found: Swapped, factors: Sequence[int]) -> ArrayolError:
    element = f"{found.port}[{shown(found.element, ', ')}]" if found.element else found.port
    iterations = [
        f"({', '.join(f'{name} = {value}' for name, value in zip(statement.indices, instance, strict=True))})"
        for statement, instance in ((found.first, found.first_instance), (found.second, found.second_instance))
    ]
    does = ["writes" if writes else "reads" for writes in (found.first_writes, found.second_writes)]
    message = (
        f"unrolled by {shown(factors)}, iteration {iterations[1]} would run before iteration {iterations[0]}, "
        f"which {does[0]} '{element}' before the other {does[1]} it"
    )
    hint = "unroll the innermost loop alone, or choose factors that keep the two in order"
    return error("unroll-refused", message, found.second.assign.span, hint=hint)
