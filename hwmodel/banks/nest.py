"""The unrolled loop nest of any task or elementary, as array references: where the bank layout starts."""

from __future__ import annotations

from collections.abc import Sequence

from arrayol.checks.pipeline import choose_top
from arrayol.errors import error
from arrayol.ir.spec import CompoundTask, Elementary, Spec, callees
from hwmodel.banks.nest_of_body import nest_of_elementary
from hwmodel.banks.nest_of_task import nest_of_task
from hwmodel.banks.references import UnrolledNest


def unrolled_nest(spec: Spec, name: str, factors: Sequence[int] | None = None) -> UnrolledNest:
    """The references of a task or elementary after unroll-and-jam, one factor per loop; None: 1 each.

    A repetitive task's loops are its repetition, its references what its tilers touch of arrays; an elementary's are
    those of its body. Scalar ports live in registers: they are no references. Raises ArrayolError: `unknown-task`;
    `no-nest` for a compound task and an elementary without a body; `bad-unroll`, `unroll-refused` as `unroll` does.
    """
    component = spec.components[choose_top(spec, name)]
    match component:
        case Elementary():
            return nest_of_elementary(component, factors)
        case CompoundTask():
            hint = f"name one of the tasks that it calls: {', '.join(dict.fromkeys(callees(component)))}"
            message = f"'{name}' is made of calls: it has no loops of its own"
            raise error("no-nest", message, component.span, hint=hint)
        case _:
            return nest_of_task(component, spec.components[component.callee], factors)
