"""Random elementary tasks with a body, inputs with corner values, and what the reference execution makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from generated_bodies import TYPES, GeneratedPort, bodies, const_array, pattern_shapes, table_of_bodies
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from loading import unchecked_spec_of

from arrayol.errors import ArrayolError
from arrayol.execute.compile_body import compile_body
from arrayol.execute.environment import DTYPES, LeadingTask
from arrayol.ir.spec import Elementary, Port
from arrayol.ir.types import ElementType, Kind

INTEGER_TYPES = tuple(kind for kind in TYPES if kind[0] in "iub")
Arrays = dict[str, Any]


@st.composite
def elementaries(draw: DrawFn, types: tuple[str, ...] = TYPES) -> str:
    """A specification of one elementary task `e`, which may read a const array."""
    common = draw(st.sampled_from(types))
    kinds = st.sampled_from((common, common, *types))
    inputs = [GeneratedPort(f"x{n}", draw(kinds), draw(pattern_shapes())) for n in range(draw(st.integers(1, 3)))]
    outputs = [GeneratedPort(f"y{n}", draw(kinds), draw(pattern_shapes())) for n in range(draw(st.integers(1, 2)))]
    tables = draw(table_of_bodies()) if types is TYPES else []
    body = draw(bodies([*inputs, *tables], outputs))
    lines = [draw(const_array(table)) for table in tables]
    header = f"elementary e({', '.join(map(str, inputs))}) -> ({', '.join(map(str, outputs))}) {{"
    return "\n".join([*lines, header, body, "}"])


def elementary_of(text: str) -> Elementary:
    """The task `e` of a specification."""
    return unchecked_spec_of(text).elementaries["e"]


_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 3.7, np.inf, -np.inf, np.nan, 1e-42, 3.4e38, 2.0**24 + 1, 1e300, 5e-324)


def drawn_inputs(ports: tuple[Port, ...], lanes: int, seed: int, *, tame: bool = False) -> Arrays:
    """Elements of each port in row-major order, for so many lanes: random ones, small ones and the ends of the types.

    `tame` floats are small and finite.
    """
    random = np.random.default_rng(seed)
    return {port.name: _elements(port, (prod(port.shape), lanes), random, tame) for port in ports}  # type: ignore[arg-type]


def _elements(port: Port, shape: tuple[int, int], random: np.random.Generator, tame: bool) -> Any:
    kind = port.type
    if kind.kind is Kind.COMPLEX:
        part = ElementType.F32 if kind is ElementType.C64 else ElementType.F64
        real, imaginary = (_floats(part, shape, random, tame) for _ in range(2))
        result = np.empty(shape, DTYPES[kind])
        result.real, result.imag = real, imaginary
        return result
    if kind.kind is Kind.FLOAT:
        return _floats(kind, shape, random, tame)
    low, high = kind.integer_range if kind is not ElementType.BOOL else (0, 1)
    anywhere = random.integers(low, high, shape, np.int64 if low < 0 else np.uint64, endpoint=True)
    small = np.clip(random.integers(-3 if low < 0 else 0, 9, shape), low, high)
    ends = np.where(random.random(shape) < 0.5, np.array(low, anywhere.dtype), np.array(high, anywhere.dtype))
    which = random.integers(0, 3 if not tame else 2, shape)
    return np.select([which == 0, which == 1], [anywhere, small.astype(anywhere.dtype)], ends).astype(DTYPES[kind])


def _floats(kind: ElementType, shape: tuple[int, int], random: np.random.Generator, tame: bool) -> Any:
    dtype = DTYPES[kind]
    ordinary = random.normal(0, 10, shape).astype(dtype)
    if tame:
        return ordinary
    bits = (
        random.integers(0, 1 << (8 * dtype.itemsize), shape, np.uint64, endpoint=False)
        if dtype.itemsize == 4
        else (random.integers(0, (1 << 64) - 1, shape, np.uint64, endpoint=True))
    )
    any_bits = bits.astype(f"u{dtype.itemsize}").view(dtype)
    with np.errstate(all="ignore"):
        corners = random.choice(np.array(_FLOATS), shape).astype(dtype)
    which = random.integers(0, 4, shape)
    return np.select([which < 2, which == 2], [ordinary, any_bits], corners)


def reference(elementary: Elementary, inputs: Mapping[str, Any]) -> Arrays:
    """The outputs of a body for lanes of inputs, by the executor. Raises ArrayolError where it stops at some lane."""
    lanes = next(iter(inputs.values())).shape[1] if inputs else 1
    arrays = {port.name: np.array(inputs[port.name]).reshape(*port.shape, lanes) for port in elementary.inputs} | {
        port.name: np.zeros((*port.shape, lanes), DTYPES[port.type]) for port in elementary.outputs
    }
    with np.errstate(all="ignore"):
        compile_body(elementary, 1).run(arrays, (lanes,), LeadingTask("t", None))
    return {port.name: arrays[port.name].reshape(-1, lanes) for port in elementary.outputs}


def runnable(elementary: Elementary, inputs: Arrays) -> tuple[Arrays, Arrays] | None:
    """The lanes of inputs at which the executor does not stop, and its outputs there; None if it always stops."""
    try:
        return inputs, reference(elementary, inputs)
    except ArrayolError:
        pass
    lanes = next(iter(inputs.values())).shape[1] if inputs else 1
    kept, outputs = [], []
    for lane in range(lanes):
        one = {name: values[:, lane : lane + 1] for name, values in inputs.items()}
        try:
            outputs.append(reference(elementary, one))
        except ArrayolError:
            continue
        kept.append(lane)
    if not kept:
        return None
    joined = {name: np.concatenate([found[name] for found in outputs], axis=1) for name in outputs[0]}
    return {name: values[:, kept] for name, values in inputs.items()}, joined


def differences(found: Mapping[str, Any], expected: Mapping[str, Any]) -> list[str]:
    """Where outputs differ in any bit; two that are not a number are alike, whatever their bits."""
    places = []
    for name, values in expected.items():
        own = found[name]
        assert (own.dtype, own.shape) == (values.dtype, values.shape)
        parts = [(own.real, values.real), (own.imag, values.imag)] if values.dtype.kind == "c" else [(own, values)]
        for mine, other in parts:
            same = mine == other
            if values.dtype.kind in "fc":
                same = (same & (np.signbit(mine) == np.signbit(other))) | (np.isnan(mine) & np.isnan(other))
            for element, lane in np.argwhere(~same)[:3]:
                places.append(f"{name}[{element}] lane {lane}: {mine[element, lane]!r} not {other[element, lane]!r}")
    return places
