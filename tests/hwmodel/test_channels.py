"""Several channels of the external memory: where arrays lie, streams beside the simulated machine, results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from port_designs import memory_of
from stream_networks import case_of

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from dse.search.figures import columns_of
from dse.search.lower_bounds import least_figures
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from dse.verify.testbench import mismatches, run_simulation
from hwmodel.accesses import Accesses
from hwmodel.channels import channel_numbers
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design
from hwmodel.emit.verilog import coverage as coverages
from hwmodel.emit.verilog.coverage import Coverage, reason_text
from hwmodel.platform import Platform, default_platform
from hwmodel.streamed import Stream

SUM = """\
const W = 32
elementary add(a: u8, b: u8, c: u16) -> (y: u16) {
  y = u16(a) + u16(b) + c
}
elementary twice(y: u16) -> (z: u16) {
  z = 2 * y
}
task sums(a: u8[W], b: u8[W], c: u16[W]) -> (y: u16[W]) {
  repeat [W] of add {
    a <- a
    b <- b
    c <- c
    y -> y
  }
}
task doubled(y: u16[W]) -> (z: u16[W]) {
  repeat [W] of twice {
    y <- y
    z -> z
  }
}
task both(a: u8[W], b: u8[W], c: u16[W]) -> (z: u16[W]) {
  y = sums(a, b, c)
  z = doubled(y)
}
"""


def narrow_platform(**changes: object) -> Platform:
    return memory_of(default_platform(), word_bits=16, latency=3, **changes)


@pytest.mark.parametrize(
    ("port", "channels", "numbers"),
    [
        ("shared", 1, {"a": 0, "b": 0, "c": 0, "z": 0, "y": 0}),
        ("shared", 2, {"c": 0, "z": 1, "a": 0, "b": 1, "y": 0}),
        ("shared", 8, {"c": 0, "z": 1, "a": 2, "b": 3, "y": 4}),
        ("separate", 2, {"c": 0, "z": 0, "a": 1, "b": 1, "y": 0}),
    ],
)
def test_where_arrays_lie(tmp_path: Path, port: str, channels: int, numbers: dict[str, int]) -> None:
    """The largest first, inputs and outputs before what lies between; sides of separate ports by themselves."""
    (tmp_path / "sum.aol").write_text(SUM, encoding="utf-8")
    spec = api.load(tmp_path / "sum.aol")
    network = flatten(spec, choose_top(spec, None))
    platform = narrow_platform(port=port, channels=channels)
    assert channel_numbers(Accesses(network), platform) == numbers


def streamed(folder: Path, platform: Platform) -> DesignEstimate:
    """A stream that the simulated machine agrees with, in chunks of 4 pulses."""
    case = case_of("unsharp", folder, H=6, W=16)
    model = MachineModel(case.network, platform, {})
    group, _ = next(model.streams(tuple(case.network.processes)).designs(Stream(), [4]))
    design = Design((group,))
    estimate = model.evaluate(design)
    simulation = run_simulation(case.spec, model.accesses, platform, design, estimate, case.inputs())
    assert simulation.identical
    assert not list(mismatches(simulation, estimate))
    assert simulation.groups[0].lengths == model.step_cycles(group)
    return estimate


@pytest.mark.parametrize("port", ["shared", "separate"])
def test_streams(tmp_path: Path, port: str) -> None:
    """An input and an output that a shared port serves one after another; on separate ports nothing is gained."""
    one, two = (streamed(tmp_path, narrow_platform(port=port, channels=channels)) for channels in (1, 2))
    shared = port == "shared"
    assert (two.latency_cycles < one.latency_cycles) == shared
    assert (two.frame_cycles < one.frame_cycles) == shared
    assert two.additive["port_bytes"] == one.additive["port_bytes"]


def test_results_say_where_arrays_lie(tmp_path: Path) -> None:
    (tmp_path / "sum.aol").write_text(SUM, encoding="utf-8")
    spec, platform = api.load(tmp_path / "sum.aol"), narrow_platform(channels=2)
    result = api.explore(spec, platform, space=api.Space(narrow=True)).result
    document = json.loads(result.model_dump_json())
    for design in document["pareto"]:
        assert list(design["channels"]) == ["a", "b", "c", "z", "y"]
        assert set(design["channels"].values()) == {0, 1}
        assert design["verified"]
    assert "for any design in any channels, one of these has no objective more than" in document["method_description"]
    assert not document["exact"]
    assert result.pareto[0].not_emitted is None
    one = api.explore(spec, narrow_platform(), space=api.Space(narrow=True, verify=False)).result
    assert "channels" not in json.loads(one.model_dump_json())["pareto"][0]


def test_no_design_is_faster_than_the_bound(tmp_path: Path) -> None:
    """All arrays one after another would take longer than the fastest design."""
    (tmp_path / "sum.aol").write_text(SUM, encoding="utf-8")
    spec, platform = api.load(tmp_path / "sum.aol", {"W": 128}), narrow_platform(channels=8)
    result = api.explore(spec, platform, space=api.Space(narrow=True, verify=False)).result
    fastest = min(design.objectives["latency_cycles"] for design in result.pareto)
    space = MappingSpace(MachineModel(flatten(spec, choose_top(spec, None)), platform), Study())
    columns = columns_of(tuple(space.figures), (), space.model, reuse_memory=False)
    least = dict(zip((figure.name for figure in columns.figures), least_figures(space, columns), strict=True))
    words = {"a": 64, "b": 64, "c": 128, "z": 128}
    assert 128 <= least["latency_cycles"] <= fastest < sum(words.values())


def test_streams_without_a_port_are_emitted(tmp_path: Path) -> None:
    network = case_of("unsharp", tmp_path, H=6, W=16).network
    coverage = Coverage(Accesses(network), memory_of(narrow_platform(), burst="box"))
    assert coverage.why_nothing(axi_streams=True, frames_inside=True) is None
    assert coverage.why_nothing(axi_streams=False, frames_inside=True) is not None


def test_what_is_not_emitted(tmp_path: Path) -> None:
    """Registers have addresses for so many channels."""
    (tmp_path / "sum.aol").write_text(SUM, encoding="utf-8")
    spec = api.load(tmp_path / "sum.aol")
    accesses = Accesses(flatten(spec, choose_top(spec, None)))
    platform = memory_of(narrow_platform(channels=4), burst="run")
    for as_verilog, most, reason in (
        (True, 252, None),
        (True, 2, "arrays lie in 4 channels, and registers have addresses for 2"),
        (False, 252, None),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(coverages, "MOST_CHANNELS", most)
            refusal = Coverage(accesses, platform, as_verilog).why_no_port
        assert (None if refusal is None else reason_text(refusal)) == reason
