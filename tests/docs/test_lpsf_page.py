"""The page of the low-pass filter: what its datapath costs, and what that changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import in_process
from manual import blocks, read, replace

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.datapath.figures import Datapath
from hwmodel.platform import platform_of

SECONDS = ["frames_per_second >= 60"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("lpsf.aol", "lpsf.toml"):
        (tmp_path / name).write_bytes((shipped_folder() / name).read_bytes())
    for block in blocks("lpsf.md", "toml"):
        (tmp_path / block.text.partition("\n")[0].removeprefix("# ")).write_text(block.text, encoding="utf-8")
    return tmp_path


def datapath(folder: Path, platform: str, interval: int) -> Datapath:
    spec = api.load(folder / "lpsf.aol")
    process = flatten(spec, "lpsf").processes["hflr"]
    return platform_of(spec, folder / platform)[0].datapath(process, interval)


def row(found: Datapath) -> str:
    (recurrence,) = found.recurrence.values()
    ff = f"{found.cost['ff']:,}" if "ff" in found.cost else "-"
    figures = (found.interval, found.latency, recurrence, f"{found.cost['lut']:,}", ff, found.cost["dsp"])
    return "".join(f" {figure} |" for figure in figures)


def test_the_command(folder: Path, request: pytest.FixtureRequest) -> None:
    (block,) = blocks("lpsf.md", "console")
    done = in_process("cost", "lpsf.aol", "--verbose", cwd=folder, together=True)
    text = f"$ arrayol cost lpsf.aol --verbose\n{done.stdout}"
    if request.config.getoption("--update-golden"):
        replace(block, text)
    else:
        assert text == block.text


def test_the_table(folder: Path) -> None:
    page = read("lpsf.md")
    for platform, intervals in {"given.toml": (4,), "lpsf.toml": (1, 4), "seven.toml": (1, 4)}.items():
        for interval in intervals:
            assert row(datapath(folder, platform, interval)) in page, platform


def test_the_figures_of_a_seven_stage_adder(folder: Path) -> None:
    """At 100 MHz recurrence 32 and 4,020 LUT; at interval 4, where starts are multiples of 4, 36 and about 1,100."""
    fast, folded = (datapath(folder, "seven.toml", interval) for interval in (1, 4))
    delay = "last", "prev"
    assert (fast.operand_delay(*delay, 1, in_register=True), fast.cost["lut"]) == (32, 4020)
    assert (folded.operand_delay(*delay, 4, in_register=True), folded.cost["lut"]) == (36, 1042)


@pytest.mark.parametrize(("platform", "least"), [("given.toml", 768), ("lpsf.toml", 8088)])
def test_the_least_logic_for_sixty_frames_a_second(folder: Path, platform: str, least: int) -> None:
    found = api.explore(
        api.load(folder / "lpsf.aol"),
        folder / platform,
        objectives=("lut", "latency_cycles"),
        space=api.Space(narrow=True, verify=False, constraints=SECONDS),
    )
    assert min(design.objectives["lut"] for design in found.result.pareto) == least
    assert f"{least:,} LUT" in read("lpsf.md") or f"{least} LUT" in read("lpsf.md")


def test_what_the_machine_model_finds() -> None:
    spec = api.load(shipped_folder() / "lpsf.aol")
    result = api.explore(spec, space=api.Space(study=api.Study(slack=0), narrow=True, verify=False)).result
    assert (result.space.group_designs, result.space.whole_designs) == (11_550_720, 162_314_373_266_669_568)
    assert len(result.pareto) == 793
    points = [
        (
            design.objectives["latency_cycles"],
            design.objectives["internal_memory_elements"],
            design.id.partition(":")[0],
        )
        for design in result.pareto
    ]
    assert {fusion for _, data, fusion in points if 3_140 <= data < 400_000} == {"2+2"}
    assert min(point for point in points if point[1] <= 15_360) == (2_307_132, 15_164, "2+2")
    assert min(point for point in points if point[1] <= 12_168) == (2_379_606, 12_008, "2+2")
    assert points[0] == (1_180_208, 4_426_032, "4")
    assert points[-1] == (134_784_000, 68, "1+1+1+1")
    assert (2_079_300, 527_792, "2+2") in points
    assert next(point for point in points if point[2] == "1+3") == (2_074_320, 4_149_280, "1+3")
