"""What memories are built of, in words: shipped designs at their technologies."""

from __future__ import annotations

import pytest

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from dse.output.built_memories import BuiltMemories, built_memories
from hwmodel.cost_model.model import MachineModel
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.platform import load_platform


def built(
    name: str, block: int | tuple[int, ...], units: int = 1, technology: str | None = "ecp5-6"
) -> BuiltMemories | None:
    """Of a design with a group for each task, in blocks of a shape, or of so many repetitions along each axis."""
    spec = load_checked(shipped_folder() / f"{name}.aol", {})
    changed = {"technology": technology and load_technology(technology), "assume_datapaths": technology is None}
    platform = load_platform(shipped_folder() / f"{name}.toml").model_copy(update=changed)
    model = MachineModel(flatten(spec, choose_top(spec, None)), platform)
    groups = []
    for task in model.network.processes:
        whole = model.accesses.extents(task)
        shape = block if isinstance(block, tuple) else tuple(min(block, extent) for extent in whole)
        groups.append(GroupDesign((Processor(task, units),), Blocks(shape, row_major(len(shape)))))
    design = Design(tuple(groups))
    return built_memories(model.platform, model.evaluate(design))


def known(found: BuiltMemories | None) -> BuiltMemories:
    assert found is not None
    return found


def test_windows_banks_and_registers_are_told() -> None:
    memories = known(built("conv3x3", (2, 1918), 4)).memories
    image, kernel = (next(one for one in memories if one.name == name) for name in ("image", "kernel"))
    assert (image.group, image.title, image.data, image.bits) == (1, "1: buffer image", 11_538, 92_304)
    assert image.organisation == "window of 18 registers, 16 banks by linear (1, 3) mod 16, 720 x 8 bits each"
    assert image.sentences[-1] == "Registers not considered: 92,160 bits exceed the limit of 512."
    assert (kernel.organisation, kernel.built_of, kernel.ff) == ("9 registers", "registers", 144)


def test_a_rom_has_copies_and_belongs_to_its_reader() -> None:
    found = known(built("camera", 8, 8))
    (table,) = [one for one in found.memories if one.kind == "rom" and "4,096 x" in one.organisation]
    assert (table.data, table.title) == (12 * 4096, f"{table.group}: rom {table.name}")
    assert table.organisation == "1 bank, 12 copies, 4,096 x 8 bits each"
    assert (table.built_of, table.blocks, table.estimate) == ("DP16KD", 24, False)


def test_totals_are_the_sums() -> None:
    found = known(built("conv3x3", (2, 1918), 4))
    assert found.totals["blocks"] == sum(one.blocks for one in found.memories) > 0
    assert found.totals["ff"] == sum(one.ff for one in found.memories) > 0
    shown = f"{found.totals['blocks']:,.6g} blocks, {found.totals['ff']:,.6g} FF"
    assert found.summary == f"{shown} (ecp5-6), part of the design's costs"
    assert found.to_json()["totals"] == found.totals


def test_what_nothing_serves_is_refused() -> None:
    """All keys of attention, 2,048 f32, in one cycle."""
    with pytest.raises(ArrayolError) as refused:
        built("attention", 8)
    (found,) = refused.value.diagnostics
    assert found.code == "no-banks"
    assert found.message == (
        "no memory of 'k' serves its ports: no banks: 2,048 places are touched in a cycle, and no function with up to "
        "1,024 banks keeps them apart; registers not considered: 65,536 bits exceed the limit of 512; copies not "
        "considered: 2,048 elements are read in a cycle, and the limit is 16 copies"
    )


def test_estimates_are_said_to_be_estimates() -> None:
    found = known(built("conv3x3", (2, 1918), technology="asic45"))
    image = next(one for one in found.memories if one.name == "image")
    assert (image.built_of, image.estimate, image.blocks, image.area > 0) == ("SRAM with two ports", True, 0, True)
    assert "(asic45, estimate for SRAM with two ports, registers)" in found.summary
    assert " um2 (" in found.summary


def test_without_a_technology_there_is_nothing() -> None:
    assert built("conv3x3", (2, 64), technology=None) is None
