"""What the memories of shipped designs are built of: blocks and LUT that rise with the units."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pytest
from shipped import SMALL

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.costs import processor_costs
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.model import MachineModel
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.design import Blocks, Design, GroupDesign, Processor, rate_of, row_major
from hwmodel.local_memory.organisations import Organisation
from hwmodel.platform import load_platform


def model_of(name: str, consts: Mapping[str, float] = MappingProxyType({})) -> MachineModel:
    spec = load_checked(shipped_folder() / f"{name}.aol", consts)
    return MachineModel(flatten(spec, choose_top(spec, None)), load_platform(shipped_folder() / f"{name}.toml"))


def built(
    model: MachineModel,
    shapes: Mapping[str, tuple[int, ...]],
    units: int = 1,
    interval: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Organisation]:
    """The memories of a design with a group for each task, by their kind and name."""
    groups = tuple(
        GroupDesign((Processor(task, units, None, interval.get(task)),), Blocks(shape, row_major(len(shape))))
        for task, shape in shapes.items()
    )
    design = Design(groups)
    uses = [use for group in model.evaluate(design).groups for use in group.memories]
    return {f"{use.kind} {use.name}": use.organisation for use in uses if use.organisation is not None}


def test_the_image_of_a_convolution_costs_more_with_more_units() -> None:
    model = model_of("conv3x3")
    shapes = dict.fromkeys(model.network.processes, (2, 1918))
    images = [built(model, shapes, units)["buffer image"] for units in (1, 4, 64)]
    assert [one.way for one in images] == ["banks", "window", "window"]
    prices = [one.built.price(model.platform.local.price) for one in images]
    assert prices == sorted(set(prices))
    assert [one.banks for one in images] == [16, 16, 192]


def test_the_memories_of_more_units_are_in_the_figures_of_a_design() -> None:
    """At 1080 x 1920 the live data stay, and blocks, LUT and built bits rise with the units."""
    model, found = model_of("conv3x3"), []
    for units in (1, 4, 64):
        groups = [
            GroupDesign((Processor(task, units),), Blocks((2, 1918), row_major(2))) for task in model.network.processes
        ]
        estimate = model.evaluate(Design(tuple(groups)))
        logic = sum(use.costs.get("lut", 0) for group in estimate.groups for use in group.memories)
        found.append((estimate.memory_blocks, logic, estimate.internal_memory_bits, estimate.live_bits))
    assert found == [(64, 0, 645_264, 644_688), (64, 0, 645_408, 644_688), (128, 15_360, 646_848, 644_688)]


def test_blocks_of_a_convolution_rise_with_the_units() -> None:
    """Both tasks in one group, in blocks of 20 x 272: what is read in a cycle asks for banks, each a block at least."""
    model, found = model_of("conv3x3"), []
    for units in (1, 4, 64):
        processors = tuple(Processor(task, units) for task in model.network.processes)
        estimate = model.estimate(GroupDesign(processors, Blocks((20, 272), row_major(2))))
        image = next(use.organisation for use in estimate.memories if use.name == "image")
        assert image is not None
        found.append((estimate.memory_blocks, image.banks, image.depth))
    assert found == [(54, 16, 1032), (56, 16, 1032), (64, 192, 112)]


def test_blocks_that_are_fetched_whole_are_in_memories_of_lut() -> None:
    """Two windows of 22 x 274, in 16 banks by groups of 16 columns: 2 x 22 x 18 words each, and no block."""
    model = model_of("conv3x3")
    series7 = model.platform.model_copy(update={"technology": load_technology("series7")})
    task = next(iter(model.network.processes))
    group = GroupDesign((Processor(task, 4),), Blocks((20, 272), row_major(2)), policy="tile")
    estimate = MachineModel(model.network, series7).estimate(group)
    image = next(use.organisation for use in estimate.memories if use.name == "image")
    assert image is not None
    assert (image.way, image.depth, image.built.lut, image.built.blocks) == ("window", 2 * 22 * 18, 3328, 0)


def test_a_kernel_of_nine_is_in_registers() -> None:
    model = model_of("conv3x3")
    kernel = built(model, dict.fromkeys(model.network.processes, (2, 1918)))["buffer kernel"]
    assert (kernel.way, kernel.built.blocks, kernel.built.lut) == ("registers", 0, 0)


def test_a_table_of_gamma_takes_blocks_by_the_reads_of_its_units() -> None:
    model = model_of("camera")
    shapes = {task: tuple(min(8, own) for own in model.accesses.extents(task)) for task in model.network.processes}
    found = [
        next(one for name, one in built(model, shapes, units).items() if name.startswith("rom") and one.depth == 4096)
        for units in (1, 8)
    ]
    assert [one.way for one in found] == ["copies", "copies"]
    assert [one.built.blocks for one in found] == [4, 24]
    slow = built(model, shapes, interval={"gamma": 3})
    assert [one.built.blocks for name, one in slow.items() if name.startswith("rom") and one.depth == 4096] == [4]


@pytest.mark.parametrize(("interval", "banks"), [(5, 7), (21, 4), (98, 4)])
def test_a_long_pattern_of_attention_has_the_banks_that_its_interval_asks(interval: int, banks: int) -> None:
    """Rows of 32 f32: as many a cycle as the interval leaves, or the four of a word."""
    model = model_of("attention")
    shapes = {task: tuple(min(8, own) for own in model.accesses.extents(task)) for task in model.network.processes}
    query = built(model, shapes, interval={"scores": interval, "values": 98})["buffer q"]
    assert (query.way, query.banks) == ("banks", banks)


def test_a_pattern_that_no_banks_serve_is_refused() -> None:
    """All keys, 2,048 f32, in one cycle: by both evaluators, and of many rates by those that are too fast alone."""
    model = model_of("attention")
    blocks = Blocks((8,), row_major(1))
    for estimate in (model.estimate, model.estimate_enumerated):
        with pytest.raises(ArrayolError, match="no memory of 'k' serves its ports: no banks: 2,048 places") as refused:
            estimate(GroupDesign((Processor("scores"),), blocks))
        assert refused.value.diagnostics[0].code == "no-banks"
    offered = [rate_of(1, interval) for interval in model.platform.intervals(model.network.processes["scores"])]
    structure = GroupDesign((Processor("scores"),), blocks)
    priced = model.price_structure(structure, np.array(offered)[:, None])
    assert priced.legal[0].tolist() == [False, *[True] * (len(offered) - 1)]
    assert priced.refusal is not None
    assert priced.refusal.startswith("no memory of 'k' serves its ports: no banks: 2,048 places")
    fastest = model.fastest(structure, [offered])
    assert fastest.legal.tolist() == [[True]]
    assert (
        fastest.combinations[0, 0, 0] == offered[int(np.where(priced.legal, priced.latency_cycles, 1 << 60).argmin())]
    )
    assert fastest.left_out == len(offered) - 2


def test_without_a_technology_nothing_is_said() -> None:
    model = model_of("conv3x3")
    plain = model.platform.model_copy(update={"technology": None, "assume_datapaths": True})
    assert built(MachineModel(model.network, plain), dict.fromkeys(model.network.processes, (2, 64))) == {}


def test_on_an_asic_banks_are_areas() -> None:
    """They need a port to write and one to read."""
    model = model_of("conv3x3")
    asic = model.platform.model_copy(update={"technology": load_technology("asic45")})
    image = built(MachineModel(model.network, asic), dict.fromkeys(model.network.processes, (2, 1918)))["buffer image"]
    assert (image.built.kind, image.built.blocks, image.built.lut) == ("SRAM with two ports", 0, 0)
    bank = 0.83 * image.depth * 8 + 60 * math.sqrt(image.depth * 8)
    assert image.built.area == pytest.approx(image.banks * bank)


def slowed(model: MachineModel, task: str, shape: tuple[int, ...]) -> GroupDesign:
    """A group at the least interval that is not refused."""
    for interval in model.platform.intervals(model.network.processes[task]):
        group = GroupDesign((Processor(task, 1, None, interval),), Blocks(shape, row_major(len(shape))))
        try:
            model.estimate(group)
        except ArrayolError:
            continue
        return group
    raise AssertionError(f"no interval of '{task}' will do")


@pytest.mark.parametrize("name", SMALL)
def test_every_memory_of_a_shipped_specification_is_told(name: str) -> None:
    """What is built holds the live data, in each copy, at the least interval at which some memory serves the ports."""
    model = model_of(name, SMALL[name])
    shapes = {task: model.accesses.extents(task) for task in model.network.processes}
    estimate = model.evaluate(Design(tuple(slowed(model, task, shape) for task, shape in shapes.items())))
    pairs = [(use, use.organisation) for group in estimate.groups for use in group.memories]
    assert {use.name for use, _ in pairs} >= {*model.network.inputs} - {*model.accesses.load} | {
        array for array, load in model.accesses.load.items() if load == "frame"
    }
    for use, one in pairs:
        assert one is not None
        assert one.reason
        assert one.bits >= one.copies * use.live_bits
        assert one.copies <= model.platform.local.copies_most
    for group in estimate.groups:
        built = [use.organisation.built for use in group.memories if use.organisation is not None]
        paths = Datapaths(model.network, model.platform)
        rates = {one.task: rate_of(one.units, one.interval) for one in group.processors}
        logic = sum(processor_costs(model.accesses, paths, task, rates[task])["lut"] for task in group.tasks)
        assert group.costs["lut"] == pytest.approx(logic + sum(one.lut for one in built))
        assert group.memory_blocks == sum(math.ceil(one.blocks) for one in built)
