"""A simulation that disagrees with the model is an error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from explored import write_undrawn

from arrayol import api
from arrayol.errors import ArrayolError
from dse.output import open_design
from dse.output.open_design import Simulated
from hwmodel.simulator.room import BASE, EACH_PLACE


def test_agreement_is_required(simulated: Simulated) -> None:
    simulated.require_agreement()
    group = replace(simulated.estimate.groups[0], latency_cycles=1)
    wrong = replace(simulated.estimate, groups=(group, simulated.estimate.groups[1]))
    with pytest.raises(ArrayolError) as caught:
        Simulated(simulated.simulation, wrong).require_agreement()
    (found,) = caught.value.diagnostics
    cycles = f"{simulated.simulation.cycles:,} cycles, where the model says {wrong.latency_cycles:,}"
    assert (found.code, found.message) == (
        "verification-failed",
        f"simulation and model do not agree: it takes {cycles}",
    )
    differs = replace(simulated.simulation, identical=False)
    assert Simulated(differs, simulated.estimate).mismatches == ("its output differs from the reference execution's",)


TABLE = """const H = 480
const W = 640
const T: u8[4096] = [u8(k // 16) for k in 0..4096]
elementary look(x: u12) -> (y: u8) { y = T[x] }
task top(x: u12[H, W]) -> (y: u8[H, W]) { repeat [H, W] of look { x <- x  y -> y } }
"""


def test_what_takes_too_much_memory_is_refused_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table counts once, each pixel once read and once written; the hint has a size that fits."""
    spec = tmp_path / "table.aol"
    spec.write_text(TABLE, encoding="utf-8")
    found = api.explore(spec, space=api.Space(narrow=True, verify=False))
    write_undrawn(found, tmp_path / "out")
    opened = api.open_design(spec, tmp_path / "out", found.result.pareto[0].id)
    needed = BASE + EACH_PLACE * (4096 + 2 * 480 * 640)
    monkeypatch.setattr(open_design, "available_bytes", lambda: needed - 1)
    with pytest.raises(ArrayolError) as caught:
        opened.simulate(None)
    assert str(caught.value) == (
        "error[too-much-memory]: simulating 'top' would take about 171 MiB of memory, and 170 MiB are available\n"
        "  hint: explore it at a smaller size, as --set H=240 --set W=320, which takes about 139 MiB; or free memory"
    )
    monkeypatch.setattr(open_design, "available_bytes", lambda: 1)
    with pytest.raises(ArrayolError, match="explore it at a smaller size; or free memory"):
        opened.simulate(None)
