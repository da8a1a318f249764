"""A subscript from data: whatever stride and offset it is said to have, every value that it takes has them.

Integers wrap in their type, so a multiple is one only where the product cannot: all values of narrow types are taken,
and those around the ends of wide ones.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from loading import spec_of

from arrayol.errors import ArrayolError
from arrayol.execute.run import execute
from hwmodel.banks.nest import unrolled_nest

FORMS = (
    "3 * @", "6 * @ + 4", "4 * (@ + 1)", "2 * @ + 4 * @", "6 * @ // 3", "5 - 3 * @", "2 * @ * @",
    "12 * @ % 8", "3 * @ << 1", "-(6 * @)", "3 * (6 * @ // 2)",
)  # fmt: skip
TYPES = ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64")
INNER = ("@", "u8(@)", "u32(@)", "i32(@)", "i64(@)")


def values(kind: str) -> np.ndarray:  # type: ignore[type-arg]
    """Values of a type: all of eight bits, else those at its ends, in its middle, and multiples that just wrap."""
    info = np.iinfo({"u": f"uint{kind[1:]}", "i": f"int{kind[1:]}"}[kind[0]])
    low, high = int(info.min), int(info.max)
    near = {base + step for base in (low, 0, high // 6, high // 3, high // 2, high) for step in range(-6, 7)}
    chosen = range(low, high + 1) if high < 256 else sorted(value for value in near if low <= value <= high)
    return np.array(list(chosen), info.dtype)


def checked(kind: str, form: str) -> tuple[int, int] | None:
    """The stride and offset of a form over data of a type, tested on its values; None where the language refuses it."""
    given = values(kind)
    index = form.replace("@", "x[j]")
    try:
        spec = spec_of(
            f"elementary t(x: {kind}[{len(given)}], a: f32[9]) -> (y: f32[{len(given)}]) {{\n"
            f"  y[j] = a[{index}]  for j in 0..{len(given)}\n}}\n"
        )
    except (ArrayolError, AssertionError):
        return None
    (part,) = next(one.subscripts for one in unrolled_nest(spec, "t").references if one.array == "a")
    for wide in ("i64", "u64"):
        try:
            shown = spec_of(
                f"elementary t(x: {kind}[{len(given)}]) -> (v: {wide}[{len(given)}]) {{\n"
                f"  v[j] = {index}  for j in 0..{len(given)}\n}}\n"
            )
        except (ArrayolError, AssertionError):
            continue
        for value in execute(shown, "t", {"x": given})["v"].tolist():
            assert (value - part.offset) % part.stride == 0, (
                f"{form} of {kind} is {value}, not {part.offset} modulo {part.stride}"
            )
        return part.stride, part.offset
    raise AssertionError(f"no type holds {form} of {kind}")


@pytest.mark.parametrize("kind", TYPES)
def test_every_value_has_the_stride(kind: str) -> None:
    taken = [checked(kind, form.replace("@", inner)) for form, inner in product(FORMS, INNER)]
    assert any(found is not None and found[0] > 1 for found in taken) or kind in ("u64", "i64")


def test_a_product_that_may_wrap_has_no_stride() -> None:
    """The example of docs/layout.md."""
    assert checked("u8", "3 * i32(@)") == (3, 0)
    assert checked("u8", "3 * @") == (1, 0), "in eight bits 3 * 86 is 2"
    assert checked("i32", "3 * @") == (1, 0)
    assert checked("i32", "3 * i64(@)") == (3, 0)
    assert checked("i64", "3 * @") == (1, 0)
