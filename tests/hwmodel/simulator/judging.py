"""Generated designs judged by the simulator: what it must agree with, and a tally of what a run met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from hypothesis import strategies as st
from many_cases import on_many
from spec_data import any_inputs
from strategies_designs import MappedSpec, mapped_specs

from arrayol.errors import ArrayolError
from dse.verify.testbench import local_memories, mismatches, run_simulation
from hwmodel.accesses import Accesses
from hwmodel.cost_model.enumerated.plan import plan_group
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.cost_model.group.access_counts import accesses_of_runs
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design, GroupDesign
from hwmodel.local_memory.addresses import Words
from hwmodel.platform import Platform
from hwmodel.simulator.group import LocalMemories
from hwmodel.simulator.schedule.plan import SimulatorError, outside_elements
from hwmodel.simulator.simulate import Simulation, reference_of, run_groups, simulate_group

FEATURES = {
    "FIFO", "layout", "cut", "recompute", "several units", "partial block", "several groups", "one group",
    "policy reuse", "policy strip", "policy whole", "policy tile", "shared port", "separate port", "rows",
    "words of bits", "words of data", "recurrence above the interval",
    "state through memory", "interval chosen", "several delays", "delay", "negative delay",
    "delay across", "tiled default", "window", "wrap", "skew", "strided", "fork", "join", "infinite dimension",
    "load rom", "load once", "load frame", "keep at a loop", "shared keep", "eager keep", "blocks of blocks",
}  # fmt: skip
LEAST_SHARE, MOST_REFUSED = 0.03, 0.30
Pick = Callable[[Sequence[tuple[int, tuple[str, str]]]], Sequence[tuple[int, tuple[str, str]]]]


@dataclass
class Tally:
    """What a run met: features of the designs that were simulated, codes of those that were refused."""

    simulated: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)

    def missing(self) -> list[str]:
        """What the run met too rarely, or too often."""
        rare = [name for name in sorted(FEATURES) if self.features[name] < LEAST_SHARE * self.simulated]
        cases = self.simulated + self.refused.total()
        return rare + (["too many refusals"] if self.refused.total() > MOST_REFUSED * cases else [])

    def lines(self) -> Iterator[str]:
        """The shares, as the long run prints them."""
        refused = ", ".join(f"{count} {code}" for code, count in self.refused.most_common())
        yield f"{self.simulated} designs simulated; refused: {refused or 'none'}"
        for feature, count in self.features.most_common():
            yield f"  {feature:30} {count / max(1, self.simulated):6.1%}"


def judge(case: MappedSpec, pick: Pick) -> None:
    """Fail unless output, steps and memories of the simulation are what specification and model say.

    Memories of `pick` are made one element smaller, one at a time, which must overflow. Raises ArrayolError for a
    design that the model refuses.
    """
    model = MachineModel(case.network, case.platform, case.loads)
    estimate = model.evaluate(case.design)
    inputs = any_inputs(case.spec, case.network.name)
    found = run_simulation(case.spec, model.accesses, case.platform, case.design, estimate, inputs)
    assert found.identical or (found.identical is None and "infinite dimension" in case.features)
    assert not list(mismatches(found, estimate))
    for run, group in zip(found.groups, case.design.groups, strict=True):
        assert run.lengths == model.step_cycles(group)
        arrays = case.network.arrays
        counters = {name for name, load in model.accesses.load.items() if load == "rom" and not arrays[name].rom_bits}
        counted = {place: count for place, count in run.accesses.items() if place[1] not in counters}
        assert counted == model_accesses(model, group)
    local = local_of(model, case.design, estimate)
    require_same_alone(case, model.accesses, found, local)
    memories = [(place, name) for place, own in enumerate(local) for name, data in own.sizes.items() if data]
    for place, name in pick(memories):
        assert rule_broken(model.accesses, case.platform, case.design, smaller(local, place, name)) == "overflow"


def model_accesses(model: MachineModel, group: GroupDesign) -> Counter[tuple[str, str, bool]]:
    """The accesses that the model prices, but for those to states; what is resident under one name."""
    plan = plan_group(model.accesses, model.platform, group)
    runs = {task: plan.processors.stages[task].work.repetition for task in group.tasks}
    own = {f"{task}.{touch.array}": touch.array for task in group.tasks for touch in model.accesses.reads[task]}
    counts: Counter[tuple[str, str, bool]] = Counter()
    for (kind, name, writes), count in accesses_of_runs(plan.group, runs, group.memory_kind).items():
        if kind in ("once", "rom"):
            counts["resident", own[name], writes] += count
        elif kind != "state":
            counts[kind, name, writes] += count
    for moved in plan.transfers:
        counts[group.memory_kind(moved.array).name, moved.array, not moved.write] += len(moved.element)
    return +counts


def require_same_alone(case: MappedSpec, accesses: Accesses, found: Simulation, local: Sequence[LocalMemories]) -> None:
    """Fail unless each group by itself, fed by the reference execution, does what it does in the whole design."""
    reference = reference_of(case.spec, accesses, any_inputs(case.spec, case.network.name))
    for group, run, own in zip(case.design.groups, found.groups, local, strict=True):
        alone = simulate_group(reference, case.platform, group, own)
        assert alone.identical is found.identical
        assert (alone.run.lengths, alone.run.peaks) == (run.lengths, run.peaks)
        for array in {name for task in group.tasks for name in case.network.processes[task].writes}:
            needed = reference.needed_outside(array, group.tasks)
            assert np.array_equal(needed, outside_elements(reference.accesses, array, set(group.tasks)))


def local_of(model: MachineModel, design: Design, estimate: DesignEstimate) -> list[LocalMemories]:
    """The local memories of each group."""
    pairs = zip(design.groups, estimate.groups, strict=True)
    return [local_memories(plan_group(model.accesses, model.platform, group), group, own) for group, own in pairs]


def words_of(accesses: Accesses, platform: Platform, group: GroupDesign) -> dict[str, Words]:
    """The words of the data of each buffer that is one bank."""
    plan = plan_group(accesses, platform, group)
    return {array: buffer.contents.words for array, buffer in plan.buffers.items()}


def smaller(local: Sequence[LocalMemories], place: int, name: tuple[str, str]) -> list[LocalMemories]:
    """The memories with one that holds one datum less."""
    own = local[place]
    less = replace(own, sizes={**own.sizes, name: own.sizes[name] - 1})
    return [less if number == place else other for number, other in enumerate(local)]


def rule_broken(accesses: Accesses, platform: Platform, design: Design, local: Sequence[LocalMemories]) -> str | None:
    """The rule at which the simulator stops a design; None where it runs through."""
    try:
        run_groups(accesses, platform, design, local)
    except SimulatorError as stopped:
        return stopped.rule
    return None


def run(
    cases: int,
    seed: int | None = None,
    report: Callable[[Tally], None] | None = None,
    designs: st.SearchStrategy[MappedSpec] | None = None,
) -> Tally:
    """Judge so many generated designs, with one smaller memory each; without a seed always the same ones.

    They are those that `designs` draws, else any. `report` is called after every hundred simulated ones.
    """
    tally = Tally()

    def one(case: MappedSpec, data: st.DataObject) -> None:
        try:
            judge(case, lambda memories: [data.draw(st.sampled_from(memories))] if memories else [])
        except SimulatorError as stopped:
            raise AssertionError(f"{stopped}\n{case.design}\n{case.text}") from stopped
        except ArrayolError as refused:
            tally.refused[refused.diagnostics[0].code] += 1
            return
        except AssertionError as failure:
            failure.add_note(f"{case.design}\n{case.platform}\n{case.text}")
            raise
        tally.simulated += 1
        tally.features.update(case.features)
        if report is not None and tally.simulated % 100 == 0:
            report(tally)

    on_many(cases, seed, one, mapped_specs() if designs is None else designs, st.data())
    return tally
