"""`arrayol emit verilog` of a design whose tasks read several frames, through the installed command."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import CommandLine
from emitted_chain import PLATFORM
from system_designs import VIDEO
from verilog_programs import needs_icarus


@needs_icarus
def test_frames_in_copies(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "video.aol").write_text(VIDEO, encoding="utf-8")
    (tmp_path / "video.toml").write_text(PLATFORM, encoding="utf-8")
    done = arrayol("explore", "video.aol", "--narrow", "--quiet", "--no-verify")
    assert done.returncode == 0, done.stderr
    stored = json.loads((tmp_path / "video-explore" / "result.json").read_text(encoding="utf-8"))
    chosen = next(str(one["id"]) for one in stored["pareto"] if len(one["groups"]) == 2)
    result = ("--result", "video-explore", "--design", chosen)
    done = arrayol("emit", "verilog", "video.aol", *result, "--check", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["checked"]["mismatches"] == []
    first, *others = [frame["cycles"] for frame in found["checked"]["frames"]]
    assert len(others) == 6
    assert set(others) == {found["cycles"]}
    page = (tmp_path / "video-verilog" / "README.md").read_text(encoding="utf-8")
    assert f"after a reset 1 start\n  takes {first:,} cycles." in page
    assert "in copy n modulo their number: `v` 4 of 8 words, `a` 2 of 16 words." in page
    assert "Start s after a reset, from 0 on, needs frame s + 2 of `v`;" in page
    assert "Start s makes frame s - 1 of `o`, so none before start 1." in page
    schedule = json.loads((tmp_path / "video-verilog" / "design.json").read_text(encoding="utf-8"))
    assert schedule["lags"] == [0, 1]
    assert schedule["memory"]["copies"] == {"v": 4, "a": 2}
    assert schedule["memory"]["ahead"] == {"v": 2, "a": 0, "o": -1}
