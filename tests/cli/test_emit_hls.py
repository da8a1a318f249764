"""`arrayol emit hls`, through the installed command."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CommandLine
from cpp_programs import needs_compiler
from emitted_chain import PLATFORM

from arrayol import api
from arrayol.text import time_text
from hwmodel.emit.hls.design import HlsFiles

SPEC = """\
const H = 6
const W = 8

elementary sum(x: i12[3]) -> (y: i16) {
  y += i16(x[i]) for i in 0..3
}

elementary halve(a: i16) -> (b: i16) {
  b = a // 2
}

task summed(x: i12[H, W + 2]) -> (y: i16[H, W]) {
  repeat [H, W] of sum {
    x <- x at origin [0, 0] paving [1, 0; 0, 1] fitting [0; 1]
    y -> y
  }
}

task halved(y: i16[H, W]) -> (z: i16[H, W]) {
  repeat [H, W] of halve {
    a <- y
    b -> z
  }
}

task chain(x: i12[H, W + 2]) -> (z: i16[H, W]) {
  y = summed(x)
  z = halved(y)
}
"""
STUDY = """\
links = ["fifo"]
policies = ["reuse"]
units = [2]
blocks = "ladder"
"""
AGREES = "C++       agrees: the outputs bit for bit, plain and with sanitizers\n"
RANDOM = "the frame of the test bench is random data, seed 1; --in gives other data\n"


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a specification and its platform."""
    folder = tmp_path_factory.mktemp("emitted")
    (folder / "chain.aol").write_text(SPEC, encoding="utf-8")
    (folder / "chain.toml").write_text(PLATFORM, encoding="utf-8")
    return folder


@pytest.fixture
def here(arrayol: CommandLine, explored: Path, tmp_path: Path) -> Path:
    """A copy of it with what was found, explored once."""
    if not (explored / "chain-explore").exists():
        (explored / "study.toml").write_text(STUDY, encoding="utf-8")
        done = arrayol("explore", "chain.aol", "--study", "study.toml", "--quiet", "--no-verify", cwd=explored)
        assert done.returncode == 0, done.stderr
    shutil.copytree(explored, tmp_path, dirs_exist_ok=True)
    return tmp_path


Emit = Callable[..., tuple[int, str, str]]


@pytest.fixture
def emit(arrayol: CommandLine, here: Path) -> Emit:
    """The command on the result: exit code, stdout, stderr."""

    def run(*arguments: str, design: str | None = None, form: str = "hls") -> tuple[int, str, str]:
        chosen = ("--design", design or with_stream(here)[0])
        done = arrayol("emit", form, "chain.aol", "--result", "chain-explore", *chosen, *arguments, cwd=here)
        return done.returncode, done.stdout, done.stderr

    return run


def with_stream(folder: Path) -> tuple[str, int]:
    """A design with a FIFO, and its cycles."""
    stored = json.loads((folder / "chain-explore" / "result.json").read_text(encoding="utf-8"))
    design = next(one for one in stored["pareto"] if one["groups"][0]["mapping"]["fifos"])
    return design["id"], int(design["objectives"]["latency_cycles"])


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_written(emit: Emit, here: Path) -> None:
    code, out, err = emit()
    design, cycles = with_stream(here)
    assert (code, err) == (0, RANDOM)
    assert out.startswith(f"chain {design}: {cycles} cycles, {time_text(cycles / 100)}\n")
    assert "frame in C++" not in out
    told = "C++ not run; --check builds it with g++ and runs it, and so does make csim in the folder"
    assert told in " ".join(out.split())
    page = (here / "chain-hls" / "README.md").read_text(encoding="utf-8")
    assert "- The C++ itself was not run before this page was written. `make csim` runs it" in page
    assert sorted(files(here / "chain-hls")) == [
        "Makefile", "README.md", "data/expected.hex", "data/memory.hex", "design.json", "shim/ap_int.h",
        "shim/hls_stream.h", "src/design.hpp", "src/group0.cpp", "src/schedule.hpp", "src/top.cpp", "tb/main.cpp",
    ]  # fmt: skip
    text = (here / "chain-hls" / "src" / "group0.cpp").read_text(encoding="utf-8")
    for part in (
        "hls::stream<int16_t> ", "ap_int<12> buffer_x[", "#pragma HLS DATAFLOW", "#pragma HLS PIPELINE II = ",
        "#pragma HLS ARRAY_PARTITION variable = ",
    ):  # fmt: skip
        assert part in text
    assert " ".join(out.split()).endswith(
        "chain-hls: 4 sources in src, data, shim, tb, Makefile, README.md, design.json"
    )


def test_the_same_bytes_and_the_same_schedule(emit: Emit, here: Path) -> None:
    assert emit()[0] == 0
    assert emit("--out", "again")[0] == 0
    assert files(here / "chain-hls") == files(here / "again")
    assert emit(form="verilog")[0] == 0
    verilog = files(here / "chain-verilog")
    for name in ("design.json", "data/memory.hex", "data/expected.hex"):
        assert verilog[name] == files(here / "chain-hls")[name]


def test_another_form_takes_the_folder(emit: Emit, here: Path) -> None:
    """A design of one form is replaced by one of another; nothing of it stays."""
    assert emit("--out", "v", form="verilog")[0] == 0
    assert emit("--out", "v")[0] == 0
    assert emit()[0] == 0
    assert files(here / "v") == files(here / "chain-hls")


def test_the_page_says_what_is_promised(emit: Emit, here: Path) -> None:
    emit()
    design, cycles = with_stream(here)
    page = (here / "chain-hls" / "README.md").read_text(encoding="utf-8")
    document = json.loads((here / "chain-hls" / "design.json").read_text(encoding="utf-8"))
    assert page.startswith(f"# `run_chain`: design {design} in C++\n\nMade by `arrayol emit hls` of the task `chain`")
    assert f"The same design takes {cycles} cycles a frame as Verilog, {cycles / 100:.2f} µs at 100 MHz." in page
    for group in document["groups"]:
        for own in group["tasks"]:
            assert f"| {own['task']} | {own['units']} | {own['interval']} | {own['latency']} |" in page
        for memory in group["memories"]:
            assert f"| 0 | {memory['name']} | {memory['array']} | " in page
    assert "| 0 | y | y | 2 | 2 | 16 | streams |" in page


@needs_compiler
def test_check_agrees(emit: Emit, here: Path) -> None:
    code, out, err = emit("--check", "--in", "x=random:7", "--verbose")
    assert (code, err) == (0, "")
    assert AGREES in out
    frames = [line.split() for line in out.partition("frame in C++")[2].splitlines() if line[:2] in {"0 ", "1 "}]
    assert frames == [
        ["0", "plain", "0"], ["1", "plain", "0"], ["0", "with", "sanitizers", "0"], ["1", "with", "sanitizers", "0"]
    ]  # fmt: skip
    streams = [line.split() for line in out.splitlines() if line.startswith("1: y ")]
    assert streams
    for *_, fullest, depth in streams:
        assert 0 < int(fullest) <= int(depth)
    if shutil.which("make"):
        told = subprocess.run(
            ["make", "--silent", "csim"], cwd=here / "chain-hls", capture_output=True, text=True, check=True
        )
        assert told.stdout.splitlines()[:2] == ["frame 0 wrong 0", "frame 1 wrong 0"]


@needs_compiler
def test_json_is_one_document(emit: Emit, here: Path) -> None:
    code, out, err = emit("--json", "--check")
    document, (design, cycles) = json.loads(out), with_stream(here)
    assert (code, err) == (0, RANDOM)
    assert sorted(document.pop("files")) == sorted(files(here / "chain-hls"))
    checked = document.pop("checked")
    assert document == {
        "design": design, "folder": "chain-hls", "cycles": cycles, "analytic_cycles": cycles,
        "data": "random data, seed 1", "remarks": [],
    }  # fmt: skip
    assert [(run["build"], run["wrong_words"]) for run in checked["runs"]] == [
        ("plain", [0, 0]), ("with sanitizers", [0, 0])
    ]  # fmt: skip
    assert all(
        set(own) == {"array", "number", "fullest", "depth", "early", "left"} for own in checked["runs"][0]["streams"]
    )
    assert checked["mismatches"] == []


# Controls: what is emitted is not what was promised.


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str, str], None]:
    """Another text in a file that is emitted."""
    whole = HlsFiles.files

    def change(path: str, before: str, after: str) -> None:
        def broken(self: HlsFiles) -> dict[str, str]:
            own = whole(self)
            assert before in own[path]
            return {**own, path: own[path].replace(before, after)}

        monkeypatch.setattr(HlsFiles, "files", broken)

    return change


Change = Callable[[str, str, str], None]


@needs_compiler
def test_another_result_is_told(emit: Emit, changed: Change) -> None:
    changed("src/group0.cpp", "(a_a[0], 2)", "(a_a[0], 3)")
    code, out, err = emit("--check")
    assert code == 1
    assert "C++       DIFFERS\n" in out
    assert "error[emitted-differs]: C++ and execution do not agree: plain, " in err
    assert " of the outputs of frame 0 differ from the execution's; plain, " in err


@needs_compiler
def test_a_stream_that_is_too_shallow_is_told(emit: Emit, here: Path, changed: Change) -> None:
    document = json.loads(emit("--check", "--json")[1])
    (fullest,) = {own["fullest"] for own in document["checked"]["runs"][0]["streams"]}
    depth = document["checked"]["runs"][0]["streams"][0]["depth"]
    assert fullest > 1
    changed("src/group0.cpp", f'"1: y", {depth})', f'"1: y", {fullest - 1})')
    code, out, err = emit("--check", "--json")
    told = f"plain, bank 0 of the stream of '1: y' holds {fullest} elements, and its depth is {fullest - 1}"
    assert code == 1
    assert json.loads(out)["checked"]["mismatches"][0] == told
    assert told in err
    assert "differ" not in err.replace("emitted-differs", "")


@needs_compiler
def test_data_that_are_read_too_early_are_told(emit: Emit, changed: Change) -> None:
    """As if the first task had a longer latency."""
    changed("src/group0.cpp", "cycle_is(step, round + ", "cycle_is(step, round + 100 + ")
    code, _, err = emit("--check")
    assert code == 1
    assert " are read before they are there" in err


@needs_compiler
def test_an_address_beyond_a_memory_is_found_by_sanitizers(emit: Emit, changed: Change) -> None:
    changed("src/top.cpp", "group0(memory, ", "group0(memory + CHANNELS[0].words, ")
    code, _, err = emit("--check")
    assert code == 1
    assert "error[program-failed]: the program, built " in err


@needs_compiler
def test_a_program_that_cannot_be_built(emit: Emit, changed: Change) -> None:
    changed("src/top.cpp", "}", "")
    code, out, err = emit("--check")
    assert (code, out) == (1, "")
    assert err.splitlines()[-2].startswith("error[build-failed]: 'g++' stopped: src/top.cpp:")


def test_without_a_compiler_nothing_is_written(emit: Emit, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(here))
    assert emit("--check") == (
        1, "", "error[no-compiler]: 'g++' is not on the path\n  hint: install g++, or leave --check out\n"
    )  # fmt: skip
    assert not (here / "chain-hls").exists()
    assert emit()[0] == 0


def test_wrong_usage(arrayol: CommandLine, here: Path) -> None:
    done = arrayol("emit", "hls", "chain.aol", "--result", "chain-explore", cwd=here)
    assert (done.stdout, done.returncode) == ("", 2)
    assert "Take either '--design' or '--pick'." in done.stderr


def test_a_function_of_no_standard_is_named(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "f.aol").write_text(
        "elementary e(x: f32) -> (y: f32) { y = sin(x) }\n"
        "task t(x: f32[8]) -> (y: f32[8]) {\n  repeat [8] of e {\n    x <- x\n    y -> y\n  }\n}\n",
        encoding="utf-8",
    )
    (tmp_path / "f.toml").write_text(PLATFORM, encoding="utf-8")
    done = arrayol("explore", "f.aol", "--narrow", "--quiet", "--no-verify", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = arrayol("emit", "hls", "f.aol", "--result", "f-explore", "--pick", "knee", cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("", 1)
    told = "error[not-in-hardware]: 'e' cannot be printed: tools round 'sin' in ways of their own"
    assert told in " ".join(done.stderr.split())
    assert not (tmp_path / "f-hls").exists()


@needs_compiler
def test_from_python(here: Path) -> None:
    opened = api.open_design(here / "chain.aol", here / "chain-explore", with_stream(here)[0])
    emitted = api.emit_hls(opened, here / "python")
    assert set(emitted.files) == set(files(here / "python"))
    assert api.check_hls(here / "python").mismatches == ()
