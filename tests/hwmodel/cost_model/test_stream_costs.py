"""What line buffers cost of a technology: segments by their depth, and the multiplexers of borders."""

from __future__ import annotations

from pathlib import Path

from port_designs import memory_of, scheduled_design
from stream_networks import case_of

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from hwmodel.cost_model.estimate import GroupEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design
from hwmodel.platform import Platform, default_platform
from hwmodel.streamed import Stream

BLUR = """\
const H = 8
const W = 1920
elementary mean(x: u16[3, 3]) -> (y: u16) {{
  s: u32 = 0
  s += x[i, j]  for i in 0..3, j in 0..3
  y = u16(s // 9)
}}
task blur(i: u16[H, W]) -> (o: u16[H, W]) {{
  repeat [H, W] of mean {{
    x <- i at origin [-1, -1] paving [1, 0; 0, 1] fitting [1, 0; 0, 1] else {border}
    y -> o
  }}
}}
"""


def blurred(folder: Path, border: str, technology: str) -> GroupEstimate:
    path = folder / "blur.aol"
    path.write_text(BLUR.format(border=border))
    spec = load_checked(path, {})
    given = default_platform().model_dump(mode="json", exclude_unset=True)
    platform = Platform.model_validate({**given, "technology": technology})
    model = MachineModel(flatten(spec, choose_top(spec, None)), platform)
    ((_, estimate),) = model.streams(("blur",)).designs(Stream(interface="axis"))
    return estimate


def test_a_blur_has_no_more_block_ram_than_published(tmp_path: Path) -> None:
    """Clockwork (FCCM 2021) has 3 blocks of 36 Kbit at one pixel a cycle; a RAMB18E1 is half a block."""
    estimate = blurred(tmp_path, "nearest", "series7")
    (lines,) = (use for use in estimate.memories if use.kind == "chain" and use.name == "i")
    assert lines.segments == ((1, 1, 1918, 1, 1, 1918, 1, 1),)
    assert (lines.blocks, estimate.memory_blocks) == (4, 4)


def test_a_border_costs_multiplexers(tmp_path: Path) -> None:
    nearest, constant = (blurred(tmp_path, border, "ecp5-6") for border in ("nearest", "0"))
    control = [next(use for use in one.memories if use.name == "nodes") for one in (nearest, constant)]
    lut = [use.organisation.built.lut for use in control if use.organisation is not None]
    corner, edge = 4, 2  # elements of which a place of the window takes its datum
    assert lut[0] - lut[1] == 16 * 4 * sum(-(-(2 * places - 1) // 3) for places in (corner, edge))


def test_chunks_have_the_banks_of_the_hardware(tmp_path: Path) -> None:
    """As many as data pass together, at the port or in a pulse; a platform's word has 16 bytes here."""
    case = case_of("unsharp", tmp_path, H=4, W=64)
    platform = memory_of(default_platform(), word_bits=128)
    model = MachineModel(case.network, platform)
    ((group, estimate),) = model.streams(tuple(case.network.processes)).designs(Stream(), [64])
    built = {memory.array: memory for memory in scheduled_design(case, model, Design((group,))).groups[0].memories}
    chunks = {use.name: use for use in estimate.memories if use.kind == "chunk"}
    assert {name: memory.banks for name, memory in built.items()} == {"i": 16, "o": 8}
    assert {name: use.banks for name, use in chunks.items()} == {"i": 16, "o": 8}
    reasons = {name: use.organisation.reason for name, use in chunks.items() if use.organisation is not None}
    depths = {name: memory.depth for name, memory in built.items()}
    assert reasons == {
        name: f"two chunks in {built[name].banks} banks of {depth} words" for name, depth in depths.items()
    }


def test_deep_memories_of_luts_have_a_multiplexer(tmp_path: Path) -> None:
    """A segment of 65 words of 8 bits: 64 in four rows of 16 x 4 bits, twice, and a counter of 6 bits."""
    model = MachineModel(case_of("unsharp", tmp_path, H=32, W=64).network, default_platform())
    tasks = tuple(model.accesses.network.processes)
    (_, estimate), *_ = model.streams(tasks).designs(Stream(interface="axis"))
    lines = next(use for use in estimate.memories if use.name == "blur_x.y")
    assert lines.segments == ((64, 64),)
    assert lines.organisation is not None
    assert lines.organisation.built.lut == 2 * (4 * 2 * 6 + 8 * 3 + 4 + 6)
