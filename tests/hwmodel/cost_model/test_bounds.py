"""Figures in exact integers are the model's, at any size, or the model refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from machine_oracle import Oracle, RefusedError
from many_cases import case_count
from maps_oracle import Maps, Runs
from strategies_large import LargeCase, amounts, chain_of_maps, large_cases
from strategies_machine import Case, cases

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from arrayol.ir.types import ElementType
from hwmodel.accesses import Accesses
from hwmodel.cost_model.bounds import most_of_designs, require_bounded_costs
from hwmodel.cost_model.evaluate.evaluation import fastest, price
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.numbering import LIMIT
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.design import GroupDesign
from hwmodel.platform import Platform, platform_of
from hwmodel.platform_memories import ExternalMemory, LocalMemory

FIGURES = ("latency_cycles", "frame_cycles", "internal_memory_elements", "internal_memory_bits", "memory_blocks")


@settings(max_examples=case_count(60), deadline=None)
@given(large_cases())
def test_figures_are_exact_at_any_size_or_refused(case: LargeCase) -> None:
    maps, runs = case.maps, case.runs
    try:
        model = MachineModel(case.network, maps.platform)
    except ArrayolError as refused:
        _require_code(refused, "figure-too-large")
        assert _largest(maps, sum(count * size for count, size in runs)) * 2**10 > LIMIT, "refused without need"
        event("refused")
        return
    event("priced")
    event(f"latency of {maps.latency_cycles(runs).bit_length() // 10 * 10} bits")
    found = model.estimate(case.design)
    expected = {name: getattr(maps, name)(runs) for name in (*FIGURES, "traffic_bytes")}
    assert {name: found.additive.get(name, getattr(found, name, None)) for name in expected} == expected
    _in_bulk(model, case, {name: value for name, value in expected.items() if value is not None})


def _require_code(refused: ArrayolError, code: str) -> None:
    assert [told.code for told in refused.diagnostics] == [code]


def _largest(maps: Maps, elements: int) -> int:
    """The largest figure of designs with blocks of one repetition, or a block that is all, and of one unit a task."""
    alone = Maps(maps.platform, (1,) * len(maps.units), maps.bits)
    ends: list[Runs] = [[(elements, 1)], [(1, elements)]]
    return max(getattr(alone, name)(runs) for runs in ends for name in ("latency_cycles", "internal_memory_bits"))


def _in_bulk(model: MachineModel, case: LargeCase, expected: dict[str, int]) -> None:
    tasks, blocks = case.design.tasks, case.design.blocks
    batch = model.batch(tasks)
    assert batch is not None
    shapes = np.array([blocks.shape, model.accesses.extents(tasks[-1])], np.int64)
    try:
        require_bounded_costs(model.accesses, model.platform, max(case.maps.units))
    except ArrayolError:
        event("cost refused")
        return
    priced = price(batch.tables(blocks.scan, shapes), np.array([case.maps.units], np.int64))
    expected = {**expected, "units": sum(case.maps.units), "lut": case.maps.cost()}
    assert {name: int(priced.objective(name)[0, 0]) for name in expected} == expected
    fast = fastest(batch.tables(blocks.scan, shapes), [sorted({1, *case.maps.units})] * len(tasks))
    fewest = replace(case.maps, units=tuple(fast.combinations[0, 0].tolist()))
    assert int(fast.latency_cycles[0, 0]) == fewest.latency_cycles(case.runs)
    assert fewest.latency_cycles(case.runs) <= expected["latency_cycles"]


@settings(max_examples=case_count(50), deadline=None)
@given(cases(), st.data())
def test_latencies_of_any_size_are_exact_or_refused(case: Case, data: st.DataObject) -> None:
    """By both evaluators, with cuts and recomputing; `amounts` beyond what a platform's file may hold."""
    enormous = amounts(1 << 64, least=data.draw(st.sampled_from((0, 1 << 50))))
    memory = case.platform.memory.model_copy(update={"latency": data.draw(enormous)})
    elementary = {
        name: entry.model_copy(
            update={
                "latency": data.draw(enormous),
                "measured": tuple(one.model_copy(update={"latency": data.draw(enormous)}) for one in entry.measured),
            }
        )
        for name, entry in case.platform.elementary.items()
    }
    platform = case.platform.model_copy(update={"memory": memory, "elementary": elementary})
    design = GroupDesign(
        case.design.processors, case.design.blocks, policy=case.design.policy, recompute=case.design.recompute
    )
    try:
        model = MachineModel(case.network, platform)
        found = model.estimate(design)
        exact = model.estimate_enumerated(design)
    except ArrayolError as refused:
        event(refused.diagnostics[0].code)
        return
    try:
        expected = Oracle(case.network, platform, design).outcome()
    except RefusedError as refused:
        pytest.fail(f"{refused} is not refused")
    event(f"priced {found.evaluator}, latency of {found.latency_cycles.bit_length() // 20 * 20} bits")
    assert found.latency_cycles == exact.latency_cycles == sum(expected.lengths)
    assert found.frame_cycles == exact.frame_cycles == expected.frame_cycles
    assert found.ends == exact.ends == expected.ends


@settings(max_examples=case_count(50), deadline=None)
@given(cases())
def test_no_plain_design_has_more_than_the_bound(case: Case) -> None:
    model = MachineModel(case.network, case.platform)
    most = {figure: sum(shares.values()) for figure, shares in most_of_designs(model.accesses, model.platform).items()}
    design = GroupDesign(case.design.processors, case.design.blocks, policy=case.design.policy)
    try:
        found = model.estimate(design)
    except ArrayolError:
        return
    event("priced")
    assert max(found.latency_cycles, found.frame_cycles) <= most["latency"]
    assert found.internal_memory_bits + (found.memory_blocks or 0) <= most["internal memory"]
    assert found.additive["traffic_bytes"] <= most["traffic"]
    assert found.additive["port_bytes"] <= most["traffic of the port"]


@pytest.mark.parametrize("path", sorted(shipped_folder().glob("*.aol")), ids=lambda path: path.stem)
def test_shipped_specifications_could_be_much_larger(path) -> None:
    spec = load_checked(path, {})
    try:
        network = flatten(spec, choose_top(spec, None))
    except ArrayolError as several:
        pytest.skip(several.diagnostics[0].code)
    platform = platform_of(spec, None)[0]
    boxes = platform.model_copy(update={"memory": ExternalMemory(latency=30, word_bits=128)})
    # Each run may take as long as the longest of its step, so what is said of runs grows with the square of the data.
    for taken, times in ((boxes, 10**7), (platform, 10**3)):
        most = most_of_designs(Accesses(network), taken)
        assert max(sum(shares.values()) for shares in most.values()) * times < LIMIT


PLAIN = Platform(assume_datapaths=True, memory=ExternalMemory(latency=30, data_per_word=4), local=LocalMemory())


@pytest.mark.parametrize(("side", "cycles"), [(65536, "2.39 x 10^21"), (32768, "1.49 x 10^20")])
def test_what_could_leave_64_bits_is_refused(side: int, cycles: str) -> None:
    with pytest.raises(ArrayolError) as refused:
        MachineModel(chain_of_maps((side,) * 4, [ElementType.U8] * 2), PLAIN)
    (told,) = refused.value.diagnostics
    assert told.code == "figure-too-large"
    assert told.message == (
        f"the latency of designs of 'maps' may reach {cycles} cycles, most of it by array 'a0'; the machine model is "
        "exact below 2^62, 4.61 x 10^18"
    )
    assert told.hint == "make arrays and repetitions smaller, as by --set, or the platform's latencies and intervals"


def test_intervals_of_more_than_32_bits_are_refused() -> None:
    path = shipped_folder() / "lpsf.aol"
    spec = load_checked(path, {"H": 24, "W": 16})
    network = flatten(spec, choose_top(spec, None))
    slow = PLAIN.model_copy(
        update={"elementary": {"smooth": ElementaryEntry().model_copy(update={"initiation_interval": 3 * 10**9})}}
    )
    with pytest.raises(ArrayolError) as refused:
        MachineModel(network, slow)
    (told,) = refused.value.diagnostics
    assert told.code == "figure-too-large"
    assert told.message == (
        "a repetition of 'hflr' may start every 1.20 x 10^10 cycles; the machine model is exact below 2^32, 4.29 x 10^9"
    )
