"""The report of designs that are streams, in a browser: lines over pulses, and line buffers."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import findings
from explored import write_undrawn
from report_pages import Open, cells

from arrayol import api
from dse.output.report.write import write_report

SPEC = Path(__file__).parents[3] / "hwmodel" / "stream" / "specs" / "unsharp.aol"
TASKS = ["blur_x", "blur_y", "diff", "scaled", "sharpen"]


@pytest.mark.parametrize("interface", ["port", "axis"])
def test_a_stream_is_drawn_as_lines_over_pulses(opened: Open, tmp_path: Path, interface: str) -> None:
    study = api.Study(styles=("stream",), paces=("1",), orders=("0,1",), interfaces=(interface,), fusions=[[TASKS]])
    explored = api.explore(SPEC, settings={"H": 8, "W": 12}, space=api.Space(study=study, verify=False))
    write_undrawn(explored, tmp_path / "out")
    write_report(tmp_path / "out")
    page = opened(tmp_path / "out" / "report.html")
    picture = page.locator('[data-part="timeline"] svg').last
    assert "load i from pulse 0, 8 lines" in (picture.get_attribute("aria-label") or "")
    bars = picture.locator("rect").count()
    assert bars > 3 * len(TASKS)
    drawn = page.locator('[data-part="diagram"]').inner_text()
    assert "line buffers" in drawn
    assert ("AXI4-Streams" in drawn) is (interface == "axis")
    assert interface == "port" or findings(page) == []
    assert "i" in cells(page, "transfers")
