"""Names of operators stand in the registries: elsewhere no code compares them, or has a table of them.

`LEFT` are what is left, by file, and may only shrink. What reads other languages is not meant: C that is imported,
formulas of technologies.
"""

from __future__ import annotations

import ast
import re

import pytest
from compared_names import counted_offences, offences

from arrayol.operators.registry import FUNCTIONS, INFIX, PREFIX

NAMES = FUNCTIONS.keys() | INFIX.keys() | PREFIX.keys()
REGISTRIES = ("arrayol/operators/", "hwmodel/datapath/operators/")
OTHER_LANGUAGES = ("arrayol/c_import/", "hwmodel/datapath/technology/")
# What a file imports that sees operators: it reads expressions, or nodes of datapaths.
SEES = re.compile(
    r"^from (arrayol\.ir|arrayol\.ir\.expressions|arrayol\.operators\.registry|hwmodel\.datapath\.graph\.\w+) import",
    re.MULTILINE,
)

LEFT: dict[str, int] = {
    "arrayol/ir/affine.py": 8,
    "arrayol/ir/node_rules.py": 1,
    "arrayol/ir/node_schemas.py": 1,
    "arrayol/language/constants.py": 1,
    "arrayol/language/json/json_writer.py": 1,
    "arrayol/language/syntax/syntax_mistakes.py": 4,
    "arrayol/language/symbolic.py": 1,
    "arrayol/transforms/kept_consts.py": 1,
    "hwmodel/banks/emit_linear.py": 1,
    "hwmodel/datapath/graph/bits.py": 1,
    "hwmodel/datapath/graph/operations.py": 11,
    "hwmodel/datapath/graph/graph.py": 3,
    "hwmodel/datapath/graph/integers.py": 11,
    "hwmodel/datapath/graph/ones.py": 2,
    "hwmodel/datapath/graph/packing.py": 5,
    "hwmodel/datapath/graph/build.py": 1,
    "hwmodel/emit/c/nest.py": 1,
    "hwmodel/emit/verilog/datapaths/floats/operators.py": 1,
    "hwmodel/platform.py": 1,
}


def test_names_of_operators_are_compared_in_their_registries_alone() -> None:
    assert counted_offences(NAMES, (*REGISTRIES, *OTHER_LANGUAGES), SEES) == LEFT


@pytest.mark.parametrize(
    "text",
    ['node.operator == "+"', 'name in ("min", "x")', 'match sign:\n  case "<<" | ">>":\n    1', '{"*": 1, "/": 2}'],
)
def test_offences_are_found(text: str) -> None:
    assert list(offences(ast.parse(text), NAMES))


@pytest.mark.parametrize("text", ["operator.ring", 'Operation("+", (a, b))', '{"*": 1}', 'word == "for"'])
def test_what_is_fine_is_none(text: str) -> None:
    assert not list(offences(ast.parse(text), NAMES))
