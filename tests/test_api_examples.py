"""The example of every public function of the Python interface runs and shows what it returns."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cpp_programs import needs_compiler
from manual import blocks
from synthesised import DESIGNS, install_programs, write_emitted, write_synthesised
from verilog_programs import needs_icarus

from arrayol import api
from arrayol.files import shipped_folder

FUNCTIONS = [name for name in api.__all__ if inspect.isfunction(getattr(api, name))]
NEEDS = {
    "check_hls": needs_compiler,
    "check_verilog": needs_icarus,
    "import_c": needs_compiler,
    "study_of_pragmas": needs_compiler,
    "write_waveforms": needs_icarus,
}
DOT = """\
float dot(float a[16], float b[16]) {
  float sum = 0;
  for (int i = 0; i < 16; i++)
    sum += a[i] * b[i];
  return sum;
}
"""
GAIN = """\
void gain(float x[32], float y[32]) {
  for (int i = 0; i < 32; i++) {
#pragma HLS pipeline II=2
    y[i] = 2 * x[i];
  }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the page says is there, and folders that look as if they had been synthesised."""
    made = tmp_path_factory.mktemp("examples")
    for name in ("conv3x3.aol", "conv3x3.toml"):
        (made / name).write_bytes((shipped_folder() / name).read_bytes())
    (made / "dot.c").write_text(DOT, encoding="utf-8")
    (made / "gain.c").write_text(GAIN, encoding="utf-8")
    write_emitted(made / "v0")
    for number, figures in enumerate(DESIGNS):
        write_synthesised(made / f"d{number}", figures)
    return made


@pytest.fixture(scope="module")
def names(folder: Path) -> Iterator[dict[str, Any]]:
    """What stands before the examples."""
    (before,) = (block for block in blocks("api.md", "python") if block.text.startswith("# before.py\n"))
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        install_programs(folder, patch)
        exec(compile(before.text, "before.py", "exec"), names)
        yield names


@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDS.get(name, ())) for name in FUNCTIONS])
def test_the_example(name: str, names: dict[str, Any]) -> None:
    text = inspect.getdoc(getattr(api, name))
    assert text is not None
    example = doctest.DocTestParser().get_doctest(text, dict(names), name, None, None)
    assert 1 <= len(example.examples) <= 3
    report: list[str] = []
    done = doctest.DocTestRunner(verbose=False).run(example, out=report.append)
    assert done.failed == 0, "".join(report)


def test_the_first_lines_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("lpsf.aol", "lpsf.toml"):
        (tmp_path / name).write_bytes((shipped_folder() / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks("api.md", "python")[0].text, "api.md", "exec"), {})
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert (names[0], names[-1].partition(":")[0]) == ("4:1", "1+1+1+1")
    assert (tmp_path / "small" / "result.json").exists()
