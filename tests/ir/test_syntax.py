"""Nodes that somebody builds in Python: validated, with our own errors, and what stands for nodes becomes nodes."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from many_cases import case_count
from strategies_models import models

from arrayol import api
from arrayol.api import model as m
from arrayol.ir import syntax, trusted
from arrayol.language.syntax.tree import nodes_in


def test_numbers_names_and_lists_stand_for_nodes() -> None:
    port = m.Port("x", "u8", [3, "W", "*", {"operator": "-", "left": "W", "right": 1}])
    width = trusted.Ref(trusted.Name("W"))
    less = trusted.Binary("-", width, trusted.Number(1))
    shape = (trusted.Number(3), width, trusted.Infinite(), less)
    assert port == trusted.Port(trusted.Name("x"), trusted.Name("u8"), shape)
    tiler = m.Tiler(origin=[-1], paving=[[2.0]], fitting=[], wrap=True)
    minus = trusted.Unary("-", trusted.Number(1))
    rows = trusted.Matrix(((trusted.Number(2.0),),))
    assert tiler == trusted.Tiler(trusted.Vector((minus,)), rows, trusted.Matrix(()), True)
    assert m.Const("z", -0.0).value == trusted.Unary("-", trusted.Number(0.0))
    assert m.InputLink("p", "a", "t", border="nearest").border == trusted.BorderMode("nearest")
    assert m.Part("a", [0, "..", {"low": 0, "high": "N"}]).slices[1] == trusted.Whole()


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: m.Name("2x"), r"bad-value\]: Name is '2x'; it must be a name"),
    (lambda: m.Name("for"), r"bad-value\]: Name: 'for' is a word of the language\n  hint: choose another name"),
    (lambda: m.Port("i4.12", "u8"), r"bad-value\]: Port.name: 'i4.12' is the name of a type"),
    (lambda: m.Number(-1), r"bad-value\]: Number.value is -1; it must be a number of at least 0"),
    (lambda: m.Number(True), r"bad-value\]: Number.value is True; it must be a number"),
    (lambda: m.Number(float("inf")), r"number-too-large\]: Number.value"),
    (lambda: m.Number(10**400), r"number-too-long\]: Number.value"),
    (lambda: m.Truth(1), r"bad-value\]: Truth.value is 1; it must be true or false"),
    (lambda: m.Binary("**", 1, 2), r"bad-value\]: Binary.operator is '\*\*'; it must be an operator with two operands"),
    (lambda: m.Unary("+", 1),
     r"bad-value\]: Unary.operator is '\+'; it must be an operator with one operand \(- ~ not\)"),
    (lambda: m.Apply("min", []), r"bad-value\]: Apply: the list of arguments of 'min' is empty"),
    (lambda: m.Const("N", object()), r"bad-value\]: Const.value is <object .*; it must be an expression"),
    (lambda: m.Const("N", None), r"bad-value\]: Const.value is null; it must be an expression"),
    (lambda: m.Port("x", "u8", 3), r"bad-value\]: Port.shape is 3; it must be a list"),
    (lambda: m.Port("x", "u8", [4, 0]), r"empty-dimension\]: Port.shape\[1\]: a dimension must be at least 1, not 0"),
    (lambda: m.Port("x", "u8", [-4]), r"empty-dimension\]: Port.shape\[0\]: a dimension must be at least 1, not -4"),
    (lambda: m.Port("x", "u8", [1.5]), r"not-an-integer\]: Port.shape\[0\]"),
    (lambda: m.Port("x", "u8", [True]), r"not-an-integer\]: Port.shape\[0\]"),
    (lambda: m.Port("x", "u8", [2**63]), r"huge-dimension\]: Port.shape\[0\]"),
    (lambda: m.Port("x", "u8", [1] * 33), r"too-many-dimensions\]: Port.shape"),
    (lambda: m.Port("x"), r"missing-key\]: 'type' is missing in Port"),
    (lambda: m.Port("x", "u8", [], shap=1),
     r"unknown-key\]: unknown key 'shap' in Port\n  hint: known here: name, type"),
    (lambda: m.Port("x", "u8", [], None, 5), r"bad-value\]: Port: there are 4 fields: name, type, shape, span"),
    (lambda: m.Port("x", "u8", name="y"), r"bad-value\]: Port: 'name' is given twice"),
    (lambda: m.Port("x", "u8", span=3), r"bad-value\]: Port.span is 3; it must be a Span"),
    (lambda: m.Tiler([0], [[1], [1, 2]], []), r"ragged-matrix\]: Tiler.paving: row 2 has 2 entries, row 1 has 1"),
    (lambda: m.Tiler([0], [[1], [0]], []), r"rank-mismatch\]: Tiler: the origin has 1 entry, the paving 2 rows"),
    (lambda: m.Tiler([0, 0], [], [[1]]), r"rank-mismatch\]: Tiler: the origin has 2 entries, the fitting 1 row"),
    (lambda: m.Tiler([0], [1], []), r"bad-value\]: Tiler.paving\[0\] is 1; it must be a list"),
    (lambda: m.Tiler([0], [[1]], [[]]), r"bad-value\]: Tiler.fitting: a matrix has rows without entries"),
    (lambda: m.Repeat([4, 4], "e", [m.DelayLink("p", "q", [1], 0)]),
     r"rank-mismatch\]: Repeat.links\[0\].vector: a delay"),
    (lambda: m.Repeat([], "e"), r"bad-value\]: Repeat: a repetition space is empty"),
    (lambda: m.Repeat([4], "e", [3]),
     r"bad-value\]: Repeat.links\[0\] is 3; it must be an object whose 'kind' is input,"),
    (lambda: m.Signature([m.Port("x", "u8")], [m.Port("x", "u8")]),
     r"defined-twice\]: Signature.outputs\[0\].name: two"),
    (lambda: m.Elementary("e", {"inputs": [{"name": "x", "type": "u99"}], "outputs": []}),
     r"bad-width\]: Elementary.signature.inputs\[0\].type: no element type is named 'u99'"),
    (lambda: m.Elementary("e", m.Signature([], []), (), "a:b"),
     r"bad-value\]: Elementary: an elementary has a body or"),
    (lambda: m.Elementary("e", m.Signature([], []), parameters=["T", "T"]),
     r"defined-twice\]: Elementary.parameters\[1\]"),
    (lambda: m.ConstArray("K", "T", [2], 0), r"unknown-type\]: ConstArray.type: no element type is named 'T'"),
    (lambda: m.Table([[1], []]), r"bad-value\]: Table: a row of a table is empty"),
    (lambda: m.Table([[1, 2]], [m.Range("k", 0, 1)]), r"bad-value\]: Table: a table with ranges has one formula"),
    (lambda: m.Import('a"b'), r"bad-value\]: Import.path is 'a\"b'; it must be a text without"),
    (lambda: m.Import("a\u200bb"), r"bad-value\]: Import.path is"),
    (lambda: m.Task("t", m.Signature([], []), []), r"bad-value\]: Task: the content of a task is empty"),
    (lambda: m.Task("t", m.Signature([], []), 3),
     r"bad-value\]: Task.content is 3; it must be a repetition, or a list"),
    (lambda: m.BorderMode("wrap"),
     r"bad-value\]: BorderMode is 'wrap'; it must be a border \(nearest reflect mirror\)"),
    (lambda: m.Specification([m.Const("N", 1), m.Const("N", 2)]),
     r"defined-twice\]: Specification.definitions\[1\].name"),
    (lambda: replace(m.Const("N", 1), name=3), r"bad-value\]: Const.name is 3; it must be a name"),
]  # fmt: skip


@pytest.mark.parametrize(("build", "error"), WRONG, ids=lambda value: value[:30] if isinstance(value, str) else "")
def test_what_is_wrong_is_told_in_our_words(build: Callable[[], object], error: str) -> None:
    with pytest.raises(api.ArrayolError, match=rf"^error\[{error}") as caught:
        build()
    assert caught.value.__cause__ is None
    assert "pydantic" not in str(caught.value)


def test_every_mistake_is_told() -> None:
    with pytest.raises(api.ArrayolError) as caught:
        m.Port("2", "3", [{"operator": "?", "left": "for", "right": {"function": "a b", "arguments": [[]]}}])
    assert len(caught.value.diagnostics) == 6


@settings(max_examples=case_count(30), deadline=None)
@given(models())
def test_nodes_are_frozen_values_and_trusted_ones_are_the_same(model: m.Specification) -> None:
    for node in nodes_in(model):
        values = {part.name: getattr(node, part.name) for part in fields(node)}
        assert getattr(trusted, type(node).__name__)(**values) == node == type(node)(**values)
        with pytest.raises(FrozenInstanceError):
            setattr(node, next(iter(values)), None)
    assert model == pickle.loads(pickle.dumps(model)) == copy.deepcopy(model)
    assert hash(model) == hash(copy.deepcopy(model))


def test_every_node_has_a_trusted_constructor_and_a_public_name() -> None:
    text = Path(syntax.__file__).read_text(encoding="utf-8")
    classes = set(re.findall(r"^class (\w+):", text, re.MULTILINE))
    assert (
        set(m.__all__) == classes == {name for name in vars(trusted) if name[0].isupper()} - {"Any", "Node", "TypeVar"}
    )


def test_a_model_is_loaded_checked_and_written(tmp_path: Path) -> None:
    double: Any = {"operator": "*", "left": 2, "right": "x"}
    ports: Any = ([{"name": "a", "type": "i32", "shape": ["N"]}], [{"name": "b", "type": "i32", "shape": ["N"]}])
    each = m.Tiler(origin=[0], paving=[[1]], fitting=[])
    made = m.Specification([
        m.Const("N", 4),
        m.Elementary("double", m.Signature([m.Port("x", "i32")], [m.Port("y", "i32")]), [m.Assign("y", double)]),
        m.Task("row", m.Signature(*ports), m.Repeat(["N"], "double", [
            m.InputLink("x", "a", each), m.OutputLink("y", "b", each),
        ])),
    ])  # fmt: skip
    assert api.run(made, {"a": np.arange(1, 5, dtype=np.int32)})["b"].tolist() == [2, 4, 6, 8]
    assert api.load(made, {"N": 2}).constants == {"N": 2}
    (tmp_path / "made.json").write_text(api.spec_json(made), encoding="utf-8")
    assert api.model_of(tmp_path / "made.json") == made
    assert api.load(tmp_path / "made.json").components == api.load(made).components
    (tmp_path / "made.aol").write_text(api.spec_text(made), encoding="utf-8")
    assert api.model_of(tmp_path / "made.aol") == made
    wrong = replace(made, definitions=made.definitions[1:])
    with pytest.raises(api.ArrayolError, match=r"<specification>:\d+:\d+: error\[unknown-name\]"):
        api.load(wrong)


def test_the_example_of_the_documentation() -> None:
    assert m.__doc__ is not None
    code = dedent(m.__doc__[m.__doc__.index("    from arrayol") : m.__doc__.index("A call validates")])
    names: dict[str, Any] = {}
    exec(code, names)
    assert api.run(names["spec"], {"a": np.arange(8, dtype=np.int32)})["b"].tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_text_is_read_without_pydantic() -> None:
    lpsf = Path(__file__).parents[2] / "specs" / "lpsf.aol"
    script = f"import sys; from arrayol.checks.check import check; from pathlib import Path; check(Path({str(lpsf)!r}))"
    script += "; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
