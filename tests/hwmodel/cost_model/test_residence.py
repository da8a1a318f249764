"""What is resident, by hand: each kind of load in cycles, bytes and bits, beside the simulated machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from judging import words_of
from spec_data import any_inputs, loaded

from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from arrayol.ir.spec import Spec
from dse.search.figures import columns_of
from dse.space.mappings import MappingSpace
from dse.space.objectives import figures_of
from dse.space.study import Study
from dse.space.study_checks import check_study
from dse.verify.testbench import mismatches, run_simulation
from hwmodel.accesses import Accesses
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.design import Blocks, Design, Fusion, GroupDesign, Processor, row_major
from hwmodel.platform import BitCosts, Platform
from hwmodel.platform_memories import ExternalMemory, LocalMemory
from hwmodel.published.group import PublishedDesign
from hwmodel.published.model import PublishedModel
from hwmodel.residence import Load
from hwmodel.simulator.group import LocalMemories, run_group
from hwmodel.simulator.memories.memories import external_memory, set_up

# Each repetition makes one y of three x, with all of w and of G: 4 repetitions a frame.
TEXT = """\
{const}elementary mul(x: i16[3]{port}) -> (y: i16) {{
  a: i32 = 0
  a += i32(x[k]) * {weight}  for k in 0..3
  y = i16(a)
}}
task top(x: i16[*, 12]{array}) -> (y: i16[*, 4]) {{
  repeat [*, 4] of mul {{
    x <- x at origin [0, 0] paving [1, 0; 0, 3] fitting [0; 1]
{link}    y -> y
  }}
}}
"""
GIVEN = TEXT.format(const="", port=", w: i16[3]", weight="w[k]", array=", w: i16[3]", link="    w <- w\n")
TABLE = TEXT.format(const="const w: i16[3] = [3, 1, 2]\n", port="", weight="w[k]", array="", link="")
COUNTED = TABLE.replace("[3, 1, 2]", "[3, 5, 7]")
PLATFORM = Platform(
    memory=ExternalMemory(latency=5, data_per_word=2),
    local=LocalMemory(block_bits=100),
    elementary={"mul": ElementaryEntry(initiation_interval=1, latency=2, cost={"lut": 10})},
    cost=BitCosts(rom_bits={"lut": 0.25}, local_bits={"lut": 2}),
)
BLOCKS = Blocks((1, 1), row_major(2))
DESIGN = Design((GroupDesign((Processor("top"),), BLOCKS),))


def priced(text: str, **loads: Load) -> DesignEstimate:
    """The estimate of one unit on single repetitions; the simulated machine agrees with it."""
    spec = loaded(text)
    model = MachineModel(flatten(spec, "top"), PLATFORM, loads)
    estimate = model.evaluate(DESIGN)
    assert replace(model.estimate_enumerated(DESIGN.groups[0]), evaluator="counted") == estimate.groups[0]
    simulation = run_simulation(spec, model.accesses, PLATFORM, DESIGN, estimate, any_inputs(spec, "top"))
    assert not list(mismatches(simulation, estimate))
    assert simulation.identical is not False
    return estimate


def test_loaded_with_each_frame() -> None:
    """Steps: load x and w; x, compute; ...; the last y.

    A burst of 3 elements takes 5 + 2 cycles, of 1 5 + 1: 14, 7, 13, 13, 6, 6 with the stores from the third step on.
    """
    found = priced(GIVEN, w="frame")
    assert found.latency_cycles == 14 + 7 + 13 + 13 + 6 + 6
    assert found.additive["traffic_bytes"] == 2 * (12 + 3 + 4)
    assert (found.setup_cycles, found.setup_bytes) == (0, 0)
    # x: two blocks of three; w: three, once; y: two.
    assert {use.name: use.data for use in found.groups[0].memories} == {"x": 6, "w": 3, "y": 2}
    assert found.internal_memory_bits == 16 * 11


def test_loaded_once() -> None:
    """The first step is shorter by the burst of w, 7 cycles, which the setup takes."""
    found = priced(GIVEN)
    assert found.latency_cycles == 7 + 7 + 13 + 13 + 6 + 6
    assert found.additive["traffic_bytes"] == 2 * (12 + 4)
    assert (found.setup_cycles, found.setup_bytes) == (5 + 2, 6)
    assert {use.name: use.data for use in found.groups[0].memories} == {"x": 6, "y": 2}
    assert [(use.kind, use.name, use.data, use.bits, use.banks, use.blocks) for use in found.resident[:1]] == [
        ("once", "w", 3, 48, 3, 3)
    ]
    assert (found.internal_memory_elements, found.internal_memory_bits) == (6 + 2 + 3, 16 * 11)
    assert found.memory_blocks == 3 + 1 + 3


def test_in_roms() -> None:
    found = priced(TABLE)
    assert (found.latency_cycles, found.additive["traffic_bytes"]) == (52, 32)
    assert (found.setup_cycles, found.setup_bytes, found.internal_memory_elements) == (0, 0, 8)
    assert found.costs == {"lut": 10 + 48 * 0.25 + 32 * 2, "rom_bits": 48, "local_bits": 32}
    assert [(use.kind, use.name, use.bits) for use in found.resident] == [("rom", "w", 48), ("local", "top", 32)]


def test_a_counter_costs_nothing() -> None:
    found = priced(COUNTED)
    assert found.costs == {"lut": 10 + 32 * 2, "rom_bits": 0, "local_bits": 32}
    assert [use.kind for use in found.resident] == ["local"]


def test_a_const_array_may_be_loaded() -> None:
    once, frame = priced(TABLE, w="once"), priced(TABLE, w="frame")
    assert (once.setup_cycles, once.costs["lut"]) == (7, 10 + 64)
    assert (frame.latency_cycles, frame.additive["traffic_bytes"]) == (59, 38)


def test_locals_cost_by_the_unit_and_roms_by_the_processor() -> None:
    spec = loaded(TABLE)
    model = MachineModel(flatten(spec, "top"), PLATFORM)
    design = Design((GroupDesign((Processor("top", 2),), Blocks((1, 2), row_major(2))),))
    costs = model.evaluate(design).costs
    assert costs == {"lut": 2 * (10 + 64) + 12, "rom_bits": 48, "local_bits": 64}


def test_every_frame_finds_what_was_loaded_once() -> None:
    """Two frames after one setup take the same cycles: nothing in a frame changes what is resident."""
    accesses = Accesses(flatten(loaded(GIVEN), "top"))
    memory = external_memory(accesses, accesses.network.inputs)
    setup = set_up(accesses, PLATFORM, memory)
    memory["w"][:] = -1  # no frame may look for it outside
    sizes = {("buffer", "x"): 6, ("buffer", "y"): 2}
    local = LocalMemories(sizes, words_of(accesses, PLATFORM, DESIGN.groups[0]))
    runs = [run_group(accesses, PLATFORM, DESIGN.groups[0], local, memory, setup) for _ in range(2)]
    assert [run.cycles for run in runs] == [52, 52]
    assert setup.cycles == 7
    assert np.array_equal(setup.tokens["w"], np.arange(3))


def test_what_is_loaded_once_is_bounded_and_added_after_the_largest_group() -> None:
    model = MachineModel(flatten(loaded(GIVEN), "top"), PLATFORM)
    estimate = model.evaluate(DESIGN, reuse_memory=True)
    assert estimate.internal_memory_elements == 8 + 3
    columns = columns_of(("internal_memory_elements", "setup_cycles"), (), model, reuse_memory=True)
    assert (columns.beside, columns.borne(first=False)) == ((3, 7), (3, 0))
    assert {"setup_cycles", "setup_bytes", "local_bits"} <= figures_of(PLATFORM, model.accesses).keys()
    assert "rom_bits" not in figures_of(PLATFORM, model.accesses)


def test_the_published_model() -> None:
    """One flow less, no double buffer; C stays 3, the data of w for each y."""
    platform = Platform(assume_datapaths=True, memory=ExternalMemory(latency=5, data_per_word=2))
    found = {
        name: PublishedModel(flatten(loaded(text), "top"), platform) for name, text in (("g", GIVEN), ("t", TABLE))
    }
    designs = {name: model.evaluate(Fusion((("top",),))) for name, model in found.items()}
    for design in designs.values():
        assert isinstance(design, PublishedDesign)
        assert (design.flows, design.latency_cycles) == (2, 4)
    given, table = designs["g"], designs["t"]
    assert isinstance(given, PublishedDesign)
    assert isinstance(table, PublishedDesign)
    assert given.internal_memory_elements == table.internal_memory_elements + 3
    assert (given.resident.setup_cycles, given.resident.setup_bytes, given.resident.rom_bits) == (7, 6, 0)
    assert (table.resident.setup_cycles, table.resident.rom_bits, table.local_bits) == (0, 48, 32 * table.units)


UNKNOWN = "the elements of the input 'w' are not known, and a ROM holds them from the start"
WRONG = {
    "v once": (
        "'array' names 'v', which is no array here",
        "its inputs and const arrays are x, w",
    ),
    "x once": ("'array.x' cannot have load = \"once\": each frame brings another part of 'x', which never ends", None),
    "w rom": (
        f"'array.w' cannot have load = \"rom\": {UNKNOWN}",
        'write its elements as "const w: i16[...] = ...", or take load = "once"',
    ),
    "y once": ("'array.y' cannot have load = \"once\": 'top' makes 'y' in each frame", None),
}


@pytest.mark.parametrize("load", WRONG)
def test_loads_that_cannot_be(load: str) -> None:
    name, word = load.split()
    study = Study.model_validate({"array": {name: {"load": word}}})
    model = MachineModel(flatten(loaded(GIVEN), "top"), PLATFORM, study.loads[0])
    space = MappingSpace(model, study)
    with pytest.raises(ArrayolError) as caught:
        check_study(study, space.graph, space.accesses)
    (told,) = caught.value.diagnostics
    message, hint = WRONG[load]
    assert (told.code, told.message) == ("study-misfit", message)
    assert hint is None or told.hint == hint


def test_affine_tables() -> None:
    def bits(elements: str, shape: str = "4", kind: str = "i8") -> int:
        spec: Spec = loaded(f"const K: {kind}[{shape}] = {elements}\n{TABLE}")
        return spec.tables["K"].rom_bits

    assert bits("[3, 5, 7, 9]") == 0
    assert bits("[9, 7, 5, 3]") == 0
    assert bits("[3, 5, 7, 8]") == 32
    assert bits("[2 * i - 3 * j for i in 0..2, j in 0..2]", "2, 2") == 0
    assert bits("[0, 1; 2, 4]", "2, 2") == 32
    assert bits("[i * j for i in 0..3, j in 0..3]", "3, 3", "u8") == 72
    assert bits("[254, 255, 0, 1]", "4", "u8") == 32
    assert bits("[0.5, 0.5]", "2", "f32") == 0
    assert bits("[0.5, 1.0]", "2", "f32") == 64
