"""An array is an input of what writes it only where some element keeps its old value."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.c_import.import_c import import_source
from arrayol.source import SourceFile

SIZE = 9


@st.composite
def guards(draw: st.DrawFn) -> tuple[str, set[int]]:
    """A condition on i, and the i below SIZE for which it holds."""
    low, high = sorted(draw(st.tuples(st.integers(0, SIZE), st.integers(0, SIZE))))
    step = draw(st.integers(1, 3))
    rest = draw(st.integers(0, step - 1))
    is_outside = draw(st.booleans())
    inside = {i for i in range(low, high) if i % step == rest}
    text = f"i >= {low} && i < {high} && i % {step} == {rest}"
    return (f"!({text})", set(range(SIZE)) - inside) if is_outside else (text, inside)


@given(first=guards(), second=guards(), has_else=st.booleans())
@settings(max_examples=case_count(30), deadline=None)
def test_what_is_written_in_parts(first: tuple[str, set[int]], second: tuple[str, set[int]], has_else: bool) -> None:
    (one, in_one), (two, in_two) = first, second
    other = f"else if ({two}) y[i] = 2 * x[i];" if has_else else f"if ({two}) y[i] = 2 * x[i];"
    loop = f"for (int i = 0; i < {SIZE}; i++) {{ if ({one}) y[i] = x[i]; {other} }}"
    text = f"void f(int x[{SIZE}], int y[{SIZE}]) {{ {loop} }}"
    if not in_one | in_two:
        return
    imported = import_source(SourceFile("f.c", text))
    assert ("y_in" in imported.inputs) == (in_one | in_two != set(range(SIZE))), imported.text


def test_an_element_that_data_choose_fills_nothing() -> None:
    text = "void f(int x[4], int y[4]) { for (int i = 0; i < 4; i++) y[x[i] & 3] = i; }"
    assert "y_in" in import_source(SourceFile("f.c", text)).inputs
