"""The reference execution against the interpreter of oracle.py, on generated specifications, bit for bit."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
from generated import Generated, specs
from generated_bodies import GeneratedPort
from hypothesis import event, note
from hypothesis import strategies as st
from loading import unchecked_spec_of
from many_cases import full_count, on_many
from numpy.typing import NDArray
from oracle import Refused, dtype_of, interpret
from oracle_exact import ends, is_exact

from arrayol.errors import ArrayolError
from arrayol.execute import compile_body, compile_expression, patterns, run, vectorise
from arrayol.execute.repetitions import order_of
from arrayol.execute.run import execute, table_array
from arrayol.ir.expressions import Function, Loop, Select, assigns, depends_on_data, inside
from arrayol.ir.expressions import expressions as expressions_of
from arrayol.ir.spec import RepetitiveTask, Spec, TiledDefault
from arrayol.ir.types import ElementType


def data_for(port: GeneratedPort, seed: int) -> NDArray[Any]:
    """Small numbers for the most part, and with them the extremes of the type."""
    rng = np.random.default_rng([seed, *port.name.encode()])
    dtype = dtype_of(ElementType(port.type))
    if dtype.kind == "b":
        return rng.integers(0, 2, port.shape).astype(bool)
    if dtype.kind in "iu":
        kind = ElementType(port.type)
        extremes = ends(kind)
        most = max(extremes[1], 1) if kind.is_fixed else 20
        small = rng.integers(0, most, port.shape).astype(dtype) - dtype.type(0 if dtype.kind == "u" else 8)
        small = np.clip(small, *extremes)
        return np.where(rng.random(port.shape) < 0.1, rng.choice(np.array(extremes, dtype), port.shape), small)
    values = rng.standard_normal(port.shape) * 10
    special = rng.choice([0.0, -0.0, np.inf, np.nan, 1e30], port.shape)
    values = np.where(rng.random(port.shape) < 0.1, special, values)
    if dtype.kind == "c":
        return (values + 1j * rng.standard_normal(port.shape)).astype(dtype)
    return values.astype(dtype)


def same(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Equal bits, but for the payload and sign of NaN, which no one promises."""
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    parts = [(left.real, right.real), (left.imag, right.imag)] if left.dtype.kind == "c" else [(left, right)]
    return all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f") and np.array_equal(_signs(a), _signs(b)) for a, b in parts
    )


def _signs(values: NDArray[Any]) -> NDArray[Any]:
    return np.signbit(np.where(np.isnan(values), 0, values)) if values.dtype.kind == "f" else np.zeros(0)


KINDS = (
    "negative delays",
    "tiled defaults",
    "skewed wavefronts",
    "wraps",
    "loop",
    "where",
    "branches by data",
    "infinite axes",
    "locals",
    "locals of loops",
    "const arrays",
    "const arrays by links",
    "sat and round",
    "complex parts",
    "odd widths",
    "fixed point",
)
_PARTS = ("real", "imag", "conj", "c64", "c128")
SEEN: Counter[str] = Counter()

CODES = (
    r"error\[(division-by-zero|shift-out-of-range|subscript-out-of-range|conversion-out-of-range"
    r"|constant-does-not-fit|read-before-write|output-not-written)\]"
)

# Sizes at which the execution takes another way; the result must be the same on all of them.
WAYS: list[dict[tuple[Any, str], int]] = [
    {},
    {(run, "_LANES"): 1},
    {(run, "_LANES"): 3, (patterns, "_UNROLLED"): 0},
    {(patterns, "_CACHE_LINE"): 0, (patterns, "_SHORT"): 1},
    {(compile_body, "_UNROLLED"): 0, (compile_expression, "_NESTED"): 1, (vectorise, "_EXACT_LIMIT"): 0},
]


def test_execution_is_what_the_interpreter_says() -> None:
    on_many(full_count(250), None, _compare_case, specs(), st.integers(0, 1000), st.sampled_from(WAYS))


def _compare_case(generated: Generated, seed: int, way: Any) -> None:
    note(generated.text)
    spec = unchecked_spec_of(generated.text)
    count(spec, generated)
    inputs = {port.name: data_for(port, seed) for port in generated.inputs}
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), size in way.items():
            patch.setattr(module, name, size)
        compare(spec, generated.task, inputs, generated.streamed)


def count(spec: Spec, generated: Generated) -> None:
    """What the resolved specification has, whatever its text was meant to have."""
    repeated = [task for task in spec.tasks.values() if isinstance(task, RepetitiveTask)]
    delays = [delay for task in repeated for delay in task.delays if delay.acts]
    orders = [order_of(task) for task in repeated if task.delays]
    body = [one for elementary in spec.elementaries.values() for one in elementary.body or ()]
    found = list(assigns(body))
    locals_ = [local for elementary in spec.elementaries.values() for local in elementary.locals]
    nodes = [node for one in found for outer in expressions_of(one) for node in inside(outer)]
    chosen = [node.condition for node in nodes if isinstance(node, Select)]
    conditions = [one.condition for one in found if one.condition is not None]
    SEEN["cases"] += 1
    SEEN.update(
        kind
        for kind, present in {
            "negative delays": any(min(delay.vector) < 0 for delay in delays),
            "tiled defaults": any(isinstance(delay.default, TiledDefault) for delay in delays),
            "skewed wavefronts": any(order.tau is not None and order.wave is None for order in orders),
            "wraps": any(link.tiler.wrap for task in repeated for link in (*task.input_links, *task.output_links)),
            "loop": any(isinstance(one, Loop) for one in body),
            "where": bool(conditions),
            "branches by data": any(map(depends_on_data, [*chosen, *conditions])),
            "infinite axes": generated.streamed is not None,
            "locals": bool(locals_),
            "sat and round": any(isinstance(node, Function) and node.name in ("sat", "round") for node in nodes),
            "complex parts": any(isinstance(node, Function) and node.name in _PARTS for node in nodes),
            "odd widths": any(is_exact(node.type) and "." not in str(node.type) for node in nodes),
            "fixed point": any(is_exact(node.type) and "." in str(node.type) for node in nodes),
            "locals of loops": any(local.around for local in locals_),
            "const arrays": "K" in spec.tables,
            "const arrays by links": bool(spec.tables.keys() - {"K"}),
        }.items()
        if present
    )


@pytest.mark.all_cases
def test_kinds_of_specs(capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind of spec was met often enough for the test above to mean something."""
    if not SEEN["cases"]:
        pytest.skip("runs after the test above, in the same process")
    shares = {kind: SEEN[kind] / SEEN["cases"] for kind in KINDS}
    with capsys.disabled():
        shown = ", ".join(f"{kind} {share:.0%}" for kind, share in shares.items())
        sys.stdout.write(f"\nexecutions: {SEEN['cases']} cases; {shown}\n")
    assert all(share >= 0.05 for share in shares.values()), shares


def compare(spec: Spec, task: str, inputs: dict[str, NDArray[Any]], streamed: str | None) -> None:
    """Both ways give the same bits, or the execution is refused where the interpreter is."""
    found_by = unchecked_spec_of(streamed) if streamed is not None else spec
    try:
        expected = interpret(spec, task, inputs | {name: table_array(one) for name, one in spec.tables.items()})
    except Refused as refused:
        event("execution error")
        with pytest.raises(ArrayolError, match=CODES):
            execute(found_by, task, inputs)
        note(f"refused: {refused}")
        return
    found = execute(found_by, task, inputs)
    assert found.keys() == expected.keys()
    for name, values in found.items():
        assert same(values, expected[name]), f"{name}\n{values}\n{expected[name]}"
