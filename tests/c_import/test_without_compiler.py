"""C on a machine without a compiler: its preprocessor is a library then, with C's arithmetic in `#if`."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol import api

# Each condition holds in C.
CONDITIONS = (
    "N > 3 && defined(N)",
    "-7 % 2 == -1",
    "1 ? 0 ? 0 : 1 : 0",
    "'a' == 97",
    "!OTHER",
    "(N << 2 | 1) == 17",
    "-1 > 0u",
    "0x10 == 16 && 010 == 8",
)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_are_those_of_c(condition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    text = "#define N 4\n#if CONDITION\n#define W 3\n#else\n#define W 2\n#endif\n"
    text += "void f(int x[W], int y[W]) { for (int i = 0; i < W; i++) y[i] = x[i]; }\n"
    (tmp_path / "k.c").write_text(text.replace("CONDITION", condition), encoding="utf-8")
    assert api.import_c(tmp_path / "k.c").spec.tasks["f"].inputs[0].shape == (3,)
