"""Results that were once refused are opened again; `everything_reopened.py` beside tries generated ones."""

from __future__ import annotations

from pathlib import Path

from explored import write_undrawn

from arrayol import api
from arrayol.files import shipped_folder
from dse.output.folder import load_result

ANTI = """elementary acc(x: i64, up: i64) -> (y: i64) { y = x + up }
task anti(src: i64[4, 6]) -> (dst: i64[4, 6]) {
  repeat [4, 6] of acc {
    x  <- src
    up <- y delay [1, -1] else 7
    y  -> dst
  }
}
"""
ASIC = """clock_mhz = 100
technology = "asic45"
[memory]
latency = 30
word_bits = 128
"""


def test_words_between_live_states_are_no_mistake(tmp_path: Path) -> None:
    spec = tmp_path / "anti.aol"
    spec.write_text(ANTI, encoding="utf-8")
    found = api.explore(spec, space=api.Space(narrow=True, verify=False))
    write_undrawn(found, tmp_path / "out")
    states = [one for design in found.result.pareto for one in design.mappings[0].memories if one.kind == "state"]
    assert any(one.addressed > one.live for one in states)
    assert load_result(tmp_path / "out") == found.result


def test_areas_of_memories_are_in_the_areas_of_designs_to_the_last_digit(tmp_path: Path) -> None:
    spec, platform = tmp_path / "conv3x3.aol", tmp_path / "asic.toml"
    spec.write_bytes((shipped_folder() / "conv3x3.aol").read_bytes())
    platform.write_text(ASIC, encoding="utf-8")
    space = api.Space(narrow=True, verify=False)
    found = api.explore(
        api.load(spec, {"H": 12, "W": 16}), platform, objectives=("area", "latency_cycles"), space=space
    )
    write_undrawn(found, tmp_path / "out")
    assert load_result(tmp_path / "out") == found.result
    for design in found.result.pareto:
        parts = [processor.costs["area"] for processor in design.processors.values() if processor.costs]
        assert round(1000 * (sum(parts) + design.memory_costs["area"])) == 1000 * design.objectives["area"]
    assert any(design.memory_costs["area"] % 1 for design in found.result.pareto)
