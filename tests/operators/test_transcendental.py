"""Functions of f32 that the language defines: their errors, and the same bits from arrays and from C."""

from __future__ import annotations

import shutil
import subprocess
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from arrayol.operators.registry import FUNCTIONS
from arrayol.operators.words import in_c

Floats = NDArray[np.float32]
WORST = {"exp": 0.514, "log": 0.514}  # units in the last place: what all arguments have, rounded up
SPECIAL = {
    "exp": [(np.inf, np.inf), (-np.inf, 0), (np.nan, np.nan), (0, 1), (-0.0, 1), (89, np.inf), (-104, 0), (1e-45, 1)],
    "log": [(np.inf, np.inf), (-1e-45, np.nan), (np.nan, np.nan), (0, -np.inf), (-0.0, -np.inf), (1, 0)],
}  # fmt: skip
LIBRARY = {"exp": np.exp, "log": np.log}

needs_c = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")


def of(name: str, values: Floats) -> Floats:
    result: Floats = FUNCTIONS[name].arrays(np)(values)
    return result


def arguments(name: str, count: int) -> Floats:
    """Floats with a finite result, over all magnitudes, and as many where results change most."""
    words = np.random.default_rng(5).integers(0, 1 << 32, count, "u8").astype("u4").view("f4")
    near = np.linspace(-104, 89, count) if name == "exp" else np.linspace(0.25, 4, count)
    values = np.concatenate([words, near.astype("f4")])
    with np.errstate(all="ignore"):
        finite = np.isfinite(LIBRARY[name](values.astype("f8")).astype("f4"))
    return values[finite]


def unit(result: float) -> float:
    """The distance of floats of f32 at a result."""
    return float(2.0 ** (max(np.frexp(result)[1], -125) - 24))


@pytest.mark.parametrize("name", WORST)
def test_the_error_is_small_by_decimals(name: str) -> None:
    values = arguments(name, 400)
    found = of(name, values)
    with localcontext(prec=40):
        for value, own in zip(values.tolist(), found.tolist(), strict=True):
            exact = Decimal(value).exp() if name == "exp" else Decimal(value).ln()
            assert abs(Decimal(own) - exact) <= Decimal(WORST[name]) * Decimal(unit(float(exact))), value


@pytest.mark.parametrize("name", WORST)
def test_the_error_is_small_by_the_library(name: str) -> None:
    values = arguments(name, 100_000)
    exact = LIBRARY[name](values.astype("f8"))
    units = 2.0 ** (np.maximum(np.frexp(exact)[1], -125) - 24)
    errors = np.abs(of(name, values).astype("f8") - exact) / units
    assert 0.5 < errors.max() <= WORST[name]
    assert np.mean(errors > 0.5) < 0.004


@pytest.mark.parametrize("name", WORST)
def test_special_arguments(name: str) -> None:
    given, expected = np.array(SPECIAL[name], "f4").T
    found = of(name, given)
    assert np.array_equal(found, expected, equal_nan=True)
    assert not np.signbit(found[found == 0]).any()
    assert [int(word) for word in found[np.isnan(found)].view("u4")] == [0x7FC00000] * int(np.isnan(found).sum())


PROGRAM = """#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <math.h>
static float own(float a) {
%s
}
"""
WORDS = """int main(void) {
  float x;
  while (fread(&x, sizeof x, 1, stdin) == 1) { float y = own(x); fwrite(&y, sizeof y, 1, stdout); }
}
"""
# Of each argument: the error in units, whether a result falls, and whether what is not finite is something else.
ALL = """int main(void) {
  double worst = 0;
  long others = 0, falls = 0;
  for (int negative = 0; negative < 2; negative++) {
    float before = negative ? INFINITY : -INFINITY;
    for (uint64_t place = 0; place <= 0x7f800000u; place++) {
      uint32_t word = (uint32_t)place | (uint32_t)negative << 31;
      float x, y;
      memcpy(&x, &word, sizeof x);
      y = own(x);
      double exact = %s((double)x);
      float nearest = (float)exact;
      if (!isfinite(nearest) || !isfinite(y)) {
        others += !(isnan(nearest) && isnan(y)) && nearest != y;
        continue;
      }
      int exponent;
      frexp(exact, &exponent);
      if (exponent < -125) exponent = -125;
      double error = fabs(y - exact) * ldexp(1.0, 24 - exponent);
      if (error > worst) worst = error;
      falls += place > 0 && (negative ? y > before : y < before);
      before = y;
    }
  }
  printf("%%.6f %%ld %%ld\\n", worst, others, falls);
}
"""


def compiled(name: str, main: str, folder: Path) -> Path:
    definition = FUNCTIONS[name].single
    assert definition is not None
    text = PROGRAM % "\n".join(in_c(definition)) + main
    (folder / "own.c").write_text(text, encoding="utf-8")
    checks = ["-Wall", "-Wextra", "-Werror", "-O2"]
    subprocess.run(["gcc", *checks, "-o", folder / "own", folder / "own.c", "-lm"], check=True)
    return folder / "own"


@needs_c
@pytest.mark.parametrize("name", WORST)
def test_c_gives_the_same_bits(name: str, tmp_path: Path) -> None:
    words = np.random.default_rng(7).integers(0, 1 << 32, 200_000, "u8").astype("u4")
    near = np.linspace(-110, 110, 100_000, dtype="f4").view("u4")
    edges = (np.arange(-3, 4) + np.array([[0], [1 << 23], [0x3F800000], [0x7F800000], [1 << 31]])).astype("u4").ravel()
    given = np.concatenate([words, near, edges])
    done = subprocess.run([compiled(name, WORDS, tmp_path)], input=given.tobytes(), capture_output=True, check=True)
    assert np.array_equal(np.frombuffer(done.stdout, "u4"), of(name, given.view("f4")).view("u4"))


@needs_c
@pytest.mark.parametrize("name", WORST)
def test_all_arguments(name: str, tmp_path: Path) -> None:
    """The error of each of 2**32 is what the documentation says, and the function never falls."""
    done = subprocess.run([compiled(name, ALL % name, tmp_path)], capture_output=True, text=True, check=True)
    worst, others, falls = done.stdout.split()
    assert WORST[name] - 0.001 <= float(worst) <= WORST[name]
    assert (others, falls) == ("0", "0")
