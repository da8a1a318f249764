"""Drawn expressions of complex numbers beside gcc, and what of C's complex numbers is refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import numpy as np
import pytest
from beside_gcc import compiled, first_difference
from many_cases import full_count

from arrayol.c_import.import_c import Choices, import_source
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile

REALS = ("r[n]", "k[n]", "2", "0.5f", "crealf({z})", "cimagf({z})", "({r} + {r})", "({r} * {r})", "-{r}")
COMPLEX = (
    *("z[n]", "w[n]", "z[n]", "w[n]", "I", "CMPLXF({r}, {r})", "({r} + {r} * I)", "conjf({z})", "-{z}"),
    *("({z} + {z})", "({z} - {z})", "({z} * {z})", "({r} * {z})", "({z} + {r})", "({r} - {z})", "({z} / r[n])"),
    "(k[n] > 3 || {z} == w[n] ? {z} : {z})",
)


def expression(random: Random, kind: tuple[str, ...], depth: int) -> str:
    """A real or complex expression; at depth 0 an element."""
    text = random.choice(kind if depth else kind[:2])
    for mark, inner in (("{z}", COMPLEX), ("{r}", REALS)):
        while mark in text:
            text = text.replace(mark, expression(random, inner, depth - 1 if depth else 0), 1)
    return text


def function(random: Random, name: str, part: str) -> str:
    """A function of C for one drawn expression in each of its two outputs, on floats or doubles."""
    values = [expression(random, kind, 3) for kind in (COMPLEX, REALS)]
    text = f"""void {name}(const float complex *z, const float complex *w, const float *r, const int *k,
    float complex *y, float *p) {{
  for (int n = 0; n < 16; n++) {{
    y[n] = {values[0]};
    p[n] = {values[1]};
  }}
}}
"""
    if part == "float":
        return text
    for single, double in (("float", "double"), ("CMPLXF", "CMPLX"), ("crealf", "creal"), ("cimagf", "cimag")):
        text = text.replace(single, double)
    return text.replace("conjf", "conj")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value")
def test_drawn_expressions(tmp_path: Path) -> None:
    random, draw = Random(5), np.random.default_rng(5)
    parts = ["float", "double"] * full_count(8)
    texts = {f"f{number}": function(random, f"f{number}", part) for number, part in enumerate(parts)}
    library = compiled("#include <complex.h>\n" + "".join(texts.values()), tmp_path)
    for (name, text), part in zip(texts.items(), parts, strict=True):
        size = 4 if part == "float" else 8
        data = {
            one: (draw.uniform(-3, 3, 16) + 1j * draw.uniform(-3, 3, 16)).astype(f"c{2 * size}") for one in ("z", "w")
        }
        data |= {"r": draw.uniform(0.1, 3, 16).astype(f"f{size}"), "k": draw.integers(0, 9, 16).astype("i4")}
        data |= {"y": np.zeros(16, f"c{2 * size}"), "p": np.zeros(16, f"f{size}")}
        file = SourceFile("f.c", "#include <complex.h>\n" + text)
        imported = import_source(file, Choices(function=name))
        assert first_difference(library, name, imported, data, {}) is None, (text, imported.text)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("y[0] = z[0] < z[1];", "'<' takes real numbers"),
        ("y[0] = crealf(z[0] % 2);", "'%' takes real numbers"),
        ("y[0] = x[(int)(z[0] * 2) + z[1]];", "a subscript is an integer"),
        ("y[0] = ~z[0];", "'~' takes an integer"),
        ("y[0] = cexpf(z[0]);", "'cexpf' is not known"),
    ],
)
def test_what_has_no_counterpart_is_refused(statement: str, message: str) -> None:
    text = f"#include <complex.h>\nvoid f(const float complex *z, const float *x, float *y) {{ {statement} }}\n"
    with pytest.raises(ArrayolError) as refused:
        import_source(SourceFile("f.c", text), Choices(function="f"))
    assert message in refused.value.diagnostics[0].message
