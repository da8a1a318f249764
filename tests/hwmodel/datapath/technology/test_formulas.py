"""Formulas against Python's own evaluation, and what is refused."""

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.datapath.technology.formulas import DEEPEST, LONGEST, VARIABLES, FormulaError, parse_formula

_KNOWN = "known are w, a, b, n, k, inputs, bits, adders, adder_bits, luts, chain, ceil, log2, sqrt, min and max"
_numbers = st.one_of(st.integers(0, 40).map(str), st.sampled_from(["0.5", "1.45", ".25", "1e2", "2.5E-1", "3."]))
_comparisons = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
_atoms = st.one_of(_numbers, st.sampled_from(VARIABLES))


def _larger(inner):
    sums = st.tuples(inner, st.sampled_from([" + ", "-", "*", " / ", "**"]), inner).map("".join)
    calls = st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})")
    single = st.tuples(st.sampled_from(["ceil", "log2", "sqrt"]), inner).map(lambda t: f"{t[0]}({t[1]})")
    conditions = st.tuples(inner, _comparisons, inner).map(" ".join)
    joined = st.tuples(conditions, st.sampled_from([" and ", " or "]), conditions, st.sampled_from([" and ", " or "]))
    several = st.tuples(joined, conditions).map(lambda t: "".join(t[0]) + t[1])
    choices = st.tuples(inner, st.one_of(conditions, several), inner).map(lambda t: f"{t[0]} if {t[1]} else {t[2]}")
    return st.one_of(sums, calls, single, inner.map("-{}".format), inner.map("({})".format), choices)


_texts = st.recursive(_atoms, _larger, max_leaves=12).filter(lambda text: len(text) <= LONGEST)
_values = st.fixed_dictionaries({name: st.integers(1, 70) for name in VARIABLES})


@given(_texts, _values)
def test_a_formula_is_what_python_reads(text, values):
    names = {"ceil": math.ceil, "log2": math.log2, "sqrt": math.sqrt, "min": min, "max": max}
    try:
        expected = eval(text, {"__builtins__": {}}, names | {name: float(value) for name, value in values.items()})
    except (ArithmeticError, ValueError, TypeError):
        expected = math.nan
    formula = parse_formula(text)
    if isinstance(expected, complex) or not math.isfinite(expected):
        with pytest.raises(FormulaError, match="has no value"):
            formula.value(values)
    else:
        assert formula.value(values) == pytest.approx(float(expected))


@given(st.text(alphabet="wabnk()+-*/ .0123456789<>=!,ifelsmaxclog_$\n#", max_size=30))
def test_no_text_is_more_than_a_formula_error(text):
    with suppress(FormulaError):
        assert parse_formula(text).text == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a number, a variable or '(' is missing at the end of ''"),
        ("w +", "a number, a variable or '(' is missing at the end of 'w +'"),
        ("w 2", "an operator or the end is missing before '2', character 3 of 'w 2'"),
        ("w + \u0662", "a number, a variable or '(' is missing before '\u0662', character 5 of 'w + \u0662'"),
        ("(w", "')' is missing at the end of '(w'"),
        ("1 if w else 2", "a comparison, as k <= 2, is missing before 'else', character 8 of '1 if w else 2'"),
        ("1 if w < 2", "'else' is missing at the end of '1 if w < 2'"),
        ("log2(w, 2)", "'log2' takes one value; a value before ')', character 10 of 'log2(w, 2)'"),
        ("min(w)", "'min' takes two values or more; a value before ')', character 6 of 'min(w)'"),
        ("width", f"there is no 'width' in formulas, as in 'width'; {_KNOWN}"),
        ("sqr(w)", "there is no 'sqr' in formulas, as in 'sqr(w)'; did you mean 'sqrt'?"),
        ("__import__", f"there is no '__import__' in formulas, as in '__import__'; {_KNOWN}"),
        ("(" * (DEEPEST + 1) + "1", f"a formula is nested at most {DEEPEST} deep"),
        ("1" * (LONGEST + 1), f"a formula has at most {LONGEST} characters, not {LONGEST + 1}"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(text, message):
    with pytest.raises(FormulaError) as wrong:
        parse_formula(text)
    assert str(wrong.value) == message


def test_a_formula_without_a_value_says_for_which_variables():
    with pytest.raises(FormulaError, match=r"^'log2\(w - 8\)' has no value for w = 8$"):
        parse_formula("log2(w - 8)").value({"w": 8})
