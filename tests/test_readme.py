"""What README.md tells a newcomer to type."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from conftest import CommandLine

from arrayol import api


def blocks(checkout: Path, language: str) -> list[str]:
    """The code blocks of one language."""
    text = (checkout / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_two_commands_differ_only_in_what_they_install_and_run(checkout: Path) -> None:
    setup = "python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e"
    explore = f"{setup} . && .venv/bin/arrayol explore specs/lpsf.aol\n"
    assert blocks(checkout, "sh") == [explore, f"{setup} '.[test]' && .venv/bin/pytest -n auto -m 'not slow'\n"]


def test_the_python_example(arrayol: CommandLine, checkout: Path, tmp_path: Path) -> None:
    arrayol("example", "lpsf")
    (example,) = blocks(checkout, "python")
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert (names[0], names[-1].partition(":")[0]) == ("4:1", "1+1+1+1")
    assert (tmp_path / "small" / "result.json").exists()


def test_the_tour_shows_what_explore_prints(arrayol: CommandLine, checkout: Path) -> None:
    arrayol("example", "lpsf")
    command = "$ arrayol explore lpsf.aol --model published\n"
    (shown,) = (block for block in blocks(checkout, "console") if block.startswith(command))
    printed = arrayol("explore", "lpsf.aol", "--model", "published").stdout
    assert printed.split() == shown.removeprefix(command).split()


def test_the_least_logic_for_a_frame_rate(arrayol: CommandLine, checkout: Path) -> None:
    arrayol("example", "demosaic")
    (shown,) = (block for block in blocks(checkout, "console") if "frames_per_second >= 60" in block)
    command, _, expected = shown.partition("\n")
    printed = arrayol(*shlex.split(command)[2:], "--quiet").stdout
    assert printed.split() == expected.split()


def test_what_the_machine_model_finds_beside_the_paper(checkout: Path) -> None:
    """The figures of the README's half page."""
    spec = api.load(checkout / "specs" / "lpsf.aol")
    result = api.explore(spec, space=api.Space(narrow=True, verify=False)).result
    assert (result.space.group_designs, result.space.whole_designs) == (11_550_720, 162_314_373_266_669_568)
    assert len(result.pareto) == 793
    points = [
        (design.objectives["latency_cycles"], design.objectives["internal_memory_data"], design.id.partition(":")[0])
        for design in result.pareto
    ]
    assert {fusion for _, data, fusion in points if 3_140 <= data < 400_000} == {"2+2"}
    assert min(point for point in points if point[1] <= 15_360) == (2_307_132, 15_164, "2+2")
    assert min(point for point in points if point[1] <= 12_168) == (2_379_606, 12_008, "2+2")
    assert points[0] == (1_180_208, 4_426_032, "4")
    assert points[-1] == (134_784_000, 68, "1+1+1+1")
    assert (2_079_300, 527_792, "2+2") in points
    assert next(point for point in points if point[2] == "1+3") == (2_074_320, 4_149_280, "1+3")


def test_the_tour_shows_what_transform_tells(arrayol: CommandLine, checkout: Path) -> None:
    arrayol("example", "lpsf")
    (shown,) = (block for block in blocks(checkout, "console") if block.startswith("$ arrayol transform lpsf.aol"))
    done = arrayol("transform", "lpsf.aol", "fuse hflr vftd 8,1", "pave vfbu 4,1")
    assert shown.startswith('$ arrayol transform lpsf.aol "fuse hflr vftd 8,1" "pave vfbu 4,1" > fused.aol\n')
    assert shown.partition("\n")[2] == done.stderr
