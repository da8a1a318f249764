"""Default data keep to what bodies accept: shifts, quotients, tables and conversions by data."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from command_line import in_process

from arrayol.checks.check import sound
from arrayol.execute.run import execute
from arrayol.ir.spec import Spec
from arrayol.language.loader import load_source
from arrayol.source import SourceFile
from arrayol.transforms.steps import canonical_form
from dse.verify.testbench import BenchData, accepted_data
from hwmodel.accesses import Accesses

TABLE = "const TABLE: i32[10] = [k * k for k in 0..10]\n"


def network(body: str, types: dict[str, str]) -> Spec:
    """A task that applies a body to each element of its inputs."""
    return sound(load_source(SourceFile("t.aol", spec_text(body, types)))).spec


def spec_text(body: str, types: dict[str, str]) -> str:
    """Its text."""
    ports = ", ".join(f"{name}: {kind}" for name, kind in types.items())
    arrays = ", ".join(f"{name}: {kind}[2000]" for name, kind in types.items())
    links = "\n".join(f"    {name} <- {name}" for name in types)
    return f"""{TABLE}
elementary each({ports}) -> (y: i32) {{
  y = {body}
}}
task top({arrays}) -> (y: i32[2000]) {{
  repeat [2000] of each {{
{links}
    y -> y
  }}
}}
"""


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


def test_results_say_to_what_data_are_kept(tmp_path: Path) -> None:
    """A shift and a quotient by data: explored with data and not with tokens, then emitted without any given."""
    text = spec_text("(x << by) // d", dict.fromkeys(("x", "by", "d"), "i32")).replace("[2000]", "[64]")
    (tmp_path / "t.aol").write_text(text, encoding="utf-8")
    explored = in_process("explore", "t.aol", "--out", "o", "--no-report", cwd=tmp_path)
    assert explored.returncode == 0, explored.stderr
    kept_to = "with 'by' from 0 to 31 and 'd' from 1 to 255 as"
    designs = json.loads((tmp_path / "o" / "result.json").read_text(encoding="utf-8"))["pareto"]
    assert {design["verification"] for design in designs} == {f"simulated at its whole size, {kept_to} bodies need"}
    emitted = in_process("emit", "verilog", "t.aol", "--result", "o", "--pick", "knee", "--out", "v", cwd=tmp_path)
    assert f"the frame of the test bench is random data, seed 1, {kept_to} the bodies need" in emitted.stderr
    assert f"seed 1, {kept_to} the bodies need" in (tmp_path / "v" / "README.md").read_text(encoding="utf-8")
