"""Names of kinds of memories stand in their registry: elsewhere no code compares them, or has a table of them.

`LEFT` are what is left, by file, and may only shrink: colours, which lie below the registry, and a way to build that
has such a name too. Rooms of the language and of C have words of their own.
"""

from __future__ import annotations

import ast

import pytest
from compared_names import counted_offences, offences

from arrayol.pictures.palette import MEMORIES
from hwmodel.memory_kinds import KINDS

REGISTRY = "hwmodel/memory_kinds.py"
OTHER_LANGUAGES = ("arrayol/c_import/", "arrayol/language/", "arrayol/ir/", "arrayol/lsp/", "arrayol/tiling/")

LEFT: dict[str, int] = {
    "arrayol/pictures/palette.py": 2,
    "dse/output/built_memories.py": 1,
    "hwmodel/cost_model/counted/axis_table.py": 1,  # of what becomes of a datum
}


def test_names_of_kinds_are_compared_in_their_registry_alone() -> None:
    assert counted_offences(KINDS, (REGISTRY, *OTHER_LANGUAGES)) == LEFT


@pytest.mark.parametrize(
    "text",
    [
        'use.kind == "fifo"',
        'kind in ("once", "x")',
        'match kind:\n  case "rom" | "local":\n    1',
        '{"fifo": 1, "rom": 2}',
    ],
)
def test_offences_are_found(text: str) -> None:
    assert list(offences(ast.parse(text), KINDS))


def test_every_kind_has_a_colour() -> None:
    assert MEMORIES.keys() == KINDS.keys()
