"""From a specification to the comparison of layouts of one of its nests."""

from __future__ import annotations

from collections.abc import Sequence

from arrayol.errors import error
from arrayol.ir.spec import Component, Spec
from hwmodel.banks.cost import RULES
from hwmodel.banks.layouts import Choices, Comparison, compare
from hwmodel.banks.nest import unrolled_nest
from hwmodel.banks.partition import PARTITIONS
from hwmodel.banks.references import UnrolledNest

MAXIMUM_BANKS = 1024


def lay_out(spec: Spec, name: str, factors: Sequence[int] | None, choices: Choices) -> Comparison:
    """All layouts of a task or elementary, its loops unrolled by `factors` (None: not at all).

    Raises ArrayolError: `bad-layout` for choices that do not exist, `no-array-references` and `no-affine-references`
    where there is nothing to lay out, and what `unrolled_nest` refuses.
    """
    _check_choices(choices)
    nest = unrolled_nest(spec, name, factors)
    _check_references(nest, spec.components[name])
    base = nest if factors is None else unrolled_nest(spec, name)
    return compare(nest, base, choices)


def _check_choices(choices: Choices) -> None:
    if not 1 <= choices.banks <= MAXIMUM_BANKS:
        message = f"{choices.banks} memory banks are not possible"
        raise error("bad-layout", message, hint=f"choose 1 to {MAXIMUM_BANKS}")
    for what, value, known in (("rule", choices.rule, RULES), ("partition", choices.partition, PARTITIONS)):
        if value not in known:
            raise error("bad-layout", f"there is no {what} '{value}'", hint=f"choose {' or '.join(known)}")


def _check_references(nest: UnrolledNest, component: Component) -> None:
    references = nest.references
    if not references:
        hint = "scalars live in registers; only ports with a shape lie in memory"
        raise error("no-array-references", f"'{nest.name}' accesses no array", component.span, hint=hint)
    if not any(part.affine for reference in references for part in reference.subscripts):
        hint = "a subscript such as 2 * i + 1 tells which elements are apart; one that data decide does not"
        raise error(
            "no-affine-references", f"no subscript in '{nest.name}' is affine in the loops", component.span, hint=hint
        )
