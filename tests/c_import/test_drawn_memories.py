"""Drawn programs that use memory again: gcc's values, and most of them without one large body."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from beside_gcc import compiled, first_difference
from drawn_memories import program
from many_cases import case_count
from test_styles import drawn

from arrayol.c_import.import_c import Choices, import_source
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile

REFUSED = {"not-imported", "outside-array"}

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@pytest.mark.parametrize("group", range(4))
def test_values(group: int, tmp_path: Path) -> None:
    imports = 0
    cases = max(4, case_count(20))
    for seed in range(1000 * group, 1000 * group + cases):
        text, data = program(seed)
        try:
            imported = import_source(SourceFile("f.c", text), Choices(function="f"))
        except ArrayolError as refused:
            if any(one.code not in REFUSED for one in refused.diagnostics):
                raise
            continue
        imports += 1
        folder = tmp_path / str(seed)
        folder.mkdir()
        difference = first_difference(compiled(text, folder), "f", imported, drawn(data.split()), {})
        assert difference is None, f"seed {seed}\n{text}\n{difference}"
    assert imports >= cases // 2
