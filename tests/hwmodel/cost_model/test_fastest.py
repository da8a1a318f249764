"""The one combination of units of a structure that a front needs, beside all of them by enumeration."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from numpy.typing import NDArray
from opened_batch import opened_batch
from strategies_machine import Case, bank_layouts, cases, groups, offered_rates, platforms
from strategies_networks import networks

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.counted.axes.fetches import StructureKeeps
from hwmodel.cost_model.enumerated.plan import plan_group
from hwmodel.cost_model.estimate import OBJECTIVES
from hwmodel.cost_model.evaluate.evaluation import fastest, price
from hwmodel.cost_model.evaluate.fastest import count_combinations
from hwmodel.cost_model.metrics import (
    MEMORY,
    TIMES,
    TRAFFIC,
    Metrics,
    units_are_free,
)
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.tables.steps import Offered
from hwmodel.design import POLICIES, Blocks, GroupDesign, Processor, Scan, interval_of, parse_keep, rate_of, units_of
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory

OFFERED = st.sampled_from(((1, 2, 3, 4), (1, 2, 3), (1, 4), (1, 2, 6), (2, 3, 5), (2, 4), (3,)))
NAMED = st.sampled_from((TIMES[:1], TIMES[:1], TIMES[1:], TIMES, ()))


@dataclass(frozen=True)
class All:
    """A structure under all combinations of offered rates (U, tasks), those that are legal."""

    rates: NDArray[np.int64]
    names: tuple[str, ...]
    times: NDArray[np.int64]  # (U, named times)
    figures: dict[str, NDArray[np.int64]]

    @staticmethod
    def of(
        model: MachineModel, structure: GroupDesign, offered: Sequence[Sequence[int]], times: Collection[str]
    ) -> All:
        """By enumeration. Raises ArrayolError for what is refused whatever the units."""
        every = np.array(list(product(*offered)), np.int64)
        priced = price(model.enumerated(structure), every)
        legal = priced.legal[0]
        figures = {name: priced.objective(name)[0][legal] for name in _names(priced)}
        return All(
            every[legal],
            tuple(times),
            np.array([figures[name] for name in times]).reshape(len(times), legal.sum()).T,
            figures,
        )

    def only(self, chosen: NDArray[np.bool_]) -> All:
        """Some of them."""
        figures = {name: values[chosen] for name, values in self.figures.items()}
        return All(self.rates[chosen], self.names, self.times[chosen], figures)


def _names(priced: Metrics) -> list[str]:
    return [
        *priced.costs,
        *(name for name in OBJECTIVES if name != "memory_blocks" or priced.memory_blocks is not None),
    ]


@settings(max_examples=case_count(250), deadline=None, phases=[Phase.generate, Phase.shrink])
@given(st.data())
def test_in_batches_the_fewest_units_of_the_fastest(data: st.DataObject) -> None:
    network = data.draw(networks(separable=data.draw(st.integers(0, 3)) > 0))
    tasks = data.draw(groups(network))
    model = MachineModel(network, data.draw(platforms(plain=data.draw(st.integers(0, 3)) > 0)))
    offered = data.draw(offered_rates(model.platform, network, tasks, data.draw(OFFERED)))
    times = data.draw(NAMED)
    recompute = len(tasks) > 1 and data.draw(st.integers(0, 3)) == 0
    batch = opened_batch(model, tasks, recompute=recompute)
    if batch is None:
        return
    last = batch.counts.parts.group.last
    extents = model.accesses.extents(last)
    scan = data.draw(st.sampled_from(model.legal_scans(last, extents)))
    shapes = data.draw(st.lists(st.tuples(*(st.integers(1, extent) for extent in extents)), max_size=3))
    shapes = [extents, *(shape for shape in shapes if scan in model.legal_scans(last, shape))]
    policy, layouts = data.draw(st.sampled_from(POLICIES)), data.draw(bank_layouts(network, tasks))
    batch = batch.with_layouts(layouts)
    loaded = len(batch.counts.parts.group.loaded)
    keeps = StructureKeeps.alike([parse_keep(policy, len(extents))] * loaded, len(shapes))
    found = fastest(
        batch.tables(scan, np.array(shapes, np.int64).reshape(len(shapes), -1), keeps), offered, times=times
    )
    legal = 0
    for number, shape in enumerate(shapes):
        processors = tuple(Processor(task) for task in tasks)
        structure = GroupDesign(
            processors, Blocks(tuple(shape), scan), layouts=layouts, policy=policy, recompute=recompute
        )
        every = All.of(model, structure, offered, times)
        legal += len(every.rates)
        assert found.legal[number].any() == (len(every.rates) > 0)
        if len(every.rates):
            event(f"combinations: {min(int(found.legal[number].sum()), 4)}")
            _require_each_best(model, structure, every, found, number)
    event(f"times: {', '.join(times)}")
    event(f"products: {bool(batch.structures(scan, np.array(shapes).reshape(len(shapes), -1), keeps).holds.all())}")
    event(f"left out: {found.left_out > 0}")
    assert found.left_out == legal - int(found.legal.sum())


def _figures(priced: Metrics, structure: int, combination: int) -> dict[str, float]:
    return {name: priced.objective(name)[structure, combination].item() for name in _names(priced)}


def _require_best(every: All, rates: NDArray[np.int64], figures: dict[str, float]) -> None:
    """Of all combinations none has less of any time; of those with as little these units are the fewest."""
    fast = np.flatnonzero((every.times == every.times.min(axis=0)).all(axis=1))
    number = units_of(every.rates[fast]).sum(axis=1)
    best = int(fast[number.argmin()])
    assert int((number == number.min()).sum()) == 1
    assert rates.tolist() == every.rates[best].tolist()
    assert figures == {name: values[best] for name, values in every.figures.items()}


@settings(max_examples=case_count(250), deadline=None)
@given(cases(), OFFERED, NAMED, st.booleans(), st.data())
def test_one_by_one_whatever_the_options(
    case: Case, units: tuple[int, ...], times: tuple[str, ...], whole: bool, data: st.DataObject
) -> None:
    model = MachineModel(case.network, case.platform)
    tasks = case.design.tasks
    offered = data.draw(offered_rates(case.platform, case.network, tasks, units if len(tasks) < 4 else units[:2]))
    if whole:  # room for many units
        last = case.design.tasks[-1]
        shape = model.accesses.extents(last)
        scan = model.legal_scans(last, shape)[0]
        case = replace(case, design=replace(case.design, schedule=Blocks(shape, scan), keeps=()))
    try:
        every = All.of(model, case.design, offered, times)
    except ArrayolError as refused:
        event(f"refused: {refused.diagnostics[0].code}")
        why = str(refused)
        with pytest.raises(ArrayolError, match=re.escape(why)):
            model.fastest(case.design, offered, times=times)
        return
    found = model.fastest(case.design, offered, times=times)
    assert found.left_out == len(every.rates) - int(found.legal.sum())
    if not len(every.rates):
        event("none legal")
        assert found.legal.tolist() == [[False]]
        return
    event(f"combinations: {min(found.legal.size, 4)}")
    _require_each_best(model, case.design, every, found, 0)


@pytest.mark.parametrize("fifos", [{"sxx"}, {"sxy", "syy"}])
@pytest.mark.parametrize("times", [TIMES[:1], TIMES, ()])
def test_beside_a_pipeline_the_others_have_the_fewest(fifos: set[str], times: tuple[str, ...]) -> None:
    model = _harris()
    tasks = tuple(Processor(task) for task in ("boxsum@sxx", "boxsum@sxy", "boxsum@syy", "response"))
    design = GroupDesign(tasks, Blocks((2, 8), Scan((0, 1), (False, False))), frozenset(fifos))
    offered = [(1, 2, 3, 5)] * len(design.tasks)
    every = All.of(model, design, offered, times)
    found = model.fastest(design, offered, times=times)
    assert found.left_out + found.legal.size == len(every.rates) == 4**4
    assert found.legal.size == 4 ** (1 + len(fifos))
    alone = found.combinations[0][:, [task.task[-3:] not in fifos | {"nse"} for task in tasks]]
    assert len(set(map(tuple, alone.tolist()))) > 1 or not times
    _require_each_best(model, design, every, found, 0)


def test_none_is_legal_where_one_task_has_no_choice() -> None:
    model = _harris()
    batch = model.batch(("boxsum@sxx", "response"))
    assert batch is not None
    # The response to one pixel needs nine products, and to several as many responses as pixels.
    shapes, units = np.array([[1, 1], [1, 2], [2, 4]]), np.array(list(product((2, 4), repeat=2)))
    scan = Scan((0, 1), (False, False))
    found, every = fastest(batch.tables(scan, shapes), [(2, 4)] * 2), price(batch.tables(scan, shapes), units)
    assert every.legal.sum(axis=1).tolist() == [0, 1, 4]
    assert found.legal.ravel().tolist() == [False, True, True]
    assert found.left_out == 3


def test_in_small_parts_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = _some_figures()
    monkeypatch.setattr("hwmodel.cost_model.evaluate.times._CELLS", 1)
    assert _some_figures() == at_once


def _some_figures() -> list[list[int]]:
    """Of many structures in batches, and of one with a FIFO under many combinations."""
    model = _harris()
    batch = model.batch(tuple(model.network.processes))
    assert batch is not None
    scan, shapes = Scan((0, 1), (False, False)), np.array(list(product((1, 2, 3, 6), (1, 2, 4, 8))))
    processors = tuple(Processor(task) for task in ("boxsum@sxx", "boxsum@sxy", "boxsum@syy", "response"))
    opened = GroupDesign(processors, Blocks((2, 8), scan), frozenset({"sxx"}))
    found = (
        fastest(batch.tables(scan, shapes), [(1, 2, 3)] * len(batch.tasks), times=TIMES),
        model.fastest(opened, [(1, 2, 3)] * 4, times=TIMES),
    )
    return [
        *(one.objective(name).ravel().tolist() for one in found for name in TIMES),
        *(one.combinations.ravel().tolist() for one in found),
    ]


def _harris() -> MachineModel:
    path = shipped_folder() / "harris.aol"
    spec = load_checked(path, {"H": 6, "W": 8})
    platform = Platform(
        assume_datapaths=True, memory=ExternalMemory(latency=3, data_per_word=8)
    )  # processors end many steps
    return MachineModel(flatten(spec, choose_top(spec, None)), platform)


def _require_each_best(model: MachineModel, design: GroupDesign, every: All, found: Metrics, structure: int) -> None:
    """Each is the best of its kind, of which no other combination is found, and nothing beats all of them.

    Of a kind are combinations in which scheduled tasks have the same rates and the others the same intervals and fills.
    """
    chosen = np.flatnonzero(found.legal[structure])
    rates = found.combinations[structure if len(found.combinations) > 1 else 0][chosen]
    kinds, own = (_kinds(model, design, table) for table in (every.rates, rates))
    assert len({tuple(kind) for kind in own.tolist()}) == len(chosen)
    for kind, row, column in zip(own, rates, chosen.tolist(), strict=True):
        alike = every.only((kinds == kind).all(axis=1))
        _require_best(alike, row, _figures(found, structure, column))
    best = np.array([[found.objective(name)[structure, column] for name in every.names] for column in chosen])
    assert all((best <= times).all(axis=1).any() for times in every.times) if every.times.shape[1] else len(best)


def _kinds(model: MachineModel, design: GroupDesign, rates: NDArray[np.int64]) -> NDArray[np.int64]:
    processors = plan_group(model.accesses, model.platform, design).processors
    kinds = rates.copy()
    for pipeline in processors.pipelines:
        column = design.tasks.index(pipeline[0])
        for row, rate in enumerate(rates[:, column].tolist()):
            if processors.has_formula(pipeline):
                kinds[row, column] = rate_of(processors.paths.fill(pipeline[0], rate), interval_of(rate))
    return kinds


def test_counts_are_exact_beyond_64_bits() -> None:
    assert count_combinations(np.array([[4] * 40, [4] * 40, [0, *[9] * 39]])) == 2 * 4**40
    assert count_combinations(np.zeros((3, 0), np.int64)) == 3


def test_what_never_runs_takes_any_units() -> None:
    rates = (2, 3, 6, rate_of(1, 4), rate_of(9, 4))
    suiting = Offered.of(rates).suiting(np.array([0, 1, 3, 2, 6, 9]))
    assert suiting.tolist() == [[3, 2], [0, 1], [2, 1], [1, 1], [3, 1], [3, 2]]


@pytest.mark.parametrize("offered", [[], [0, 1], [2, 1], [1, 1]])
def test_offered_rates_ascend(offered: list[int]) -> None:
    with pytest.raises(ValueError, match="ascending"):
        Offered.of(offered)


def test_units_are_free_unless_they_are_counted() -> None:
    assert units_are_free((*TIMES, *MEMORY, *TRAFFIC), built=False)
    assert units_are_free((*TIMES, *TRAFFIC), built=True)
    assert not any(units_are_free((*TIMES, name), built=True) for name in MEMORY)
    assert not units_are_free(("latency_cycles", "units"), built=False)
    assert not units_are_free(("lut",), built=False)
    assert set(OBJECTIVES) == {*TIMES, *MEMORY, "units"}
