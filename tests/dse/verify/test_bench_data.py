"""Default data keep to what bodies accept: shifts, quotients, tables and conversions by data."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from arrayol.checks.check import sound
from arrayol.execute.run import execute
from arrayol.ir.spec import Spec
from arrayol.language.loader import load_source
from arrayol.source import SourceFile
from arrayol.transforms.steps import canonical_form
from dse.verify.bench_data import BenchData, accepted_data
from hwmodel.accesses import Accesses

TABLE = "const TABLE: i32[10] = [k * k for k in 0..10]\n"


def network(body: str, types: dict[str, str], *, result: str = "i32") -> Spec:
    """A task that applies a body to each element of its inputs."""
    ports = ", ".join(f"{name}: {kind}" for name, kind in types.items())
    arrays = ", ".join(f"{name}: {kind}[2000]" for name, kind in types.items())
    links = "\n".join(f"    {name} <- {name}" for name in types)
    text = f"""{TABLE}
elementary each({ports}) -> (y: {result}) {{
  y = {body}
}}
task top({arrays}) -> (y: {result}[2000]) {{
  repeat [2000] of each {{
{links}
    y -> y
  }}
}}
"""
    source = SourceFile("t.aol", text)
    return sound(load_source(source)).spec


def data_of(spec: Spec) -> BenchData:
    """The data, which the reference execution accepts."""
    form = canonical_form(spec, "top")
    found = accepted_data(form.spec, Accesses(form.network))
    assert found is not None
    execute(form.spec, "top", found.inputs)
    return found


@pytest.mark.parametrize(
    ("body", "types", "kept_to"),
    [
        ("x << by", {"x": "i32", "by": "i32"}, "'by' from 0 to 31"),
        ("x >> (by - 200)", {"x": "i32", "by": "i32"}, "'by' from 200 to 231"),
        ("x << (a - b)", {"x": "i32", "a": "i32", "b": "i32"}, None),
        ("x // by", {"x": "i32", "by": "i32"}, "'by' from 1 to 255"),
        ("x % (a - b)", {"x": "i32", "a": "i32", "b": "i32"}, None),
        ("TABLE[place]", {"place": "i32"}, "'place' from 0 to 9"),
        ("TABLE[place] + x", {"x": "i32", "place": "u8"}, "'place' from 0 to 9"),
        ("i32(u8(x * 1000.0))", {"x": "f64"}, "'x' from 0 to 0.25"),
        ("x + y2", {"x": "i32", "y2": "i32"}, ""),
        ("x // by if by != 0 else 0", {"x": "i32", "by": "i32"}, ""),
    ],
)
def test_each_refusal(body: str, types: dict[str, str], kept_to: str | None) -> None:
    """Inputs that no body refuses keep both signs and all values."""
    found = data_of(network(body, types))
    if kept_to:
        assert found.kept_to.startswith(kept_to)
    else:
        assert bool(found.kept_to) == (kept_to is None)
    if "x" in types and types["x"] == "i32" and kept_to:
        assert found.inputs["x"].min() < -64
        assert found.inputs["x"].max() > 64


def drawn(rng: Random, names: list[str], depth: int) -> str:
    """An expression with a shift, quotient or table index by data in most places."""
    if depth == 0:
        return rng.choice(names)
    left, right = drawn(rng, names, depth - 1), rng.choice(names)
    forms = (f"({left} << {right})", f"({left} >> {right})", f"({left} // {right})", f"({left} % {right})")
    return rng.choice((*forms, f"TABLE[{right}]", f"({left} + {right})", f"({left} // ({right} + 3))"))


@pytest.mark.parametrize("seed", range(12))
def test_drawn_bodies(seed: int) -> None:
    """They are accepted, and are no constants where they need not be."""
    rng = Random(seed)
    names = ["a", "b", "c"]
    found = data_of(network(drawn(rng, names, 2), dict.fromkeys(names, "i32")))
    assert sum(np.unique(values).size > 1 for values in found.inputs.values()) >= 1


def test_bodies_that_refuse_everything_have_no_data() -> None:
    spec = network("x // (a - a)", {"x": "i32", "a": "i32"})
    form = canonical_form(spec, "top")
    assert accepted_data(form.spec, Accesses(form.network)) is None
