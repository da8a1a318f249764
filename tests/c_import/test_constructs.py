"""Constructs of C, each tried: gcc's values, or a refusal with its reason. Rows of the golden file only become yes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from beside_gcc import GCC, Arrays, first_difference, loaded
from constructs import CONSTRUCTS, STATES, text_of

from arrayol.c_import.import_c import Choices, import_source
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile

GOLDEN = Path(__file__).parent.parent / "golden" / "import-constructs.txt"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value")
def test_constructs(golden: Callable[[Path, str], None], tmp_path: Path) -> None:
    names = {name: f"f{place}" for place, name in enumerate(CONSTRUCTS)}
    for name, function in names.items():
        (tmp_path / f"{function}.c").write_text(text_of(name, function), encoding="utf-8")
    files = [f"{function}.c" for function in names.values()]
    subprocess.run([*GCC, *files, "-o", "f.so", "-lm"], check=True, cwd=tmp_path)
    library = loaded(tmp_path)
    rng = np.random.default_rng(4)
    data: Arrays = {
        "x": rng.permutation(100)[:12].astype("i4"),
        "y": rng.permutation(12).astype("i4"),
        "u": rng.integers(0, 256, 12).astype("u1"),
        "v": rng.uniform(-3, 3, 12).astype("f4"),
    }
    rows: dict[str, str] = {}
    different: dict[str, str] = {}
    for name, function in names.items():
        file = SourceFile("f.c", text_of(name, function))
        try:
            imported = import_source(file, Choices(function=function))
        except ArrayolError as refused:
            first = refused.diagnostics[0]
            rows[name] = f"refused: {first.message}; {first.hint}"
            continue
        difference = first_difference(library, function, imported, data, STATES.get(name, {}))
        if difference is not None:
            different[name] = difference
        rows[name] = "yes"
    assert different == {}
    golden(GOLDEN, "".join(f"{name}: {row}\n" for name, row in rows.items()))
