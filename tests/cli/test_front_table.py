"""What `explore` prints first: few designs with shares of the device, at most five lines, within the terminal."""

from __future__ import annotations

import re

import pytest
from explored import mapped

from arrayol.cli.front_table import Outcome, show
from dse.results.designs import Design
from dse.results.schema import DeviceRecord, Result

WORDS = ("quality", "took", "device", "left out", "report")
DEVICE = DeviceRecord(name="LFE5U-45F", capacities={"lut": 43_848, "dsp": 72}, exceeding=3, designs=26)


def wide(result: Result) -> Result:
    """The same front on a device, with the hardware of large designs."""

    def large(place: int, design: Design) -> Design:
        hardware = {"lut": 39_100 + place, "dsp": 71, "memory_blocks": 1_006, "frames_per_second": 265_957.4}
        return design.model_copy(update={"objectives": {**design.objectives, **hardware}})

    pareto = tuple(large(place, design) for place, design in enumerate(result.pareto))
    return result.model_copy(update={"pareto": pareto, "device": DEVICE, "searched": 40})


@pytest.mark.parametrize("columns", [80, 100, 140])
def test_few_lines_within_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = wide(mapped().result)
    show(result, Outcome("files", "open report.html in a browser", 12.3), verbose=False)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert len(lines) <= 40
    words = [word for line in lines if (word := line[:8].strip()) in WORDS]
    assert words == [word for word in WORDS if word != "left out" or len(result.pareto) > 8 or result.searched]
    text = " ".join(" ".join(lines).split())
    assert "3 of 26 designs need more than an LFE5U-45F; shown are designs that fit" in text
    if columns > 80:
        assert "39,100 (89%)" in text
    assert re.search(r"(memory port|compute): *\w+ \d+%", text) or columns == 80


def test_all_of_it_is_there_with_verbose(capsys: pytest.CaptureFixture[str]) -> None:
    show(mapped().result, Outcome("files", None, 700), verbose=True)
    text = capsys.readouterr().out
    assert "took     12 min" in text or "took      12 min" in text
    for word in ("decisions", "hypervolume", "space", "searched", "method", "model", "written"):
        assert f"\n{word}" in text


@pytest.mark.parametrize(
    ("bound", "exceeding", "said"),
    [
        (100, 0, "not exact: the least latency is at most 2.5% above a bound"),
        (20, 0, "not exact: the least latency is at most 5.1 times a bound"),
        (20, 3, "not exact: the least latency is at most 5.1 times a bound (bounds hold for any device)"),
        (102.5, 0, "not exact: the least latency is proven"),
        (0, 0, "not exact: how much better designs may be is not known"),
        (0, 3, "not exact: how much better designs may be is not known"),
    ],
)
def test_how_good_a_front_is_that_is_not_exact(
    bound: float, exceeding: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    base = mapped().result
    design = base.pareto[0].model_copy(update={"objectives": {**base.pareto[0].objectives, "latency_cycles": 102.5}})
    device = DeviceRecord(name="LFE5U-45F", capacities={}, exceeding=exceeding, designs=9)
    update = {"exact": False, "bounds": {"latency_cycles": bound}, "pareto": (design,), "device": device}
    result = base.model_copy(update=update)
    show(result, Outcome("files", None, 1), verbose=False)
    assert f"quality  {said};" in capsys.readouterr().out
