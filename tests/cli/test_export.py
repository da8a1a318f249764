"""`arrayol export`, and JSON in the place of text for every command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from command_loads import write_inputs
from conftest import CommandLine

from arrayol import api
from arrayol.cli.commands.fmt import command as fmt
from arrayol.lsp.analysis import Analysis, formatted, mistakes, references
from arrayol.lsp.completion import completions
from arrayol.lsp.hover import hover
from arrayol.source import SourceFile

ROOT = Path(__file__).parents[2]
LPSF = ROOT / "specs" / "lpsf.aol"


@pytest.fixture
def small(arrayol: CommandLine, tmp_path: Path) -> Path:
    """A folder with the same specification as text and as JSON, and a platform for both."""
    write_inputs(tmp_path)
    assert arrayol("export", "small.aol", "--out", "small.json").stdout == "wrote small.json\n"
    shutil.copy(tmp_path / "small.toml", tmp_path / "same.toml")
    shutil.copy(tmp_path / "small.json", tmp_path / "same.json")
    return tmp_path


LINES = (
    ("cost", "FILE"),
    ("show", "FILE", "scaled"),
    ("run", "FILE", "--top", "top", "--in", "x=ramp", "--out", "y=y.npy", "--set", "N=5"),
    ("transform", "FILE", "fuse smoothed scaled"),
    ("layout", "FILE", "product", "--unroll", "2"),
    ("transfers", "FILE", "product", "--schedule", "i"),
    ("export", "FILE"),
    ("export", "FILE", "--to", "text"),
)


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_commands_take_json_for_text(arrayol: CommandLine, small: Path, line: tuple[str, ...]) -> None:
    answers = []
    for file in ("small.aol", "small.json"):
        done = arrayol(*(word.replace("FILE", file) for word in line))
        assert done.returncode == 0, done.stderr
        written = {path.name: path.read_bytes() for path in small.glob("y.npy")}
        answers.append((done.stdout.replace(file, "FILE"), done.stderr.replace(file, "FILE"), written))
    assert answers[0] == answers[1]


def test_checks_find_the_same_at_places_of_their_own(arrayol: CommandLine, small: Path) -> None:
    answers = [arrayol("check", file, "--set", "N=4", "--json").stdout for file in ("small.aol", "small.json")]
    reports = [json.loads(answer) for answer in answers]
    texts = [[found["message"] for found in report["diagnostics"]] for report in reports]
    assert texts[0] == texts[1] == ["'product' is an elementary task that nothing uses"]
    (found,) = reports[1]["diagnostics"]
    assert (found["file"], found["pointer"]) == ("small.json", "/definitions/3/name")
    assert "pointer" not in reports[0]["diagnostics"][0]


def test_an_exploration_of_json_is_that_of_text(arrayol: CommandLine, small: Path) -> None:
    results = []
    for file in ("small.aol", "small.json"):
        out = file.replace(".", "-")
        done = arrayol(
            "explore", file, "--top", "top", "--quiet", "--narrow", "--workers", "1", "--out", out, "--verify"
        )
        assert done.returncode == 0, done.stderr
        results.append(json.loads((small / out / "result.json").read_text(encoding="utf-8"))["pareto"])
    assert results[0] == results[1]
    opened = arrayol("simulate", "small.json", "--result", "small-aol", "--design", "2:1", "--in", "x=ramp")
    assert opened.returncode == 0, opened.stderr


def test_export_gives_back_the_text(arrayol: CommandLine, tmp_path: Path) -> None:
    done = arrayol("export", str(LPSF))
    assert done.stdout == api.spec_json(LPSF)
    (tmp_path / "lpsf.json").write_text(done.stdout, encoding="utf-8")
    text = arrayol("export", "lpsf.json", "--to", "text").stdout
    assert text == arrayol("export", str(LPSF), "--to", "text").stdout
    (tmp_path / "lpsf.aol").write_text(text, encoding="utf-8")
    assert arrayol("fmt", "lpsf.aol", "--check").returncode == 0
    assert api.model_of(tmp_path / "lpsf.aol") == api.model_of(LPSF) == api.model_of(tmp_path / "lpsf.json")


def test_json_is_known_by_what_it_holds(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "lpsf.spec").write_text(f"\ufeff\n {api.spec_json(LPSF)}", encoding="utf-8")
    assert arrayol("check", "lpsf.spec").stdout == "lpsf.spec: fine: 5 tasks, 1 elementary task\n"
    (tmp_path / "empty.json").write_text("", encoding="utf-8")
    assert "error[bad-json]" in arrayol("check", "empty.json").stdout


def test_files_import_json_and_json_imports_files(arrayol: CommandLine, tmp_path: Path) -> None:
    lines = {
        "size": "const N = 4\n",
        "part": 'import "size.json"\nelementary one(x: u8) -> (y: u8) {\n  y = x + K[0]\n}\nconst K: u8[2] = "k.npy"\n',
        "whole": 'import "part.json"\ntask t(a: u8[N]) -> (b: u8[N]) {\nrepeat [N] of one {\nx <- a\ny -> b\n}\n}\n',
    }
    np.save(tmp_path / "k.npy", np.array([1, 2], np.uint8))
    for name, text in lines.items():
        (tmp_path / f"{name}.aol").write_text(text, encoding="utf-8")
        assert arrayol("export", f"{name}.aol", "--out", f"{name}.json").returncode == 0
    for file in ("whole.aol", "whole.json"):
        assert arrayol("check", file).stdout == f"{file}: fine: 1 task, 1 elementary task\n"
    (tmp_path / "part.json").write_text('{"arrayol": "specification"}', encoding="utf-8")
    told = arrayol("check", "whole.aol", "--json").stdout
    assert {found["code"]: found["file"] for found in json.loads(told)["diagnostics"]}["other-format"] == "part.json"


def test_only_text_is_formatted(arrayol: CommandLine, small: Path) -> None:
    before = (small / "small.json").read_bytes()
    done = arrayol("fmt", "small.json")
    assert (done.returncode, (small / "small.json").read_bytes()) == (1, before)
    assert done.stderr.startswith("small.json: error[not-text]: ")
    assert "and so does JSON" in (fmt.help or "")


def test_sarif_has_places_in_json(arrayol: CommandLine, tmp_path: Path) -> None:
    text = api.spec_json(LPSF).replace('"callee": "hflr"', '"callee": "hflrr"')
    (tmp_path / "lpsf.json").write_text(text, encoding="utf-8")
    log = json.loads(arrayol("check", "lpsf.json", "--format", "sarif").stdout)
    region = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    line = text.splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "hflrr"


def test_the_language_server_reads_json() -> None:
    text = api.spec_json(LPSF)
    analysis = Analysis(SourceFile("lpsf.json", text))
    assert mistakes(analysis) == ()
    assert formatted(analysis) is None
    assert completions(analysis, len(text) // 2) == ()
    places = references(analysis, text.index("hflr"))
    assert [text[one.start : one.end] for one in places] == ["hflr", "hflr"]
    shown = hover(analysis, text.index("hflr"))
    assert shown is not None
    assert "task hflr(src: f32[H, W]) -> (dst: f32[H, W])" in shown.text
