"""What is assumed is said: one remark for each subject, and none where the platform says all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import CommandLine

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.transforms.steps import canonical_form
from hwmodel.assumptions import assumed_by_layout, assumed_by_machine, assumed_by_published, assumed_by_transfers
from hwmodel.platform import platform_of
from hwmodel.residence import Load

SPECS = Path(__file__).resolve().parents[2] / "specs"
SPEC = """\
elementary far(x: i32) -> (y: i32) { y = x + 1 }
elementary near(x: i32) -> (y: i32) { y = x * 2 }
task first(a: i32[8]) -> (b: i32[8]) {
  repeat [8] of far { x <- a at origin [0] paving [1] fitting [] y -> b at origin [0] paving [1] fitting [] }
}
task second(b: i32[8]) -> (c: i32[8]) {
  repeat [8] of near { x <- b at origin [0] paving [1] fitting [] y -> c at origin [0] paving [1] fitting [] }
}
task both(a: i32[8]) -> (c: i32[8]) { b = first(a) c = second(b) }
"""
MEMORY = "assume_datapaths = true\n[memory]\nlatency = 3\ndata_per_word = 2\n"
DEFAULT = (
    "no platform is given, and there is none next to the specification: assuming a clock of 50 MHz, the technology "
    "ecp5-6, bursts of 30 cycles latency, words of 128 bits and one port for loads and stores"
)
DATAPATHS = (
    "no datapath is given for far and near: assuming an initiation interval of 1 cycle, a latency of 0 cycles and no "
    "cost; give [elementary.NAME] in the platform"
)
UNITS = "on some blocks of first at most 2 or 3 units can work at once"
WHOLE = 'port = "shared"\n[elementary.far]\ninitiation_interval = 2\nlatency = 1\n'
ROWS = "[memory.rows]\nrow_bytes = 64\nword_ns = 1\nrow_change_ns = 1\nsame_bank_activate_ns = 1\n"
PLAIN = "".join(f"[elementary.{name}]\ninitiation_interval = 1\nlatency = 0\n" for name in ("far", "near"))
LEFT_OUT = "memory.port, memory.rows.banks, local.banks and local.access_cycles"
CASES = {
    "nothing": (MEMORY, (DATAPATHS, 'the platform does not give memory.port: assuming "shared"')),
    "keys": (
        f"{MEMORY}{WHOLE}cost = {{ lut = 5, dsp = 1 }}\n[elementary.near]\ncost = {{ dsp = 0 }}\n",
        (
            "no initiation_interval is given for near: assuming an initiation interval of 1 cycle",
            "no latency is given for near: assuming a latency of 0 cycles",
            "no cost in lut is given for near: designs have no figure lut",
        ),
    ),
    "rows and banks": (
        f"clock_mhz = 100\n[memory]\ndata_per_word = 2\n{ROWS}[local]\nblock_bits = 100\n{PLAIN}",
        (f'the platform does not give {LEFT_OUT}: assuming "shared", 8, 8 and 1',),
    ),
    "all": (f"{MEMORY}{WHOLE}[elementary.near]\ninitiation_interval = 1\nlatency = 0\n", ()),
}


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "both.aol"
    path.write_text(SPEC, encoding="utf-8")
    return path


@pytest.mark.parametrize("case", CASES)
def test_each_subject_has_one_remark(spec: Path, case: str) -> None:
    text, remarks = CASES[case]
    spec.with_suffix(".toml").write_text(text, encoding="utf-8")
    result = api.explore(spec, space=api.Space(narrow=True, verify=False)).result
    assert result.remarks == remarks
    assert "lut" not in result.pareto[0].objectives


def test_without_a_platform_the_default_is_told(spec: Path) -> None:
    loaded = api.load(spec)
    platform, origin = platform_of(loaded, None)
    network = canonical_form(loaded, "both").network
    assert assumed_by_machine(network, platform, origin) == (DEFAULT,)
    published = DATAPATHS.replace(", a latency of 0 cycles and no cost", "")
    assert assumed_by_published(network, platform, origin) == (DEFAULT, published)
    alone = DATAPATHS.replace("far and near", "far").replace(
        "cycle, a latency of 0 cycles and no cost", "cycle and a latency of 0 cycles"
    )
    assert assumed_by_transfers("far", platform, origin) == (DEFAULT, alone)
    assert assumed_by_layout(platform, origin) == ("no platform is given: assuming 8 banks",)


@pytest.mark.parametrize("path", sorted(SPECS.glob("*.aol")), ids=lambda path: path.stem)
def test_shipped_platforms_leave_nothing_to_assume(path: Path) -> None:
    loaded = api.load(path)
    platform, origin = platform_of(loaded, None)
    network = canonical_form(loaded, choose_top(loaded, None)).network
    remarks = [remark for remark in assumed_by_machine(network, platform, origin) if not remark.endswith("in ROMs")]
    assert [*remarks, *assumed_by_layout(platform, origin)] == []


@pytest.mark.parametrize("asked", ["--objectives=latency_cycles,lut", "--constraint=lut <= 9", "--pick=lut <= 9"])
def test_a_cost_that_some_task_lacks_is_refused(arrayol: CommandLine, spec: Path, asked: str) -> None:
    spec.with_suffix(".toml").write_text(CASES["keys"][0], encoding="utf-8")
    done = arrayol("explore", "both.aol", asked)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "both.toml:10:2: error[missing-cost]: 'lut' is no figure of designs here: the task 'second' has no cost in "
        "lut\n"
    )
    assert (
        "hint: give cost = { lut = NUMBER } in [elementary.near] of the platform, 0 where there is none" in done.stderr
    )
    assert not (spec.parent / "both-explore").exists()


def test_remarks_go_to_stderr_json_the_table_and_the_report(arrayol: CommandLine, spec: Path) -> None:
    study = 'layouts = ["linear"]\nunits = [1, 4]\n[blocks]\nfirst = [[3], [2], [8]]\nsecond = [[99]]\n'
    (spec.parent / "study.toml").write_text(study, encoding="utf-8")
    done = arrayol("explore", "both.aol", "--study", "study.toml", "--no-verify", "--json")
    remarks = json.loads(done.stdout)["remarks"]
    assert remarks == [
        DEFAULT,
        "bank layouts are not tried: the platform does not give local.block_bits, so banks have no cost",
        "'blocks' of second are larger than the repetition space and were reduced to its size",
        f"{UNITS}; the study does not list that number; the next smaller one is taken, if any",
    ]
    assert [line for line in done.stderr.splitlines() if line.startswith("remark: ")] == [
        f"remark: {remark}" for remark in remarks
    ]
    assert arrayol("report", "both-explore").returncode == 0
    page = (spec.parent / "both-explore" / "report.html").read_text(encoding="utf-8")
    assert all(remark in page for remark in remarks)
    done = arrayol("explore", "both.aol", "--model", "published", "--quiet", "--verbose")
    assert "".join(done.stdout.split()).count("".join(DEFAULT.split())) == 1


RESIDENT = """\
const K: i16[3] = [3, 1, 2]
const N: i16[4] = [k for k in 0..4]
const Q: i16[3] = [7, 1, 9]
elementary mul(x: i16[3], w: i16[3], n: i16) -> (y: i16) {
  y = n
  y += x[k] * w[k] * K[k] * Q[k]  for k in 0..3
}
task top(x: i16[*, 12], w: i16[3], v: i16[3]) -> (y: i16[*, 4], z: i16[*, 4]) {
  y = half(x, w)
  z = half(x, v)
}
task half(x: i16[*, 12], w: i16[3]) -> (y: i16[*, 4]) {
  repeat [*, 4] of mul {
    x <- x at origin [0, 0] paving [1, 0; 0, 3] fitting [0; 1]
    w <- w
    n <- N at origin [0] paving [0, 1] fitting []
    y -> y
  }
}
"""


@pytest.mark.parametrize(
    ("loads", "told"),
    [
        ({}, "w and v are loaded once, before the first frame; K and Q are in ROMs; N is made by counters"),
        (
            {"v": "frame", "K": "once", "Q": "frame", "w": "once"},
            (
                "w and K are loaded once, before the first frame; v and Q are loaded with each frame; "
                "N is made by counters"
            ),
        ),
    ],
)
def test_how_inputs_come_is_one_remark(tmp_path: Path, loads: dict[str, Load], told: str) -> None:
    (tmp_path / "t.aol").write_text(RESIDENT, encoding="utf-8")
    spec = api.load(tmp_path / "t.aol")
    (tmp_path / "t.toml").write_text(MEMORY + WHOLE.replace("far", "mul"), encoding="utf-8")
    platform, origin = platform_of(spec, None)
    remarks = assumed_by_machine(canonical_form(spec, "top").network, platform, origin, loads)
    assert remarks == (told,)
