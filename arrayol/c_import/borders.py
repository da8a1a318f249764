"""Reads beyond the ends of an array, as the window of a link with a border has them.

`lowering.borders` has found which choices of C clamp, mirror or wrap a subscript. Here such reads become borders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arrayol.c_import.forms import without_data
from arrayol.c_import.model import Bordered, Dynamic, ElementAccess, ElementGuard, Form, Rounded
from arrayol.ir.affine import Affine

Ends = Callable[[Form], tuple[Form, Form]]  # the least and greatest that a form is, in all instances
_BEYOND = {"mirror": 1, "reflect": 0}  # by mode: the elements of the array that are not mirrored


@dataclass(frozen=True, slots=True)
class Continued:
    """A read whose subscripts may leave their array, which continues as `mode` says: an ending of a tiler."""

    mode: str
    subscripts: tuple[Form, ...]


def continued(access: ElementAccess, dims: Sequence[Form], ends: Ends) -> Continued | None:
    """The read as a border has it; None for one that no border describes."""
    modes: set[str] = set()
    forms: list[Form] = []
    for form, dim in zip(access.subscripts, dims, strict=True):
        if not any(isinstance(term, Dynamic) for term, _ in form.terms):
            forms.append(form)
            continue
        found = _beyond(form, dim, ends)
        if found is None:
            return None
        modes.add(found[0])
        forms.append(found[1])
    return Continued(modes.pop(), tuple(forms)) if len(modes) == 1 else None


def leaves_where_not(guard: ElementGuard, subscripts: Sequence[Form], dims: Sequence[Form]) -> bool:
    """Whether subscripts surely leave their array wherever a condition does not hold, as `x[i - 2]` where not `i >= 2`.

    Then the choice of a zero there is the border `else 0`.
    """
    if guard.form is None:
        judge = all if guard.kind == "and" else any
        return judge(leaves_where_not(one, subscripts, dims) for one in guard.parts)
    if guard.kind == ">=":
        return any(guard.form in {form, dim - 1 - form} for form, dim in zip(subscripts, dims, strict=True))
    apart = [(form - guard.form).number for form in subscripts] if guard.kind == "!=" else []
    return any(one is not None and one < 0 for one in apart)


def _beyond(form: Form, dim: Form, ends: Ends) -> tuple[str, Form] | None:
    """The mode of one subscript, and what it is before its array ends."""
    exact = without_data(form)
    term = exact.terms[0][0] if exact is not None and len(exact.terms) == 1 else None
    if exact is None or exact != Affine(((term, 1),)) or not isinstance(term, Bordered | Rounded):
        return None
    if not all(isinstance(inner, str) for inner, _ in term.form.terms):
        return None
    if isinstance(term, Rounded):
        is_whole = term.operator == "%" and dim.number == term.divisor
        return ("wrap", _near(term.form, term.divisor)) if is_whole else None
    if term.extent != dim:
        return None
    is_near = term.mode == "nearest" or _reaches(term, ends)
    return (f"else {term.mode}", term.form) if is_near else None


def _near(form: Form, extent: int) -> Form:
    """A subscript that wraps, with the constant that is nearest to 0."""
    constant = form.constant % extent
    return Affine(form.terms, constant - extent if 2 * constant > extent else constant)


def _reaches(border: Bordered, ends: Ends) -> bool:
    """Whether no index is mirrored twice."""
    kept = _BEYOND[border.mode]
    low, high = ends(border.form)
    spare = (low + border.extent - kept, border.extent.scaled(2) - 1 - kept - high)
    return all(one.number is not None and one.number >= 0 for one in spare)
