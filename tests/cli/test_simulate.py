"""`arrayol simulate`, through the installed command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import CommandLine

from arrayol.text import time_text

SPEC = """\
const N = 24

elementary smooth(x: i32[2], last: i32) -> (y: i32, next: i32) {
  y = x[0] + 2 * x[1] + last
  next = y
}

elementary halve(a: i32) -> (b: i32) {
  b = a // 2
}

task smoothed(x: i32[N]) -> (y: i32[N]) {
  repeat [N] of smooth {
    x <- x at origin [0] paving [1] fitting [1] wrap
    y -> y at origin [0] paving [1] fitting []
    last <- next delay [1] else 0
  }
}

task halved(y: i32[N]) -> (z: i32[N]) {
  repeat [N] of halve {
    a <- y at origin [0] paving [1] fitting []
    b -> z at origin [0] paving [1] fitting []
  }
}

task chain(x: i32[N]) -> (z: i32[N]) {
  y = smoothed(x)
  z = halved(y)
}
"""
PLATFORM = """\
clock_mhz = 100

[memory]
latency = 8
data_per_word = 2
port = "shared"

[elementary.smooth]
initiation_interval = 1
latency = 0

[elementary.halve]
initiation_interval = 1
latency = 0
"""


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two filters in a row, their platform and what exploring them found."""
    folder = tmp_path_factory.mktemp("explored")
    (folder / "chain.aol").write_text(SPEC, encoding="utf-8")
    (folder / "chain.toml").write_text(PLATFORM, encoding="utf-8")
    return folder


@pytest.fixture
def result(arrayol: CommandLine, explored: Path) -> Path:
    """That folder, explored once."""
    if not (explored / "chain-explore").exists():
        done = arrayol("explore", "chain.aol", "--set", "N=12", "--narrow", "--quiet", cwd=explored)
        assert done.returncode == 0, done.stderr
    return explored


def simulate(arrayol: CommandLine, folder: Path, *arguments: str, design: str = "2:1") -> tuple[int, str, str]:
    """The command on the result: exit code, stdout, stderr."""
    command = ("simulate", "chain.aol", "--result", "chain-explore", "--design", design, *arguments)
    done = arrayol(*command, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def test_json_holds_five_keys(arrayol: CommandLine, result: Path) -> None:
    pareto = json.loads((result / "chain-explore" / "result.json").read_text(encoding="utf-8"))["pareto"]
    for design in pareto:
        code, out, err = simulate(arrayol, result, "--in", "x=random:1", "--json", design=design["id"])
        cycles = design["objectives"]["latency_cycles"]
        expected = {
            "design": design["id"],
            "cycles": cycles,
            "analytic_cycles": cycles,
            "identical": True,
            "remarks": [],
        }
        assert (code, json.loads(out), err) == (0, expected, "")


def test_text_shows_groups_memories_and_verdicts(arrayol: CommandLine, result: Path) -> None:
    code, out, err = simulate(arrayol, result, "--in", "x=ramp", "--verbose")
    (design,) = [
        one
        for one in json.loads((result / "chain-explore" / "result.json").read_text(encoding="utf-8"))["pareto"]
        if one["id"] == "2:1"
    ]
    (group,) = design["groups"]
    mapping = group["mapping"]
    cycles = mapping["latency_cycles"]
    assert (code, err) == (0, "")
    assert out.startswith(f"chain 2:1: {cycles} cycles, {time_text(cycles / 100)}\n\n")
    row = next(line for line in out.splitlines() if line.startswith("1: smoothed, halved "))
    assert row.split()[3:] == [str(cycles), str(cycles), str(mapping["steps"])]
    for memory in mapping["memories"]:
        line = next(line for line in out.splitlines() if line.startswith(f"1: {memory['kind']} {memory['name']} "))
        assert line.split()[-3:] == [str(memory[size]) for size in ("live", "live", "addressed")]
    name = max(mapping["ends"], key=mapping["ends"].get)
    resource = "memory port" if name in ("loads", "stores") else "compute"
    facts = (
        "output     identical to the reference execution\n"
        "model      agrees: the same cycles, every memory as full as it says\n"
        f"waits for  {resource}: {name} {mapping['ends'][name] / cycles:.0%}\n"
        "platform   chain.toml\n"
    )
    assert out.endswith(f"\n\n{facts}")
    first = f"chain 2:1: {cycles} cycles, {time_text(cycles / 100)}\n\n{facts}"
    assert simulate(arrayol, result, "--in", "x=ramp") == (0, first, "")


def test_memories_of_a_design_and_what_they_are_built_of(arrayol: CommandLine, tmp_path: Path) -> None:
    """On a platform with a technology; without one there is no such table. docs/concepts/buffers.md shows the text."""
    (tmp_path / "chain.aol").write_text(SPEC, encoding="utf-8")
    (tmp_path / "chain.toml").write_text(
        'technology = "ecp5-6"\n' + PLATFORM.replace("latency = 0", "latency = 3"), encoding="utf-8"
    )
    assert arrayol("explore", "chain.aol", "--set", "N=12", "--narrow", "--quiet").returncode == 0
    code, out, err = simulate(arrayol, tmp_path, "--in", "x=ramp", "--verbose")
    assert (code, err) == (0, "")
    document = json.loads(simulate(arrayol, tmp_path, "--in", "x=ramp", "--json")[1])
    assert document["memories"]["technology"] == "ecp5-6"
    for memory in document["memories"]["memories"]:
        assert f"{memory['group']}: {memory['kind']} {memory['name']} " in out
    for name, amount in document["memories"]["totals"].items():
        assert amount == sum(memory[name] for memory in document["memories"]["memories"])


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_timeline_is_written_the_same_twice(
    arrayol: CommandLine, arrayol_process: CommandLine, result: Path, tmp_path: Path, suffix: str
) -> None:
    """In another process too."""
    pictures = [tmp_path / f"{name}.{suffix}" for name in ("one", "two")]
    for run, picture in zip((arrayol, arrayol_process), pictures, strict=True):
        code, _, err = simulate(run, result, "--in", "x=ramp", "--timeline", str(picture))
        assert (code, err) == (0, f"wrote {picture}\n")
    assert pictures[0].read_bytes() == pictures[1].read_bytes()
    assert pictures[0].stat().st_size > 5_000


def test_a_trace_is_written_the_same_twice(arrayol: CommandLine, result: Path, tmp_path: Path) -> None:
    traces = [tmp_path / "one.json", tmp_path / "two.json"]
    for trace in traces:
        code, _, err = simulate(arrayol, result, "--in", "x=ramp", "--trace", str(trace))
        assert (code, err) == (0, f"wrote {trace}\n")
    assert traces[0].read_bytes() == traces[1].read_bytes()
    steps = [event for event in json.loads(traces[0].read_text())["traceEvents"] if event["name"].startswith("step ")]
    done = json.loads(simulate(arrayol, result, "--in", "x=ramp", "--json")[1])
    assert max(event["args"]["cycles"][1] for event in steps) == done["cycles"]
    code, _, err = simulate(arrayol, result, "--in", "x=ramp", "--trace", str(tmp_path / "none" / "run.json"))
    assert code == 1
    assert "error[cannot-write]" in err


def test_what_contradicts_the_result_is_refused(arrayol: CommandLine, result: Path) -> None:
    assert simulate(arrayol, result, "--in", "x=ramp", "--set", "N=24") == (
        1,
        "",
        "error[not-as-explored]: the result has N = 12, not 24\n  hint: leave --set out: the result says the consts\n",
    )
    assert simulate(arrayol, result, "--in", "x=ramp", "--set", "N=12", "--json")[0] == 0
    assert simulate(arrayol, result, "--in", "x=ramp", "--top", "halved") == (
        1,
        "",
        "error[not-as-explored]: the result is of the task 'chain', not of 'halved'\n  hint: leave --top out\n",
    )
    assert simulate(arrayol, result, "--in", "x=ramp", "--top", "chain", "--json")[0] == 0


def test_unknown_design_and_missing_input(arrayol: CommandLine, result: Path) -> None:
    code, _, err = simulate(arrayol, result, "--in", "x=ramp", design="2:100")
    assert code == 1
    assert err.startswith("chain-explore/result.json: error[unknown-design]: there is no design '2:100'\n  hint: ")
    _, _, err = simulate(arrayol, result, "--in", "x=ramp", design="2")
    assert "hint: 2 is a fusion; name one of its designs, as 2:1" in err
    code, _, err = simulate(arrayol, result)
    assert (code, err) == (1, "error[missing-input]: 'chain' needs the input x\n  hint: add --in x=FILE\n")


def test_results_of_the_published_model_are_refused(arrayol: CommandLine, result: Path, tmp_path: Path) -> None:
    folder = str(tmp_path / "published")
    arrayol("explore", "chain.aol", "--model", "published", "--out", folder, "--quiet", cwd=result)
    done = arrayol("simulate", "chain.aol", "--result", folder, "--design", "2", "--in", "x=ramp", cwd=result)
    assert done.returncode == 1
    assert done.stderr.endswith(
        "error[published-result]: this is a result of the published model\n"
        "  hint: simulate needs the machine model, the default of 'arrayol explore'\n"
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "about"),
    [
        ("chain.toml", "latency = 8", "latency = 9", "chain-explore/result.json"),
        ("chain.aol", "const N", "const M = 2\nconst N", "chain.aol"),
        ("chain.aol", "smoothed(", "smoothly(", "chain.aol"),
        ("chain.aol", "b = a // 2", "b = a // 3", "chain.aol"),
        ("chain.aol", "y = x[0]", "z: i32 = 0\n  y = x[0]", "chain.aol"),
        ("chain.aol", "{\n  b = a // 2\n}", "", "chain.aol"),
        ("chain.aol", "delay [1] else 0", "delay [1] else 1", "chain.aol"),
    ],
)
def test_changed_files_make_a_result_stale(
    arrayol: CommandLine, result: Path, tmp_path: Path, file: str, old: str, new: str, about: str
) -> None:
    for path in ("chain.aol", "chain.toml", "chain-explore/result.json"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text((result / path).read_text(encoding="utf-8"), encoding="utf-8")
    changed = (tmp_path / file).read_text(encoding="utf-8").replace(old, new)
    (tmp_path / file).write_text(changed, encoding="utf-8")
    code, out, err = simulate(arrayol, tmp_path, "--in", "x=ramp")
    assert (code, out) == (1, "")
    assert err.startswith(f"{about}: error[stale-result]: ")


def test_a_changed_body_is_told_and_how_a_text_looks_does_not_count(
    arrayol: CommandLine, result: Path, tmp_path: Path
) -> None:
    shutil.copytree(result, tmp_path, dirs_exist_ok=True)
    (tmp_path / "chain.aol").write_text(SPEC.replace("2 * x[1]", "3 * x[1]"), encoding="utf-8")
    assert simulate(arrayol, tmp_path, "--in", "x=ramp") == (
        1,
        "",
        (
            "chain.aol: error[stale-result]: 'smooth' is not what it was when the result was written\n"
            "  hint: explore once more, with the files as they are now\n"
        ),
    )
    head, *definitions = SPEC.split("\n\n")
    turned = "\n\n".join([*reversed(definitions), head])
    looks = turned.replace("b = a // 2", "b   =  (a//2)  # the half\n\n").replace("task", "# a task\ntask")
    unused = "\nelementary other(x: u8) -> (y: u8) { y = x }\ntask more(x: u8) -> (y: u8) { y = other(x) }\n"
    (tmp_path / "chain.aol").write_text(looks + unused, encoding="utf-8")
    assert simulate(arrayol, tmp_path, "--in", "x=ramp", "--json")[0] == 0


def test_black_boxes_move_tokens(arrayol: CommandLine, tmp_path: Path) -> None:
    text = SPEC.replace("{\n  b = a // 2\n}", "")
    (tmp_path / "chain.aol").write_text(text, encoding="utf-8")
    (tmp_path / "chain.toml").write_text(PLATFORM, encoding="utf-8")
    assert arrayol("explore", "chain.aol", "--set", "N=12", "--narrow", "--quiet").returncode == 0
    code, out, err = simulate(arrayol, tmp_path, "--json")
    assert code == 0
    assert json.loads(out)["identical"] is None
    assert err == "'halve' has nothing to execute: data move as tokens\n"
    _, out, err = simulate(arrayol, tmp_path, "--in", "x=ramp")
    assert err == "'halve' has nothing to execute: data move as tokens and --in is not read\n"
    assert "output     not computed: data moved as tokens\n" in out


def test_wrong_usage(arrayol: CommandLine, tmp_path: Path) -> None:
    done = arrayol("simulate", "chain.aol", "--result", "r", "--design", "1", "--timeline", "x.pdf", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.endswith("'x.pdf' does not end in .svg or .png.\n")
    assert arrayol("simulate", "chain.aol", "--design", "1", cwd=tmp_path).returncode == 2
