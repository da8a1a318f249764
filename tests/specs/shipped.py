"""Running shipped specifications, and the data they run on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.execute.environment import DTYPES
from arrayol.execute.run import execute
from arrayol.files import shipped_folder
from arrayol.ir.spec import Port, Spec

Array = NDArray[Any]

PICTURES = ["noise", "ramp", "square", "point"]

# Consts that make each specification small; every shipped one has its line.
SMALL: dict[str, Mapping[str, int]] = {
    "conv3x3": {"H": 20, "W": 31},
    "dct": {"H": 16, "W": 24},
    "demosaic": {"H": 12, "W": 10},
    "thumbnail": {"H": 18, "W": 24},
    "fir": {"N": 128, "TAPS": 5},
    "firbank": {"BANDS": 4, "TAPS": 12, "N": 20},
    "flow": {"H": 24, "W": 32},
    "attention": {"N": 6, "D": 4},
    "camera": {"H": 12, "W": 10},
    "mobilenet": {"H": 6, "W": 5},
    "splitmatmul": {"M": 3, "N": 2, "K": 12, "S": 4},
    "stereo": {"H": 9, "W": 20, "SHIFTS": 6, "R": 1},
    "wavelet": {"H": 12, "W": 16},
    "harris": {"H": 20, "W": 31},
    "jacobi": {"H": 12, "W": 8, "S": 4},
    "lpsf": {"H": 12, "W": 16},
    "matmul": {"M": 8, "N": 12, "K": 10, "S": 4},
    "polyprod": {"N": 11, "PAIRS": 3},
    "pattern": {"N": 60, "LENGTH": 3, "S": 12},
    "pyramid": {"H": 12, "W": 20},
    "radar": {"PULSES": 8, "GATES": 20},
    "sobel": {"H": 16, "W": 24},
    "solve": {"N": 7, "COUNT": 3},
    "stencil2d": {"H": 9, "W": 11, "BLOCKS": 2},
    "downscaler": {"H": 18, "W": 24},
}


def run(name: str, inputs: Mapping[str, Array], top: str | None = None, **consts: float) -> dict[str, Array]:
    """The outputs of a shipped specification, or of one of its tasks, with consts set by name."""
    spec = load_checked(shipped_folder() / f"{name}.aol", consts)
    return execute(spec, choose_top(spec, top), inputs)


def noise(seed: int, shape: tuple[int, ...], type_: str) -> Array:
    """Random values of a NumPy type: all integers that it has, floats and complex numbers normally distributed."""
    rng, dtype = np.random.default_rng(seed), np.dtype(type_)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    real = rng.standard_normal(shape)
    return (real + 1j * rng.standard_normal(shape) if dtype.kind == "c" else real).astype(dtype)


def picture(kind: str, rows: int, columns: int) -> Array:
    """A grey picture: noise, a ramp along the diagonal, a white square inside, or a white point in the corner."""
    if kind == "noise":
        return noise(rows, (rows, columns), "u1")
    row, column = np.indices((rows, columns))
    if kind == "ramp":
        return ((3 * row + 5 * column) % 256).astype("u1")
    if kind == "square":
        inside = (row >= rows // 4) & (row < 3 * rows // 4) & (column >= columns // 4) & (column < 3 * columns // 4)
        return np.where(inside, 255, 0).astype("u1")
    return np.where((row == 0) & (column == 0), 255, 0).astype("u1")


def any_input(port: Port, frames: int) -> Array:
    """Noise for a port, of all values that its type has; an infinite dimension has so many frames."""
    shape = tuple(frames if size is None else size for size in port.shape)
    values = noise(len(port.name), shape, DTYPES[port.type].str)
    if port.type.wraps:
        low, high = port.type.integer_range
        values = np.where((values >= low) & (values <= high), values, values & high)
    return values


def same(found: Array, expected: Array) -> bool:
    """Equal types, shapes and bits."""
    return found.dtype == expected.dtype and found.shape == expected.shape and found.tobytes() == expected.tobytes()


def agrees(spec: Spec, name: str, found: Spec) -> None:
    """Judge that NAME_laid_out of `found` computes what `name` of `spec` does."""
    inputs = {port.name: any_input(port, 1) for port in spec.given_inputs(spec.elementaries[name])}
    expected, outputs = execute(spec, name, inputs), execute(found, f"{name}_laid_out", inputs)
    assert outputs.keys() == expected.keys()
    assert all(same(outputs[port], array) for port, array in expected.items())
