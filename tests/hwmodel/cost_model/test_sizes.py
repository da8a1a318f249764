"""What an element takes outside and inside, and what no policy fetches twice (docs/machine.md, sections 2 and 5)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arrayol import api
from arrayol.transforms.steps import canonical_form
from dse.verify.testbench import run_simulation
from hwmodel.cost_model.memory_port.port import MemoryPort
from hwmodel.cost_model.model import MachineModel
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.design import POLICIES, Blocks, Design, GroupDesign, Policy, Processor, row_major
from hwmodel.external_memory import Bursts, port_time
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory
from hwmodel.published.model import PublishedModel

SPECS = Path(__file__).resolve().parents[3] / "specs"
FLIPS = """\
elementary flip(x: bool) -> (y: bool) { y = not x }
task flips(a: bool[64]) -> (b: bool[64]) {
  repeat [64] of flip { x <- a at origin [0] paving [1] fitting [] y -> b at origin [0] paving [1] fitting [] }
}
"""


def test_a_bool_takes_a_byte_outside_and_a_bit_inside(tmp_path: Path) -> None:
    path = tmp_path / "flips.aol"
    path.write_text(FLIPS, encoding="utf-8")
    spec = api.load(path)
    network = canonical_form(spec, "flips").network
    platform = Platform(
        memory=ExternalMemory(latency=0, word_bits=64), elementary={"flip": ElementaryEntry(initiation_interval=1)}
    )
    model = MachineModel(network, platform)
    design = Design((GroupDesign((Processor("flips", 64),), Blocks((64,), row_major(1))),))
    estimate = model.evaluate(design)
    assert (estimate.additive["traffic_bytes"], estimate.internal_memory_bits) == (128, 128)
    assert estimate.latency_cycles == 8 + 1 + 8  # 64 bytes are 8 words of 64 bits
    simulation = run_simulation(spec, model.accesses, platform, design, estimate, {"a": np.arange(64) % 2 == 0}, None)
    assert (simulation.cycles, simulation.identical) == (17, True)
    assert model.data_per_word == PublishedModel(network, platform).data_per_word == 8
    burst = Bursts(np.zeros(1, np.int64), np.array([64]), np.array([64]), np.zeros(1, np.bool_))
    assert (
        port_time(platform, burst).cycles == MemoryPort(model.accesses, platform).burst_cycles("a", np.array([64])) == 8
    )


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("evaluator", ["counted", "enumerated"])
def test_what_every_block_reads_whole_comes_once(policy: Policy, evaluator: str) -> None:
    spec = api.load(SPECS / "conv3x3.aol", {"H": 10, "W": 14})
    network = canonical_form(spec, "conv3x3").network
    model = MachineModel(network, api.load_platform(SPECS / "conv3x3.toml"))
    design = GroupDesign((Processor("filter"), Processor("threshold")), Blocks((4, 3), row_major(2)), policy=policy)
    estimate = model.estimate(design) if evaluator == "counted" else model.estimate_enumerated(design)
    kernel = next(memory for memory in estimate.memories if memory.name == "kernel")
    fetched = {"reuse": 10 * 14, "strip": 2 * 6 * 14, "whole": 2 * 6 * 14, "tile": 8 * 6 * 5}[policy]
    assert (estimate.evaluator, kernel.data) == (evaluator, 9)
    assert estimate.additive["traffic_bytes"] == fetched + 9 * 2 + 8 * 12  # image u8, kernel i16, mask u8


def test_policies_differ_where_the_same_is_read_again() -> None:
    """`whole` loads a strip at its first tick, so it moves data in other steps even if nothing is fetched twice."""
    spec = api.load(SPECS / "matmul.aol", {"M": 8, "N": 8, "K": 4, "S": 4})
    network = canonical_form(spec, "product").network
    model = MachineModel(network, api.load_platform(SPECS / "matmul.toml"))
    (task,) = network.processes
    for shape in ((2, 1), (1, 1)):
        assert model.offers((task,), [Blocks(shape, row_major(2))])[0].policies_differ
    designs = [GroupDesign((Processor(task),), Blocks((2, 1), row_major(2)), policy=policy) for policy in POLICIES]
    whole = designs[POLICIES.index("whole")]
    assert model.estimate(whole).latency_cycles != model.estimate(designs[0]).latency_cycles
    assert model.estimate(whole).additive["traffic_bytes"] == model.estimate(designs[0]).additive["traffic_bytes"]
