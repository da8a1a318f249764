"""What the simulator catches: mistakes put into the model, into the simulator's own plan, and into sizes and scans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import mutants
import pytest
from judging import local_of, rule_broken, smaller
from mutants import changed
from shipped import SMALL, any_input

from arrayol.checks.check import load_checked
from arrayol.ir.network import Network, flatten
from arrayol.ir.spec import Spec
from dse.verify.testbench import mismatches, run_simulation
from hwmodel.cost_model.model import MachineModel
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.design import BankLayout, Blocks, Design, GroupDesign, Processor, Scan
from hwmodel.platform import Platform, load_platform
from hwmodel.simulator.group import LocalMemories
from hwmodel.simulator.schedule.plan import SimulatorError


@dataclass(frozen=True)
class SmallLpsf:
    """A small LPSF on its platform, banks of which take three cycles for an access."""

    spec: Spec
    network: Network
    platform: Platform

    def judge(self, design: Design, platform: Platform | None = None) -> str | None:
        """What the simulator objects to: a rule that stops it, or the first disagreement with the model; else None."""
        model = MachineModel(self.network, platform or self.platform)
        estimate = model.evaluate(design)
        inputs = {
            port.name: any_input(port, 1) for port in self.spec.given_inputs(self.spec.components[self.network.name])
        }
        try:
            found = run_simulation(self.spec, model.accesses, self.platform, design, estimate, inputs)
        except SimulatorError as stopped:
            return stopped.rule
        return next(mismatches(found, estimate), None)


@pytest.fixture(scope="module")
def small(checkout: Path) -> SmallLpsf:
    spec = load_checked(checkout / "specs" / "lpsf.aol", SMALL["lpsf"])
    platform = load_platform(checkout / "specs" / "lpsf.toml")
    slow = platform.model_copy(update={"local": platform.local.model_copy(update={"access_cycles": 3})})
    return SmallLpsf(spec, flatten(spec, "lpsf"), slow)


DOWN = Scan((0, 1), (False, False))


def group(*tasks: str, scan: Scan = DOWN, shape: tuple[int, int] = (4, 2)) -> GroupDesign:
    return GroupDesign(tuple(Processor(task) for task in tasks), Blocks(shape, scan))


@pytest.fixture(scope="module")
def design(small: SmallLpsf) -> Design:
    """Two groups with windows in time between them, and a layout with conflicts."""
    first = replace(group("hflr", "vftd"), layouts=(BankLayout("p0", 1, (1, 1)),))
    upwards = MachineModel(small.network, small.platform).legal_scans("vfbu", (4, 2))[0]
    return Design((first, group("hfrl", "vfbu", scan=upwards)))


SMALLER = "return int(np.cumsum(change).max())"
OPEN = "return self._live(*open_intervals(chains, stage.step))"
BANKS = "while not all(accesses.are_served(rounds) for accesses in own):"
MODEL = {  # the module, a line of it, and what stands there instead
    "every memory one too small": ("group.moves", SMALLER, f"{SMALLER} - 1"),
    "loads a step too late": (
        "group.ticks",
        "for reader in group.readers(name)) - 1",
        "for reader in group.readers(name))",
    ),
    "tasks a step too late": ("group.ticks", "(0 if array in fifos else 1)", "0"),
    "a delay state too small": ("enumerated.plan_tables", OPEN, f"{OPEN} - 1"),
    "a port used twice": (
        "memory_port.port",
        'shared, numbers = channel.port == "shared", ',
        "shared, numbers = False, ",
    ),
    "bank conflicts ignored": ("issue.occupancy", BANKS, "while False:"),
    "levels that do not wait": ("issue.issue", "np.maximum(rounds, waits[step])", "rounds"),
    "latency forgotten": ("memory_port.requests", "first = latency + self.passing", "first = self.passing"),
    "states always in registers": (
        "issue.datapaths",
        "for in_register in (True, False)",
        "for in_register in (True, True)",
    ),
    "a datapath without latency": (
        "issue.processors",
        "rounds * path.interval + path.latency",
        "rounds * path.interval",
    ),
}


@pytest.mark.parametrize("mistake", MODEL)
def test_mistakes_of_the_model(mistake: str, small: SmallLpsf, design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    assert small.judge(design) is None
    monkeypatch.setattr(mutants, "PACKAGE", "hwmodel.cost_model")
    monkeypatch.setattr(MachineModel, "estimate", MachineModel.estimate_enumerated)
    with changed(*MODEL[mistake]):
        objection = small.judge(design)
    assert objection is not None
    expected = {"every memory one too small": "overflow", "a delay state too small": "overflow"}.get(mistake, objection)
    assert objection == expected
    assert small.judge(design) is None


def test_units_do_not_cross_the_ends_of_lines(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that deals repetitions to units, whatever line they are on, is found out: 9 on lines of 3, 2 units."""
    spec = load_checked(checkout / "specs" / "conv3x3.aol", SMALL["conv3x3"])
    network, platform = flatten(spec, "conv3x3"), load_platform(checkout / "specs" / "conv3x3.toml")
    first, second = network.processes
    small = SmallLpsf(spec, network, platform)
    image = next(
        name for name in network.processes[first].reads if len(network.arrays[name].shape) == 2 and "image" in name
    )
    slow = replace(group(first, shape=(3, 3)), layouts=(BankLayout(image, 1, (1, 1)),))
    design = Design((replace(slow, processors=(Processor(first, 2),)), group(second)))
    assert small.judge(design) is None
    monkeypatch.setattr(mutants, "PACKAGE", "hwmodel.cost_model")
    monkeypatch.setattr(MachineModel, "estimate", MachineModel.estimate_enumerated)
    crossing = "return -(-np.bincount(number, length).astype(np.int64) // units)"
    with changed("issue.issue", "return rounds", crossing):
        assert small.judge(design) is not None


STORED = "plan.ticks.own[plan.ticks.block[tick[chosen]]]"
LAST_USE = "np.maximum.at(last, data, (own.greatest(ticks) + stage[place[0]])[:, None])\n    stored"
PLAN = {
    "a task in the step of its reader": ("schedule.moves", "(0 if array in plan.design.fifos else 1)", "0"),
    "loads in the step of their reader": (
        "schedule.moves",
        "for place, *_ in readers) - 1",
        "for place, *_ in readers)",
    ),
    "stores in the step of their making": ("schedule.moves", f"{STORED} + 1", STORED),
    "slots given back too early": ("schedule.moves", LAST_USE, "assert len(last)\n    stored"),
}


@pytest.mark.parametrize("mistake", PLAN)
def test_mistakes_of_a_plan_stop_the_machine(
    mistake: str, small: SmallLpsf, design: Design, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutants, "PACKAGE", "hwmodel.simulator")
    with changed(*PLAN[mistake]):
        early = mistake.endswith(("in the step of their reader", "in the step of its reader"))
        assert small.judge(design) == ("address" if early else "read-before-write")  # none has a word in such a step


def every_memory(local: list[LocalMemories]) -> Iterator[tuple[int, tuple[str, str]]]:
    return ((place, name) for place, own in enumerate(local) for name in own.sizes)


def test_every_memory_one_element_smaller_overflows(small: SmallLpsf, design: Design) -> None:
    model = MachineModel(small.network, small.platform)
    local = local_of(model, design, model.evaluate(design))
    assert len(list(every_memory(local))) >= 9
    for place, name in every_memory(local):
        assert rule_broken(model.accesses, small.platform, design, smaller(local, place, name)) == "overflow"


def test_a_scan_against_a_delay(small: SmallLpsf, design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan is refused; without that check a delay reads what no earlier step has made."""
    model = MachineModel(small.network, small.platform)
    local = local_of(model, design, model.evaluate(design))
    found = set()
    for down in ((True, False), (False, True), (True, True)):
        first = replace(design.groups[0], schedule=Blocks((4, 2), Scan((0, 1), down)))
        wrong = Design((first, design.groups[1]))
        found.add(rule_broken(model.accesses, small.platform, wrong, local))
        if found >= {"plan"}:
            monkeypatch.setattr("hwmodel.simulator.schedule.plan._Planner._require_legal", lambda *_: None)
            assert rule_broken(model.accesses, small.platform, wrong, local) == "read-before-write"
            return
    raise AssertionError(f"no scan was refused: {found}")


def test_another_scan_than_the_models(small: SmallLpsf, design: Design) -> None:
    """Legal, but not the one that was priced: its buffers or cycles are others."""
    model = MachineModel(small.network, small.platform)
    local = local_of(model, design, model.evaluate(design))
    scans = model.legal_scans("vftd", (4, 2))
    others = [scan for scan in scans if scan.dimensions != design.groups[0].blocks.scan.dimensions]
    assert others
    for scan in others:
        other = Design((replace(design.groups[0], schedule=Blocks((4, 2), scan)), design.groups[1]))
        assert rule_broken(model.accesses, small.platform, other, local) == "overflow"


def test_a_latency_of_the_simulator_alone_changes_its_steps(small: SmallLpsf, design: Design) -> None:
    """Each burst takes a cycle longer: the steps that the port ends are as much longer as they have bursts."""
    model = MachineModel(small.network, small.platform)
    estimate = model.evaluate(design)
    memory = small.platform.memory.model_copy(update={"latency": (small.platform.memory.latency or 0) + 1})
    slower = small.platform.model_copy(update={"memory": memory})
    found = run_simulation(small.spec, model.accesses, slower, design, estimate, None)
    assert f"it takes {found.cycles:,} cycles" in next(mismatches(found, estimate))
    for run, one in zip(found.groups, design.groups, strict=True):
        expected = model.step_cycles(one)
        assert run.lengths != expected
        for number, step in enumerate(run.events):
            assert 0 <= step.length - expected[number] <= len(step.bursts)
        ends = [
            number for number, step in enumerate(run.events) if step.bursts[-1:] and step.bursts[-1].end == step.length
        ]
        assert all(run.events[number].length == expected[number] + len(run.events[number].bursts) for number in ends)
        assert ends


def test_a_datapath_of_the_simulator_alone_changes_its_steps(small: SmallLpsf, design: Design) -> None:
    model = MachineModel(small.network, small.platform)
    estimate = model.evaluate(design)
    path = ElementaryEntry(latency=400)
    slower = small.platform.model_copy(update={"elementary": {"smooth": path}})
    found = run_simulation(small.spec, model.accesses, slower, design, estimate, None)
    longer = small.platform.datapath(small.network.processes["hflr"]).latency
    for run, one in zip(found.groups, design.groups, strict=True):
        computing = [step for step in run.events if step.computing]
        assert computing
        assert all(step.length >= 400 > longer for step in computing)
        assert run.cycles > sum(model.step_cycles(one))


def test_a_request_more_outstanding_or_a_word_less(small: SmallLpsf, design: Design) -> None:
    """With a request for each run: the simulator allows one more than the model; the model takes a word too few."""
    runs = {"burst": "run", "outstanding": 2, "latency": 1}  # with longer ones rows are read with what lies between
    memory = small.platform.memory.model_copy(update=runs)
    by_run = replace(small, platform=small.platform.model_copy(update={"memory": memory}))
    assert by_run.judge(design) is None
    fewer = memory.model_copy(update={"outstanding": 1})
    assert "cycles" in (by_run.judge(design, small.platform.model_copy(update={"memory": fewer})) or "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mutants, "PACKAGE", "hwmodel.cost_model")
        with changed("memory_port.requests", "self.worst(starts, word)[..., None]) // word + 1", "0) // word"):
            assert "cycles" in (by_run.judge(design) or "")
