"""`arrayol cost` as a user starts it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import CommandLine

from arrayol.cli.commands import cost

# Rows of its own, so that the figures here do not follow what is measured for the shipped table.
OWN = """\
clock_mhz = 100
technology = "ecp5-6"

[operators]
"add.f32" = [{ max_mhz = 26, ns = 36, lut = 938 }, { max_mhz = 110, cycles = 7, lut = 827, ff = 328, pj = "14*0.9" }]
"fscale.f32" = { ns = 4.3, lut = 89, pj = 0.7 }
mux_in = { ns = "0.04 + 0.37*k", lut = "ceil(w*(1 if k <= 2 else 2.1*k - 4.1))" }

[memory]
latency = 30
data_per_word = 4

"""
COST = ("cost", "lpsf.aol", "--platform", "own.toml")


@pytest.fixture(autouse=True)
def example(arrayol: CommandLine, tmp_path: Path) -> None:
    arrayol("example", "lpsf")
    (tmp_path / "own.toml").write_text(OWN)


def test_text(arrayol_process: CommandLine) -> None:
    done = arrayol_process(*COST, "--verbose")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[0] == "smooth: 12 operations, with prev <- last delayed"
    assert lines[4:9] == [
        "       1      32        34       32   4,020   4,800     0   160.6      104.6",
        "       2      36        37       36   2,140   2,673     0   168.3      112.3",
        "       3      38        38       38   2,092   2,162     0   176.0      120.0",
        "       4      36        35       36   1,042   1,290     0   160.6      104.6",
        "       8      38        33       38     995     875     0   171.2      115.2",
    ]
    assert "at 4  2 fscale.f32, 1 add.f32, 1 mux" in lines
    assert "estimates   energy: estimate, ecp5-6" in lines
    assert "marks" not in done.stdout  # all is derived
    assert "technology  ecp5-6, Lattice ECP5, speed grade 6 at 100 MHz" in lines


def test_units_are_first_shown_with_their_share_of_the_device(arrayol: CommandLine) -> None:
    done = arrayol(*COST, "--device", "LFE5U-45F")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["elementary", "interval", "latency", "LUT", "FF", "DSP", "pJ"]
    assert lines[2] == ["smooth", "1", "34", "4,020", "(9%)", "4,800", "(11%)", "0", "(0%)", "160.6"]
    assert lines[6] == ["8", "33", "995", "(2%)", "875", "(2%)", "0", "(0%)", "171.2"]
    assert done.stdout.splitlines()[-2:] == ["shares      of the LFE5U-45F", "estimates   energy"]


def test_of_many_intervals_the_ends_are_first_shown(arrayol: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "ROWS_AT_MOST", 11)
    arrayol("example", "radar")
    printed = arrayol("cost", "radar.aol").stdout.splitlines()
    (rule,) = (place for place, line in enumerate(printed) if line.startswith("──"))
    lines = [line for line in printed[rule + 1 :] if line]
    (left,) = (line for line in lines if line.startswith("left out"))
    document = json.loads(arrayol("cost", "radar.aol", "--json").stdout)
    counts = [len(one["intervals"]) for one in document["elementaries"]]
    rows = sum(min(2, count) for count in counts)
    assert lines.index(left) == rows
    assert left == f"left out    {sum(counts) - rows:,} intervals between; --verbose or a NAME shows them"


def test_a_schedule(arrayol: CommandLine) -> None:
    lines = arrayol(*COST, "smooth", "--interval", "4").stdout.splitlines()
    first = lines.index("cycle  slot")
    assert lines[first + 1 : first + 5] == [
        "    0     0  read x[0]",
        "             read prev",
        "             v0 = fscale.f32 #0 (prev), in a register from cycle 1  (line 12)",
        "             v1 = fscale.f32 #1 (x[0]), in a register from cycle 1  (line 12)",
    ]
    assert "   28     0  v11 = add.f32 #0 (v9, v10), in a register from cycle 36  (line 13)" in lines
    assert lines[lines.index("   35     3  write y[3] = v11") + 1] == "             write last = v11"


def test_json_alone_is_on_stdout(arrayol: CommandLine) -> None:
    done = arrayol(*COST, "hflr", "--interval", "4", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert {name: document[name] for name in ("technology", "clock_mhz", "estimates", "refused")} == {
        "technology": "ecp5-6",
        "clock_mhz": 100.0,
        "estimates": ["pj"],
        "refused": [],
    }
    (smooth,) = document["elementaries"]
    (at,) = smooth["intervals"]
    assert (at["interval"], at["depth_cycles"], at["latency_cycles"]) == (4, 36, 35)
    assert at["recurrence"] == [{"output": "last", "input": "prev", "cycles": 36, "more_through_memory": 3}]
    assert at["cost"] == {"lut": 1042, "ff": 1290, "dsp": 0}
    assert {use["operator"]: use["units"] for use in at["operators"]} == {"fscale.f32": 2, "add.f32": 1}
    assert sum(step["kind"] == "start" for step in at["schedule"]) == 12
    assert set(at["origins"].values()) == {"derived"}


def test_what_the_platform_gives_is_marked(arrayol: CommandLine, tmp_path: Path) -> None:
    entry = "[elementary.smooth]\nlatency = 9\n[[elementary.smooth.measured]]\ninterval = 4\ncost = { lut = 1100 }\n"
    (tmp_path / "own.toml").write_text(OWN + entry)
    texts = [arrayol(*COST).stdout, arrayol(*COST, "--verbose").stdout]
    marks = "marks g given by the platform, m measured; all others are derived from the bodies"
    assert all(marks in " ".join(text.split()) for text in texts)
    (row,) = [line for line in texts[1].splitlines() if line.startswith("     4 m ")]
    assert " ".join(row.split()).endswith(" 36 9 g 36 1,100 m 1,290 0 160.6 104.6")


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_a_picture(arrayol: CommandLine, tmp_path: Path, suffix: str) -> None:
    done = arrayol(*COST, "smooth", "--interval", "4", "--plot", f"s{suffix}")
    assert (done.returncode, done.stderr, done.stdout.splitlines()[-1]) == (0, "", f"wrote s{suffix}")
    first = (tmp_path / f"s{suffix}").read_bytes()
    assert first.startswith(b"\x89PNG" if suffix == ".png" else b"<?xml")


def test_elementaries_without_a_datapath_are_told_beside_the_others(arrayol: CommandLine, tmp_path: Path) -> None:
    text = "elementary box(a: u8) -> (b: u8)\nelementary more(a: u8) -> (b: u8) {\n  b = a + 1\n}\n"
    (tmp_path / "two.aol").write_text(text)
    done = arrayol("cost", "two.aol", "--platform", "own.toml")
    assert done.returncode == 0
    assert done.stdout.splitlines()[2].split()[:3] == ["more", "1", "3"]
    assert "error[no-datapath]: the elementary 'box' has no datapath" in done.stderr
    alone = arrayol("cost", "two.aol", "box", "--platform", "own.toml")
    assert (alone.returncode, alone.stdout) == (1, "")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("smoth",), 1, "error[unknown-task]: there is no elementary 'smoth' in 'lpsf.aol'"),
        (("lpsf",), 1, "error[unknown-task]: 'lpsf' repeats no elementary"),
        (("--technology", "ecp6"), 1, "error[unknown-technology]: there is no technology 'ecp6'"),
        (("--clock", "0"), 2, "Invalid value for '--clock': 0 is no clock in MHz, as 100."),
        (("--clock", "nan"), 2, "Invalid value for '--clock': nan is no clock in MHz, as 100."),
        (("--clock", "200"), 1, "error[operator-too-slow]: 'add.f32' of technology 'ecp5-6' reaches 110 MHz"),
        (("--clock", "2000"), 1, "error[operator-too-slow]: technology 'ecp5-6' reaches"),
        (("--interval", "0"), 2, "Invalid value for '--interval': 0 is not in the range"),
    ],
)
def test_refusals(arrayol: CommandLine, options: tuple[str, ...], code: int, message: str) -> None:
    done = arrayol(*COST, *options)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr


def test_an_interval_is_for_one_elementary(arrayol: CommandLine) -> None:
    arrayol("example", "conv3x3")
    done = arrayol("cost", "conv3x3.aol", "--platform", "own.toml", "--interval", "3")
    assert done.returncode == 2
    assert "--interval is for one elementary; name convolve or compare." in done.stderr


def test_operators_that_were_not_measured_are_named(arrayol: CommandLine, tmp_path: Path) -> None:
    text = "elementary growth(a: f32) -> (b: f32) {\n  b = exp(a)\n}\n"
    (tmp_path / "growth.aol").write_text(text)
    row = '"exp.f32" = { cycles = 9, lut = 1500, estimate = true }\n'
    (tmp_path / "own.toml").write_text(OWN.replace("[operators]\n", f"[operators]\n{row}"))
    first = arrayol("cost", "growth.aol", "--platform", "own.toml")
    assert "estimates   energy and all of exp.f32" in first.stdout.splitlines()
    done = arrayol("cost", "growth.aol", "--platform", "own.toml", "--verbose")
    assert "estimates   energy and all of exp.f32: estimate, ecp5-6" in done.stdout.splitlines()
    document = json.loads(arrayol("cost", "growth.aol", "--platform", "own.toml", "--json").stdout)
    assert document["elementaries"][0]["intervals"][0]["operators"][0]["estimate"] is True
