"""The unrolled loop nest of any task or elementary, as array references: where the bank layout starts."""

from __future__ import annotations

from collections.abc import Sequence

from arrayol.checks.top import choose_top
from arrayol.errors import error
from arrayol.ir.spec import Component, CompoundTask, Elementary, Spec, callees
from hwmodel.banks.cost import RULES
from hwmodel.banks.layouts import Choices, Comparison, compare
from hwmodel.banks.nest_of_body import nest_of_elementary
from hwmodel.banks.nest_of_task import nest_of_task
from hwmodel.banks.partition import PARTITIONS
from hwmodel.banks.references import UnrolledNest


def unrolled_nest(spec: Spec, name: str, factors: Sequence[int] | None = None) -> UnrolledNest:
    """The references of a task or elementary after unroll-and-jam, one factor per loop; None: 1 each.

    A repetitive task's loops are its repetition, its references what its tilers touch of arrays; an elementary's are
    those of its body. Scalar ports live in registers: they are no references. Raises ArrayolError: `unknown-task`;
    `no-nest` for a compound task and an elementary without a body; `bad-unroll`, `unroll-refused` as `unroll` does.
    """
    name = choose_top(spec, name)
    component = spec.components[name]
    match component:
        case Elementary():
            return nest_of_elementary(component, factors, spec.tables.keys())
        case CompoundTask():
            hint = f"name one of the tasks that it calls: {', '.join(dict.fromkeys(callees(component)))}"
            message = f"'{name}' is made of calls: it has no loops"
            raise error("no-nest", message, component.span, hint=hint)
        case _:
            return nest_of_task(component, spec.components[component.callee], factors, spec.tables.keys())


# From a specification to the comparison of layouts of one of its nests.

MAXIMUM_BANKS = 1024
PORTS = (1, 2)  # of a bank


def lay_out(spec: Spec, name: str, factors: Sequence[int] | None, choices: Choices) -> Comparison:
    """All layouts of a task or elementary, its loops unrolled by `factors` (None: not at all).

    Raises ArrayolError: `bad-layout` for choices that do not exist, `no-array-references` and `no-affine-references`
    where there is nothing to lay out, and what `unrolled_nest` refuses.
    """
    check_choices(choices)
    name = choose_top(spec, name)
    nest = unrolled_nest(spec, name, factors)
    check_references(nest, spec.components[name])
    base = nest if factors is None else unrolled_nest(spec, name)
    return compare(nest, base, choices)


def check_choices(choices: Choices) -> None:
    """Raises ArrayolError (`bad-layout`)."""
    if not 1 <= choices.banks <= MAXIMUM_BANKS:
        message = f"{choices.banks} memory banks are not possible"
        raise error("bad-layout", message, hint=f"choose 1 to {MAXIMUM_BANKS}")
    if choices.ports not in PORTS:
        hint = "memories on a chip have one port or two"
        raise error("bad-layout", f"{choices.ports} ports of a memory bank are not possible", hint=hint)
    for what, value, known in (("rule", choices.rule, RULES), ("partition", choices.partition, PARTITIONS)):
        if value not in known:
            raise error("bad-layout", f"there is no {what} '{value}'", hint=f"choose {' or '.join(known)}")


def check_references(nest: UnrolledNest, component: Component) -> None:
    """Raises ArrayolError (`no-array-references`, `no-affine-references`) where there is nothing to lay out."""
    references = nest.references
    if not references:
        hint = "scalars live in registers; only ports with a shape lie in memory"
        raise error("no-array-references", f"'{nest.name}' accesses no array", component.span, hint=hint)
    if not any(part.affine for reference in references for part in reference.subscripts):
        hint = "a subscript such as 2 * i + 1 tells which elements are apart; one that data decide does not"
        raise error(
            "no-affine-references", f"no subscript in '{nest.name}' is affine in the loops", component.span, hint=hint
        )
