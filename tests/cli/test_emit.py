"""`arrayol emit verilog`, through the installed command."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CommandLine
from emitted_chain import PLATFORM, SPEC
from verilog_programs import needs_icarus

from arrayol.text import time_text
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.synth.logic import logic_of

AGREES = "Verilog   agrees: the same cycles in each frame, the outputs bit for bit\n"
RANDOM = "the frame of the test bench is random data, seed 1; --in gives other data\n"


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two filters in a row, their platform and what exploring them found."""
    folder = tmp_path_factory.mktemp("emitted")
    (folder / "chain.aol").write_text(SPEC, encoding="utf-8")
    (folder / "chain.toml").write_text(PLATFORM, encoding="utf-8")
    return folder


@pytest.fixture
def result(arrayol: CommandLine, explored: Path) -> Path:
    """That folder, explored once; nothing is emitted there."""
    if not (explored / "chain-explore").exists():
        done = arrayol("explore", "chain.aol", "--narrow", "--quiet", "--no-verify", cwd=explored)
        assert done.returncode == 0, done.stderr
    return explored


@pytest.fixture
def here(result: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(result, tmp_path, dirs_exist_ok=True)
    return tmp_path


Emit = Callable[..., tuple[int, str, str]]


@pytest.fixture
def emit(arrayol: CommandLine, here: Path) -> Emit:
    """The command on the result: exit code, stdout, stderr."""

    def run(*arguments: str, design: str | None = "2:1") -> tuple[int, str, str]:
        chosen = ("--design", design) if design else ()
        done = arrayol("emit", "verilog", "chain.aol", "--result", "chain-explore", *chosen, *arguments, cwd=here)
        return done.returncode, done.stdout, done.stderr

    return run


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def cycles_of(folder: Path, design: str = "2:1") -> int:
    stored = json.loads((folder / "chain-explore" / "result.json").read_text(encoding="utf-8"))
    return next(int(one["objectives"]["latency_cycles"]) for one in stored["pareto"] if one["id"] == design)


def test_a_folder_is_written(emit: Emit, here: Path) -> None:
    code, out, err = emit("--verbose")
    cycles = cycles_of(here)
    assert (code, err) == (0, RANDOM)
    assert out.startswith(f"chain 2:1: {cycles} cycles, {time_text(cycles / 100)}\n")
    row = next(line for line in out.splitlines() if line.startswith("1: smoothed, halved "))
    assert row.split()[3:5] == [str(cycles), str(cycles)]
    assert "frame in Verilog" not in out
    assert "Verilog not run; --check runs it in Icarus Verilog, and so does make sim in the folder" in " ".join(
        out.split()
    )
    found = files(here / "chain-verilog")
    assert {name.partition("/")[0] for name in found} == {
        "rtl", "tb", "data", "design.json", "Makefile", "README.md", "chain.core", "component.xml", "sw", "cocotb",
            "vivado", "ecp5",
    }  # fmt: skip
    assert {"rtl/chain_top.v", "rtl/group0_top.v", "rtl/unit_smoothed.v", "rtl/bank.v", "tb/tb.v"} <= found.keys()
    assert {"rtl/chain_axi.v", "rtl/axi_port.v", "tb/tb_axi.v", "tb/axi_memory.v"} <= found.keys()
    modules = sum(name.startswith("rtl/") for name in found)
    beside = "cocotb, data, ecp5, sw, tb, vivado, Makefile, README.md, chain.core, component.xml, design.json"
    assert " ".join(out.split()).endswith(f"chain-verilog: {modules} modules in rtl, {beside}")


def test_json_says_that_the_design_was_not_run(emit: Emit) -> None:
    assert json.loads(emit("--json")[1])["checked"] is None


def test_comments_name_tasks_steps_and_tilers(emit: Emit, here: Path) -> None:
    emit()
    document = json.loads((here / "chain-verilog" / "design.json").read_text(encoding="utf-8"))
    (group,) = document["groups"]
    programs = {agent["name"]: len(agent["program"]) for agent in group["agents"]}
    told = {
        "chain_top": [f"// 'chain' in 1 group: {cycles_of(here):,} cycles a frame."],
        "chain_axi": ["// 'chain' as a master of AXI4."],
        "group0_top": [f"// 'smoothed', 'halved': {group['steps']} steps a frame."],
        "unit_halved": ["// A unit of 'halved': the body of 'halve', a repetition every 1 cycle."],
        "group0_smoothed_read": ["// What 'smoothed' reads.", "// x <- x at origin [0] paving [1] fitting [1]"],
        "group0_halved_write": ["// What 'halved' writes.", "// b -> z at origin [0] paving [1] fitting []"],
    }
    for module, lines in told.items():
        text = (here / "chain-verilog" / "rtl" / f"{module}.v").read_text(encoding="utf-8")
        head = text.partition("module ")[0].splitlines()
        program = programs.get(module.removeprefix("group0_"))
        if program is not None:
            assert head[0].startswith(f"{lines[0]} {program} instruction")
            head[0] = lines[0]
        assert head == lines


def test_the_same_bytes_in_another_process(emit: Emit, here: Path, arrayol_process: CommandLine) -> None:
    assert emit()[0] == 0
    command = ("emit", "verilog", "chain.aol", "--result", "chain-explore", "--design", "2:1", "--out", "again")
    assert arrayol_process(*command, cwd=here).returncode == 0
    assert files(here / "chain-verilog") == files(here / "again")


def test_the_page_says_what_is_promised(emit: Emit, here: Path) -> None:
    emit()
    page = (here / "chain-verilog" / "README.md").read_text(encoding="utf-8")
    assert "- The Verilog itself was not run before this page was written. `make sim` runs it" in page
    cycles = cycles_of(here)
    document = json.loads((here / "chain-verilog" / "design.json").read_text(encoding="utf-8"))
    assert f"- A frame takes {cycles} cycles, {cycles / 100:.2f} µs at the 100 MHz of the platform" in page
    assert (document["cycles"], document["top"], document["design"], document["spec"]) == (
        cycles, "chain", "2:1", "chain.aol"
    )  # fmt: skip
    for group in document["groups"]:
        for memory in group["memories"]:
            banks = 1
            for modulus in memory["moduli"]:
                banks *= modulus
            assert f"| 0 | {memory['name']} | {memory['array']} | {banks} | {memory['depth']} |" in page
        for own in group["tasks"]:
            assert f"| {own['task']} | {own['units']} | {own['interval']} | {own['latency']} |" in page
    stored = json.loads((here / "chain-explore" / "result.json").read_text(encoding="utf-8"))
    design = next(one for one in stored["pareto"] if one["id"] == "2:1")["objectives"]
    lines = page.splitlines()
    assert f"- FF {design['ff']:,}" in lines  # of the units alone, so that there are no parts
    (line,) = (line for line in lines if line.startswith(f"- LUT {design['lut']:,}: units "))
    units, memories = (int(part.split()[1].replace(",", "")) for part in line.partition(": ")[2].split(", "))
    assert units + memories == design["lut"]
    said = re.search(r"By its schedule the whole design takes about ([\d,]+) LUT and ([\d,]+) FF of an ECP5\.", page)
    assert said is not None
    logic = logic_of({**document["model"]["features"], **document["model"]["scheduled"]}, design)
    assert [int(own.replace(",", "")) for own in said.groups()] == [logic["lut"], logic["ff"]]
    assert logic["lut"] > design["lut"]
    top = (here / "chain-verilog" / "rtl" / "chain_top.v").read_text(encoding="utf-8")
    for line in page.partition("## The interface")[2].partition("## ")[0].splitlines():
        if line.startswith("| port_"):
            name, direction, bits = (cell.strip() for cell in line.split("|")[1:4])
            width = f"[{int(bits) - 1}:0] " if bits != "1" else ""
            assert f"  {direction}put wire {width}{name}" in top


@needs_icarus
def test_make_runs_both_test_benches(emit: Emit, here: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("no make")
    emit()
    told = {}
    for target in ("sim", "sim-axi"):
        command = ["make", "--silent", target]
        done = subprocess.run(command, cwd=here / "chain-verilog", capture_output=True, text=True, check=True)
        told[target] = [line for line in done.stdout.splitlines() if line.startswith(("frame", "violations"))]
    cycles = cycles_of(here)
    assert told["sim"] == [f"frame {number} before 0 cycles {cycles} wrong 0" for number in (0, 1)]
    assert [re.sub(r"\d+", "N", line) for line in told["sim-axi"]] == [
        *["frame N before N cycles N wrong N"] * 2, "violations N reads N"
    ]  # fmt: skip
    assert told["sim-axi"][2].startswith("violations 0 ")
    assert all(line.endswith(" wrong 0") for line in told["sim-axi"][:2])
    subprocess.run(["make", "--silent", "clean"], cwd=here / "chain-verilog", check=True)
    assert not (here / "chain-verilog" / "build").exists()


def test_words_that_axi_does_not_have(arrayol: CommandLine, here: Path) -> None:
    """Three elements of two bytes."""
    platform = PLATFORM.replace("word_bits = 32", "data_per_word = 3")
    (here / "chain.toml").write_text(platform, encoding="utf-8")
    done = arrayol("explore", "chain.aol", "--narrow", "--quiet", "--no-verify", cwd=here)
    assert done.returncode == 0, done.stderr
    command = ("emit", "verilog", "chain.aol", "--result", "chain-explore", "--pick", "knee")
    assert arrayol(*command, cwd=here).returncode == 0
    found = files(here / "chain-verilog")
    assert "AXI4 has no words of 48 bits: there is no top module for it." in found["README.md"].decode()
    assert b"axi" not in found["Makefile"]
    assert not [name for name in found if "axi" in name]


def test_data_that_are_given(emit: Emit, here: Path) -> None:
    code, _, err = emit("--in", "x=ramp")
    assert (code, err) == (0, "")
    words = (here / "chain-verilog" / "data" / "memory.hex").read_text().split()
    document = json.loads((here / "chain-verilog" / "design.json").read_text(encoding="utf-8"))
    first = document["memory"]["first_word"]["x"]
    assert words[first : first + 2] == ["03020100", "07060504"]
    assert "the external memory before a frame: the data that were given" in (
        here / "chain-verilog" / "README.md"
    ).read_text(encoding="utf-8")


def test_an_input_is_missing_or_too_much(emit: Emit, here: Path) -> None:
    code, out, err = emit("--in", "w=ramp")
    assert (code, out) == (1, "")
    assert "error[unknown-port]: 'chain' has no input 'w'" in err
    assert not (here / "chain-verilog").exists()


@needs_icarus
def test_check_agrees(emit: Emit, here: Path) -> None:
    code, out, err = emit("--check", "--in", "x=random:7", "--verbose")
    cycles = str(cycles_of(here))
    assert (code, err) == (0, "")
    assert AGREES in out
    frames = [line.split() for line in out.partition("frame in Verilog")[2].splitlines() if line[:1] in {"0", "1"}]
    assert frames == [["0", "0", cycles, cycles, "0"], ["1", "0", cycles, cycles, "0"]]
    for array in ("x", "y", "z"):
        row = next(line for line in out.splitlines() if line.startswith(f"1: buffer {array} "))
        fullest, live = row.split()[3:5]
        assert fullest == live


@needs_icarus
def test_waveforms_of_all_frames_are_written(emit: Emit, here: Path) -> None:
    code, _, err = emit("--check", "--vcd", "waves.vcd", "--in", "x=random:7")
    assert (code, err) == (0, "wrote waves.vcd\n")
    waves = (here / "waves.vcd").read_text(encoding="utf-8")
    (busy,) = set(
        re.findall(r"^\$var wire 1 (\S+) busy \$end$", waves.partition("$scope module under_test")[0], re.MULTILINE)
    )
    changes = re.findall(rf"^#(\d+)$|^([01x]){re.escape(busy)}$", waves, re.MULTILINE)
    at, rises = 0, list[int]()
    for time, value in changes:
        at = int(time) if time else at
        rises += [at] if value == "1" else []
    assert len(rises) == 2  # frames
    assert (rises[1] - rises[0]) % 10_000 == 0  # ps of a cycle of the bench
    assert (rises[1] - rises[0]) // 10_000 > cycles_of(here)


@needs_icarus
def test_simulate_writes_the_same_waveforms(emit: Emit, arrayol: CommandLine, here: Path) -> None:
    """But for the date, and the name of the file that the test bench writes."""

    def signals() -> list[str]:
        _, _, behind_the_date = (here / "waves.vcd").read_text(encoding="utf-8").partition("$timescale")
        return [line for line in behind_the_date.splitlines() if len(line) < 200]

    emit("--check", "--vcd", "waves.vcd", "--in", "x=random:7")
    emitted = signals()
    design = ("chain.aol", "--result", "chain-explore", "--design", "2:1", "--in", "x=random:7")
    done = arrayol("simulate", *design, "--vcd", "waves.vcd", cwd=here)
    assert (done.returncode, done.stderr) == (0, "wrote waves.vcd\n")
    assert emitted == signals() != []


@needs_icarus
def test_every_design_of_the_front_agrees(emit: Emit, here: Path) -> None:
    stored = json.loads((here / "chain-explore" / "result.json").read_text(encoding="utf-8"))
    for design in stored["pareto"]:
        code, out, err = emit("--check", "--verbose", design=design["id"])
        assert (code, err) == (0, RANDOM)
        assert AGREES in out


@needs_icarus
def test_json_is_one_document(emit: Emit, here: Path) -> None:
    code, out, err = emit("--json", "--check")
    cycles, document = cycles_of(here), json.loads(out)
    assert (code, err) == (0, RANDOM)
    assert sorted(document.pop("files")) == sorted(files(here / "chain-verilog"))
    frame = {"setup_cycles": 0, "cycles": cycles, "wrong_words": 0}
    assert document == {
        "design": "2:1",
        "folder": "chain-verilog",
        "cycles": cycles,
        "analytic_cycles": cycles,
        "data": "random data, seed 1",
        "remarks": [],
        "checked": {"frames": [frame, frame], "mismatches": []},
    }


# Controls: what is emitted is not what was promised.


def changed(monkeypatch: pytest.MonkeyPatch, path: str, before: str, after: str) -> None:
    """Another text in a file that is emitted."""
    whole = DesignFiles.files

    def broken(self: DesignFiles) -> dict[str, str]:
        own = whole(self)
        assert before in own[path]
        return {**own, path: own[path].replace(before, after, 1)}

    monkeypatch.setattr(DesignFiles, "files", broken)


@needs_icarus
def test_a_slower_memory_is_told(emit: Emit, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, "tb/tb.v", ".LATENCY(8)", ".LATENCY(9)")
    code, out, err = emit("--check", "--json")
    cycles, document = cycles_of(here), json.loads(out)
    frames = document["checked"]["frames"]
    assert (code, document["ok"]) == (1, False)
    assert frames[0] == frames[1] == {"setup_cycles": 0, "cycles": frames[0]["cycles"], "wrong_words": 0}
    assert frames[0]["cycles"] > cycles
    told = f"frame 0 takes {frames[0]['cycles']:,} cycles, where the model says {cycles:,}"
    assert err.splitlines()[-2].startswith(f"error[emitted-differs]: Verilog and model do not agree: {told}; frame 1")
    assert document["checked"]["mismatches"][0] == told


@needs_icarus
def test_another_result_is_told(emit: Emit, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, "rtl/word_queue.v", "words[to] <= part | data;", "words[to] <= part | data | 1;")
    code, out, err = emit("--check")
    assert code == 1
    assert "Verilog   DIFFERS\n" in out
    assert "of the outputs of frame 0 differ from the execution's" in err
    assert "cycles, where" not in err


@needs_icarus
def test_a_bench_that_cannot_be_built(emit: Emit, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, "tb/tb.v", "module tb;", "module tb")
    code, out, err = emit("--check")
    assert (code, out) == (1, "")
    assert err.splitlines()[-2].startswith("error[bench-failed]: 'iverilog' stopped: tb/tb.v:")
    assert (here / "chain-verilog" / "tb" / "tb.v").exists()


def test_without_icarus_nothing_is_written(emit: Emit, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(here))
    assert emit("--check") == (
        1,
        "",
        ("error[no-icarus]: 'iverilog' is not on the path\n"
        "  hint: install Icarus Verilog, or leave --check out\n"),
    )  # fmt: skip
    assert not (here / "chain-verilog").exists()
    assert emit()[0] == 0


# Which design.


def test_a_design_is_picked(emit: Emit, here: Path) -> None:
    code, out, err = emit("--pick", "lut >= 1", "--json", design=None)
    document = json.loads(out)
    stored = json.loads((here / "chain-explore" / "result.json").read_text(encoding="utf-8"))
    least = min(stored["pareto"], key=lambda design: design["objectives"]["latency_cycles"])
    assert (code, document["design"]) == (0, least["id"])
    assert err.startswith(f"picked {least['id']}: the least latency_cycles with lut >= 1; ")


@pytest.mark.parametrize(
    ("arguments", "design", "message"),
    [
        ([], None, "Take either '--design' or '--pick'."),
        (["--vcd", "waves.vcd"], "2:1", "--vcd is for --check, which runs the test bench."),
        (["--pick", "knee"], "2:1", "Take either '--design' or '--pick'."),
        (["--pick", "knees"], None, "Invalid value for '--pick': 'knees' is neither 'knee', 'fastest' nor a bound"),
        (["--pick", "luts <= 4"], None, "Invalid value for '--pick': there is no figure 'luts'; did you mean 'lut'?"),
    ],
)
def test_wrong_usage(emit: Emit, arguments: list[str], design: str | None, message: str) -> None:
    code, out, err = emit(*arguments, design=design)
    assert (code, out) == (2, "")
    assert f"Error: {message}" in " ".join(err.split())


@pytest.mark.parametrize(
    ("arguments", "design", "code", "message"),
    [
        ([], "2:x", 1, "error[unknown-design]: there is no design '2:x'"),
        (["--set", "N=12"], "2:1", 1, "error[not-as-explored]: the result has N = 24, not 12"),
        (["--top", "halved"], "2:1", 1, "error[not-as-explored]: the result is of the task 'chain', not of 'halved'"),
        (["--pick", "lut <= 1"], None, 3, "error[infeasible]: no design of the result keeps lut <= 1"),
    ],
)
def test_a_wrong_design(
    emit: Emit, here: Path, arguments: list[str], design: str | None, code: int, message: str
) -> None:
    done = emit(*arguments, design=design)
    assert done[:2] == (code, "")
    assert message in done[2]
    assert not (here / "chain-verilog").exists()


def test_what_has_no_hardware_is_named(arrayol: CommandLine, tmp_path: Path) -> None:
    """A body that is missing, and a memory without runs."""
    black = SPEC.replace("(b: i16) {\n  b = a // 2\n}", "(b: i16)")
    given = "\n[elementary.halve]\ninterval = 1\nlatency = 2\n"
    cases = {
        "'halve' has no body: no hardware is emitted for that\n  hint: give 'halve' a body; or name a module for it": (
            black, PLATFORM + given
        ),
        "the platform's memory has no bursts by run: no hardware is emitted for that": (
            SPEC, PLATFORM.replace('burst = "run"\noutstanding = 4\n', "")
        ),
    }  # fmt: skip
    for message, (spec, platform) in cases.items():
        (tmp_path / "chain.aol").write_text(spec, encoding="utf-8")
        (tmp_path / "chain.toml").write_text(platform, encoding="utf-8")
        done = arrayol("explore", "chain.aol", "--narrow", "--quiet", "--no-verify")
        assert done.returncode == 0, done.stderr
        done = arrayol("emit", "verilog", "chain.aol", "--result", "chain-explore", "--design", "2:1")
        assert (done.stdout, done.returncode) == ("", 1)
        assert "error[not-emitted]: " in done.stderr
        assert message in done.stderr
        assert not (tmp_path / "chain-verilog").exists()


def test_a_given_latency_has_a_slower_clock(arrayol: CommandLine, tmp_path: Path) -> None:
    text = PLATFORM + "\n[elementary.halve]\nlatency = 3\n"
    (tmp_path / "chain.aol").write_text(SPEC.replace("b = a // 2", "b = a * a * a // 3"), encoding="utf-8")
    (tmp_path / "chain.toml").write_text(text, encoding="utf-8")
    assert arrayol("explore", "chain.aol", "--narrow", "--quiet").returncode == 0
    done = arrayol("emit", "verilog", "chain.aol", "--result", "chain-explore", "--pick", "knee", "--check")
    assert done.returncode == 0, done.stderr
    assert "agrees" in done.stdout
    (told,) = re.findall(
        r"about (\d+) MHz, not 100: the given latency of '\w+' has too few", " ".join(done.stdout.split())
    )
    assert int(told) < 100
    page = (tmp_path / "chain-verilog" / "README.md").read_text(encoding="utf-8")
    assert f"The clock is estimated at about {told} MHz" in page


# The folder.


def test_a_former_design_is_replaced_and_what_else_lies_there_stays(emit: Emit, here: Path) -> None:
    assert emit("--out", "v")[0] == 0
    before = files(here / "v")
    for name in ("rtl/old.v", "build/icarus", "notes.txt", "own/pins.lpf"):
        (here / "v" / name).parent.mkdir(exist_ok=True)
        (here / "v" / name).write_text("mine")
    assert emit("--out", "v")[0] == 0
    assert files(here / "v") == {**before, "notes.txt": b"mine", "own/pins.lpf": b"mine"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_text("x"), "error[not-hardware]: this is a file, and a design goes to a folder"),
        (
            lambda path: (path.mkdir(), (path / "design.json").write_text('{"format": 1}')),
            "error[not-hardware]: this folder is not empty and holds no design that was emitted before",
        ),
        (lambda path: path.symlink_to("gone"), "error[cannot-write]: this is a link to nothing"),
    ],
)
def test_other_folders_are_refused(emit: Emit, here: Path, make: Callable[[Path], object], message: str) -> None:
    make(here / "v")
    before = files(here)
    code, out, err = emit("--out", "v")
    assert (code, out, err) == (1, "", f"v: {message}\n  hint: name another folder with --out\n")
    assert files(here) == before
