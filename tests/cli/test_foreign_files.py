"""What others have made, given to every command: nothing is waited for, no name leads out of a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import bases
import pytest
from case import made
from command_line import Done, in_process
from foreign import CONST_FILE, npy

from dse.output.emitted_folder import open_emitted
from hwmodel.datapath.technology.technology import load_technology

Run = Callable[..., Done]
IMPORTS = b'import "other.aol"\n'
SOCKET, HINT = "it is a socket, not a file", "\n  hint: write what it gives to a file first, and name that\n"

# By what is read the command, and what it says of a socket in the place of the file.
READERS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "pair.aol": (("check", "pair.aol"), f"pair.aol: error[unreadable]: the file cannot be read: {SOCKET}"),
    "k.npy": (("check", "const.aol"), f"error[const-file]: 'k.npy' cannot be read: {SOCKET}"),
    "other.aol": (("check", "imports.aol"), f"error[bad-import]: 'other.aol': the file cannot be read: {SOCKET}"),
    "set.npy": (
        ("check", "const.aol", "--set", "K=set.npy"),
        f"error[bad-setting]: 'set.npy' for const array 'K' cannot be read: {SOCKET}",
    ),
    "sum.c": (("import", "sum.c"), f"sum.c: error[unreadable]: the file cannot be read: {SOCKET}"),
    "pair.toml": (("explore", "pair.aol"), f"pair.toml: error[unreadable]: the file cannot be read: {SOCKET}"),
    "s.toml": (
        ("explore", "pair.aol", "--study", "s.toml"),
        f"s.toml: error[unreadable]: the file cannot be read: {SOCKET}",
    ),
    "own.toml": (
        ("cost", "pair.aol", "--technology", "./own.toml", "--clock", "20"),
        f"own.toml: error[unreadable]: the file cannot be read: {SOCKET}",
    ),
    **{
        f"x.{suffix}": (
            ("run", "pair.aol", "--in", f"a=x.{suffix}", "--out", "c=o.npy"),
            f"x.{suffix}: error[cannot-read]: this cannot be read: {SOCKET}",
        )
        for suffix in ("npy", "png", "npz")
    },
    "p/result.json": (("report", "p"), f"p/result.json: error[unreadable]: the result cannot be read: {SOCKET}"),
    "v/design.json": (("synth", "v"), f"v/design.json: error[not-emitted-folder]: this cannot be read: {SOCKET}"),
    "v/rtl/x.v": (("synth", "v"), f"v/rtl/x.v: error[not-emitted-folder]: this module cannot be read: {SOCKET}"),
    "v/synthesis/synthesis.json": (
        ("calibrate", "v", "v", "v"),
        f"v/synthesis/synthesis.json: error[not-synthesised]: this cannot be read: {SOCKET}",
    ),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a specification, its result `p`, a design of it as Verilog `v`, and that synthesised."""
    monkeypatch.chdir(tmp_path)
    for name, data in {**bases.emitted(), "const.aol": CONST_FILE, "k.npy": npy(), "imports.aol": IMPORTS}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


@pytest.fixture
def run(here: Path) -> Run:
    return lambda *arguments: in_process(*arguments, cwd=here)


@pytest.mark.parametrize("name", READERS)
def test_each_reader_refuses_what_is_no_file(run: Run, name: str) -> None:
    command, told = READERS[name]
    made(Path(name), "socket")
    done = run(*command)
    assert done.returncode == 1
    assert told in done.stdout + done.stderr  # `check` reports on stdout
    assert HINT in f"{done.stdout}{done.stderr}\n"


@pytest.mark.parametrize("name", ["work.sqlite", "work.sqlite-wal", "work.sqlite-journal"])
def test_the_store_of_finished_work(run: Run, name: str) -> None:
    """SQLite would wait for a pipe in the place of a file beside it too."""
    (Path("p") / "work.sqlite").unlink(missing_ok=True)
    os.mkfifo(Path("p") / name)
    done = run("explore", "pair.aol", "--narrow", "--quiet", "--no-verify", "--out", "p", "--resume")
    told = f"p/{name}: error[cannot-write]: this cannot be written: this name is taken by something that is not a file"
    assert done.returncode == 1
    assert told in done.stderr


CLIMBING = ("../elsewhere", "/elsewhere", "a/b", ".", "", "..", "a; log hi", "2:1\n", "-p", "a\\b")


@pytest.mark.parametrize("name", CLIMBING)
def test_a_name_of_a_design_leads_nowhere(run: Run, here: Path, name: str) -> None:
    document = json.loads((here / "p" / "result.json").read_text(encoding="utf-8"))
    document["pareto"][0]["id"] = name
    (here / "p" / "result.json").write_text(json.dumps(document), encoding="utf-8")
    before = set(here.parent.rglob("*"))
    for command in (
        ("explore", "pair.aol", "--out", "p", "--emit", name or "x"),
        ("emit", "verilog", "pair.aol", "--result", "p", f"--design={name}", "--out", "w"),
        ("simulate", "pair.aol", "--result", "p", "--design", name or "x"),
        ("report", "p"),
    ):
        done = run(*command)
        assert done.returncode == 1
        assert "p/result.json: error[wrong-result]: '" in done.stderr
        assert "is no name of a design: digits, letters and + . , : _ -, no sign first" in done.stderr
    assert set(here.parent.rglob("*")) == before


def test_a_design_without_a_name(run: Run) -> None:
    for form in ("verilog", "hls"):
        done = run("emit", form, "pair.aol", "--result", "p", "--design", "", "--out", "w")
        assert done.returncode == 1
        assert "p/result.json: error[unknown-design]: there is no design ''" in done.stderr


@pytest.mark.parametrize("name", ["a; log hi.v", "-p.v", "a b.v", "\u00e9.v", "a\nb.v", "a'b.v"])
def test_names_of_files_are_no_commands_of_yosys(run: Run, name: str) -> None:
    (Path("v/rtl") / name).write_text("module x; endmodule\n", encoding="utf-8")
    done = run("synth", "v")
    assert done.returncode == 1
    assert "v: error[not-emitted-folder]: 'rtl/" in done.stderr
    assert "is no name that 'arrayol emit verilog' gives a module" in done.stderr


def test_names_of_tasks_of_tasks(here: Path) -> None:
    """A task TASK$PART has agents TASK$PART_read, and modules in files TASK-PART_read.v."""
    (here / "v/rtl/group0_a-b_read.v").write_text("module x; endmodule\n", encoding="utf-8")
    document = json.loads((here / "v/design.json").read_text(encoding="utf-8"))
    document["groups"][0]["agents"][0]["name"] = "a$b_read"
    (here / "v/design.json").write_text(json.dumps(document), encoding="utf-8")
    assert "rtl/group0_a-b_read.v" in open_emitted(here / "v").modules


@cache
def emitted_document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bases.emitted()["v/design.json"])
    return found


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("top",), "a; log hi", "'top' is 'a; log hi', which 'arrayol' does not write there"),
        (("top",), None, "'top' is None, which"),
        (("design",), "../elsewhere", "'design' is '../elsewhere', which"),
        (("model", "costs", "lut"), "x", "'model.costs.lut' is 'x', which"),
        (("model", "clock_mhz"), -1, "'model.clock_mhz' is -1, which"),
        (("groups", 0, "agents", 0, "name"), "a b", "'groups.0.agents.0.name' is 'a b', which"),
        (("model", "features", "port"), 1e300, "'model.features.port' is 1e+300, which"),
        (("format",), 3, "'format' is 3, which"),
        (("groups",), ..., "'groups' is missing"),
        (("model", "memories"), ..., "'model.memories' is missing"),
    ],
)
def test_what_a_design_says_of_itself(run: Run, path: tuple[str | int, ...], value: object, told: str) -> None:
    document = json.loads(json.dumps(emitted_document()))
    holder = document
    for part in path[:-1]:
        holder = holder[part]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    Path("v/design.json").write_text(json.dumps(document), encoding="utf-8")
    for command in (("synth", "v"), ("calibrate", "v", "v", "v")):
        done = run(*command)
        assert done.returncode == 1
        assert f"v/design.json: error[not-emitted-folder]: {told}" in done.stderr
        assert "hint: name a folder that this version of 'arrayol emit verilog' wrote" in done.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "this is no JSON document, or a damaged one"),
        ("[" * 100_000, "this is no JSON document, or a damaged one"),
        ("[]", "the document is [], which 'arrayol' does not write there"),
        ("{}", "'spec' is missing"),
    ],
)
def test_what_a_synthesis_says(run: Run, text: str, told: str) -> None:
    Path("v/synthesis/synthesis.json").write_text(text, encoding="utf-8")
    done = run("calibrate", "v", "v", "v")
    assert done.returncode == 1
    assert f"v/synthesis/synthesis.json: error[not-synthesised]: {told}" in done.stderr
    assert "hint: run 'arrayol synth v'" in done.stderr


def test_names_do_not_become_toml(run: Run, here: Path) -> None:
    document = json.loads(Path("v/synthesis/synthesis.json").read_text(encoding="utf-8"))
    document["spec"] = 'x"\nlike = "asic45"\ttail\x7f\\.aol'
    document["tools"] = ['Yosys "0.70"', "\u2028"]
    Path("v/synthesis/synthesis.json").write_text(json.dumps(document), encoding="utf-8")
    assert run("calibrate", "v", "v", "v", "--out", "mine.toml").returncode == 0
    technology = load_technology(here / "mine.toml")
    assert 'x"\nlike = "asic45"\ttail\x7f\\ (3)' in technology.table.source
    assert 'Yosys "0.70", \u2028' in technology.table.source
