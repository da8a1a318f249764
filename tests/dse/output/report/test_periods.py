"""The report of a design of groups at the same time, in a browser: what each takes of a period, and the copies."""

from __future__ import annotations

from pathlib import Path

from chromium import findings
from explored import write_undrawn
from report_pages import Open, cells

from arrayol import api
from dse.output.folder import load_result
from dse.output.report.write import write_report

SPEC = Path(__file__).parents[3] / "hwmodel" / "stream" / "specs" / "unsharp.aol"
GROUPS = [["blur_x", "blur_y"], ["diff", "scaled", "sharpen"]]


def test_what_groups_take_of_a_period(opened: Open, tmp_path: Path) -> None:
    study = api.Study(together=True, styles=("stream",), paces=("1",), orders=("0,1",), fusions=[GROUPS])
    explored = api.explore(SPEC, settings={"H": 8, "W": 12}, space=api.Space(study=study, verify=False))
    write_undrawn(explored, tmp_path / "out")
    write_report(tmp_path / "out")
    page = opened(tmp_path / "out" / "report.html")
    shown = page.locator('[data-part="period"]').inner_text()
    periods = [design.period for design in load_result(tmp_path / "out").pareto]
    assert any(period and f"from frame to frame is {period.cycles:,} cycles" in shown for period in periods)
    assert "i 3, o 2, by 2" in shown
    assert [*cells(page, "period")] == ["1: blur_x, blur_y", "2: diff, scaled, sharpen"]
    assert findings(page) == []
