"""Designs of larger intervals in results, tables and folders, and opened again."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import pytest
from explored import folded, folded_in, write_undrawn

from arrayol import api
from dse.output.folder import load_result
from dse.output.writing import designs_csv
from dse.results.designs import Design, ProcessorRecord
from dse.results.pick import parse_rule, pick


def processors() -> list[tuple[Design, ProcessorRecord]]:
    return [(design, processor) for design in folded().result.pareto for processor in design.processors.values()]


def test_intervals_trade_operators_for_time() -> None:
    least = {task: min(intervals) for task, intervals in (folded().result.space.intervals or {}).items()}
    assert set(least.values()) == {1}
    assert {processor.interval for _, processor in processors()} > {1}
    assert all(processor.units == 1 or processor.interval == 1 for _, processor in processors())
    assert {processor.units for _, processor in processors()} == {1, 2}
    assert folded().result.pareto[0].objectives["lut"] > 5 * folded().result.pareto[-1].objectives["lut"]
    assert all(design.verified for design in folded().result.pareto)


def test_a_design_costs_what_its_units_cost() -> None:
    paths = {(path.task, path.interval): path for path in folded().result.datapaths}
    assert set(paths) == {(processor.task, processor.occupancy) for _, processor in processors()}
    for path in paths.values():
        assert set(path.origins.values()) == {"derived"}
    for design in folded().result.pareto:
        for name in ("lut", "ff"):
            units = [paths[one.task, one.occupancy or 0].cost[name] * one.units for one in design.processors.values()]
            memories = design.memory_costs.get(name, 0)
            assert math.isclose(design.objectives[name], sum(units) + memories)
            assert list(design.costs[name].values()) == [*units, *([memories] if memories else [])]


def test_energy_by_part() -> None:
    assert folded().result.technology == "ecp5-6"
    assert "energy_nj" in folded().result.estimates
    assert "lut" not in folded().result.estimates
    assert folded().result.estimate_text("energy_nj") == "estimate, ecp5-6"
    for design in folded().result.pareto:
        assert design.energy_pj is not None
        assert list(design.energy_pj) == ["operators", "registers", "local memory", "external memory", "leakage"]
        assert all(amount > 0 for amount in design.energy_pj.values())


def test_rates_as_text() -> None:
    for design, processor in processors():
        text = folded().result.rate_text(design, processor)
        assert text == (f"{processor.units}@{processor.interval}" if processor.interval != 1 else f"{processor.units}")


def test_the_table_has_a_column_for_each_interval() -> None:
    rows = list(csv.DictReader(io.StringIO(designs_csv(folded().result))))
    for row, design in zip(rows, folded().result.pareto, strict=True):
        for task, processor in design.processors.items():
            assert row[f"interval[{task}]"] == str(processor.interval)


def test_a_design_is_picked_by_what_folding_saves() -> None:
    bound = folded().result.pareto[-2].objectives["lut"]
    picked = pick(folded().result, parse_rule(f"lut <= {bound}")).design
    assert picked.id == folded().result.pareto[-2].id


def test_designs_of_larger_intervals_are_opened_and_simulated(tmp_path: Path) -> None:
    exploration = folded_in(tmp_path)
    write_undrawn(exploration, tmp_path / "out")
    assert load_result(tmp_path / "out") == exploration.result
    spec = api.load(tmp_path / "lpsf.aol", {"H": 4, "W": 8})
    for design in (exploration.result.pareto[-1], exploration.result.pareto[len(folded().result.pareto) // 2]):
        opened = api.open_design(spec, tmp_path / "out", design.id)
        assert opened.design == design.decisions
        simulated = opened.simulate(None)
        assert simulated.mismatches == ()
        assert simulated.simulation.cycles == design.objectives["latency_cycles"]


def test_datapaths_that_an_option_let_be_assumed(tmp_path: Path) -> None:
    """The platform's file does not say so; the result's datapaths do."""
    folded_in(tmp_path)
    (tmp_path / "lpsf.toml").write_text("[memory]\nlatency = 3\ndata_per_word = 2\n", encoding="utf-8")
    spec = api.load(tmp_path / "lpsf.aol", {"H": 4, "W": 8})
    with pytest.raises(api.ArrayolError, match="has no datapath"):
        api.explore(spec, space=api.Space(narrow=True))
    found = api.explore(spec, space=api.Space(narrow=True, assume_datapaths=True))
    assert {path.origins["interval"] for path in found.result.datapaths} == {"assumed"}
    assert (found.result.technology, found.result.estimates) == (None, ())
    write_undrawn(found, tmp_path / "out")
    opened = api.open_design(spec, tmp_path / "out", found.result.pareto[0].id)
    assert opened.platform.assume_datapaths
    assert api.write_report(tmp_path / "out").remarks == ()
