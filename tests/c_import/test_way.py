"""From C to Verilog that was run: every command takes what was imported, or the import has said that it will not."""

from __future__ import annotations

from pathlib import Path

import pytest
from verilog_programs import needs_icarus
from way_kernels import KERNELS

from arrayol import api
from arrayol.c_import.import_c import Imported, import_source
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile

pytestmark = needs_icarus
PLAIN = api.Space(narrow=True)
ALONE = api.Resources(workers=1)


def refusal(code: str, error: pytest.ExceptionInfo[ArrayolError]) -> str:
    """The text and the hint of what a command refused, of one code."""
    assert {one.code for one in error.value.diagnostics} == {code}
    return "; ".join(f"{one.message}; {one.hint}" for one in error.value.diagnostics)


@pytest.mark.parametrize("name", KERNELS)
def test_every_command_goes_or_the_import_says_why_not(name: str, tmp_path: Path) -> None:
    kernel = KERNELS[name]
    imported = import_source(SourceFile("f.c", kernel.text))
    told = api.way_to_hardware(imported.spec)
    expected = [
        (command, refused[1])
        for command, refused in (("explore", kernel.explore), ("emit verilog", kernel.verilog))
        if refused is not None
    ]
    assert [line.partition(": ")[0] for line in told] == [command for command, _ in expected]
    assert [line for line, (_, text) in zip(told, expected, strict=True) if text not in line] == []

    top = "f"
    if kernel.explore is not None:
        with pytest.raises(ArrayolError) as stopped:
            api.explore(imported.spec, space=PLAIN, resources=ALONE)
        assert kernel.explore[1] in refusal(kernel.explore[0], stopped)
        top = "f_0_step"
    to_verilog(imported, top, kernel.verilog, tmp_path)
    for task in imported.tasks:
        assert api.transfers(imported.spec, task).traffic.nest.name == task


def to_verilog(imported: Imported, top: str, refused: tuple[str, str] | None, folder: Path) -> None:
    """Explore, and emit the fastest design, which simulates it first; or emission is refused as expected."""
    exploration = api.explore(imported.spec, top=top, space=PLAIN, resources=ALONE)
    api.write_result(exploration, folder / "front", report=False)
    design = api.open_design(imported.spec, folder / "front", exploration.result.pareto[0].id, top=top)
    if refused is not None:
        with pytest.raises(ArrayolError) as stopped:
            api.emit_verilog(design, folder / "verilog")
        assert refused[1] in refusal(refused[0], stopped)
        return
    emitted = api.emit_verilog(design, folder / "verilog")
    api.check_verilog(emitted, folder / "verilog").require_agreement()


def test_a_platform_that_does_not_fit_does_not_stop_an_import(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its [verify] names a const that the import has made a number of."""
    monkeypatch.chdir(tmp_path)
    memory = '[memory]\nlatency = 8\nword_bits = 32\nport = "shared"\n'
    Path("f.toml").write_text(f"{memory}[verify]\nN = 4\n", encoding="utf-8")
    imported = import_source(
        SourceFile("f.c", "void f(const int x[8], int y[8]) { for (int i = 0; i < 8; i++) y[i] = x[i]; }")
    )
    (line,) = api.way_to_hardware(imported.spec)
    assert line.startswith("explore: 'verify.N' is no const of the spec")
