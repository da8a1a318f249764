"""Tables at 80 columns, as wide as the fixture has them: names that are too long break between their parts."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import CommandLine
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from arrayol.cli.tables import broken, headed_table

SPEC = """\
elementary zzhalve_zzthe_zzamplitude_zzof_zzsamples(a: i16) -> (b: i16) {
  b = a // 2
}

elementary zzadd_zztwo_zzneighbouring_zzsamples(a: i16[2]) -> (b: i16) {
  b = sat(i16, a[0] + a[1])
}

task zzhorizontal_zzfilter_zzof_zzleft(zzpicture_zzof_zzsensor: i16[8, 8]) -> (zzmiddle_zzbetween_zztasks: i16[8, 8]) {
  repeat [8, 8] of zzhalve_zzthe_zzamplitude_zzof_zzsamples {
    a <- zzpicture_zzof_zzsensor
    b -> zzmiddle_zzbetween_zztasks
  }
}

task zzvertical_zzfilter_zzof_zzright(zzmiddle_zzbetween_zztasks: i16[8, 8]) -> (zzresult_zzof_zzwhole: i16[8, 4]) {
  repeat [8, 4] of zzadd_zztwo_zzneighbouring_zzsamples {
    a <- zzmiddle_zzbetween_zztasks at origin [0, 0] paving [1, 0; 0, 2] fitting [0; 1]
    b -> zzresult_zzof_zzwhole
  }
}

task zzwhole(zzpicture_zzof_zzsensor: i16[8, 8]) -> (zzresult_zzof_zzwhole: i16[8, 4]) {
  zzmiddle_zzbetween_zztasks = zzhorizontal_zzfilter_zzof_zzleft(zzpicture_zzof_zzsensor)
  zzresult_zzof_zzwhole = zzvertical_zzfilter_zzof_zzright(zzmiddle_zzbetween_zztasks)
}
"""
PLATFORM = """\
clock_mhz = 100
technology = "ecp5-6"

[memory]
latency = 8
data_per_word = 2
burst = "run"
outstanding = 4
port = "shared"

[local]
block_bits = 18432
"""
PARTS = frozenset(re.findall(r"zz[a-z]+", SPEC))


def cut(text: str) -> list[str]:
    """What of a text begins like a part of a name and is none."""
    return [word for word in re.findall(r"zz[a-z]*", text) if word not in PARTS]


def test_no_command_breaks_a_name_inside_a_part(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "wide.aol").write_text(SPEC, encoding="utf-8")
    (tmp_path / "wide.toml").write_text(PLATFORM, encoding="utf-8")
    result = ("--result", "wide-explore")
    commands = (
        ("explore", "wide.aol", "--narrow", "--quiet", "--verbose", "--pick", "latency_cycles >= 1"),
        (
            "simulate",
            "wide.aol",
            *result,
            "--pick",
            "latency_cycles >= 1",
            "--in",
            "zzpicture_zzof_zzsensor=ramp",
            "--verbose",
        ),
        ("emit", "verilog", "wide.aol", *result, "--pick", "latency_cycles >= 1", "--verbose"),
        ("compare", "wide-explore", "wide-explore"),
        ("explore", "wide.aol", "--quiet", "--model", "published", "--out", "fused"),
        ("cost", "wide.aol"),
        ("cost", "wide.aol", "--verbose"),
        ("transfers", "wide.aol", "zzvertical_zzfilter_zzof_zzright", "--tile", "4,4", "--keeps"),
        ("layout", "wide.aol", "zzvertical_zzfilter_zzof_zzright"),
    )
    said = {}
    for command in commands:
        done = arrayol(*command)
        said[command[0]] = done.stderr
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert any("zz" in line for line in lines), command
        assert cut(done.stdout) == [], done.stdout
    assert "picked " in said["simulate"]


@given(st.text("ab1@_,/. -:", max_size=40), st.integers(1, 12))
def test_lines_are_no_wider_and_hold_all(text: str, width: int) -> None:
    lines = broken(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_name_is_broken_where_a_part_of_it_ends() -> None:
    name = "1: horizontal_filter@left_side, x"
    assert broken(name, 40) == [name]
    assert broken(name, 14) == ["1: horizontal_", "filter@left_", "side, x"]
    assert broken(name, 8) == ["1:", "horizont", "al_", "filter", "@left_", "side, x"]


def test_a_part_that_is_too_wide_leaves_other_columns_and_parts_whole() -> None:
    """The column of the widest part gives way, and breaks that part alone."""
    table = headed_table("group and its tasks", "units", right=("latency", "internal memory"))
    table.add_row(f"1: convolution_layer_with_activation@y, {'long' * 14}", "6,6,6,6,6,6", "1,116", "120")
    console = Console(width=60, markup=False, highlight=False)
    with console.capture() as text:
        console.print(table)
    lines = [line.rstrip() for line in text.get().splitlines()]
    assert lines[3:] == [
        "1: convolution_      6,6,6,6,6,6     1,116               120",
        "layer_with_",
        "activation@y,",
        "longlonglonglonglo",
        "nglonglonglonglong",
        "longlonglonglonglo",
        "ng",
    ]
