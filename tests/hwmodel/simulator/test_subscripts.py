"""Reads at subscripts that follow from data: at the words that the data ask for, in their cycle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from judging import local_of
from shipped import SMALL, any_input
from test_banks import Bench

from arrayol.checks.check import check_source, load_checked
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from arrayol.ir.spec import Elementary
from arrayol.source import SourceFile
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, Design, GroupDesign, Processor, Scan
from hwmodel.local_memory.addresses import BankedMemory
from hwmodel.local_memory.bank_functions import Residues
from hwmodel.platform import load_platform
from hwmodel.simulator.group import LocalMemories
from hwmodel.simulator.memories.subscripts import RandomReads, places_read
from hwmodel.simulator.schedule.plan import SimulatorError
from hwmodel.simulator.simulate import Simulation, simulate

BODY = """elementary look(x: u8, T: u8[6]) -> (y: u8[3]) {
  y[0] = T[x] + T[5 - x]
  y[1] = T[(x + T[x]) % 6] if x < 4 else 0
  y[2] = T[1]
}
task top(x: u8[4], T: u8[6]) -> (y: u8[4, 3]) { repeat [4] of look { x <- x  T <- T  y -> y } }
"""


def test_a_body_says_what_it_reads() -> None:
    """Each place once, in the order of the text; where a condition does not hold nothing is read."""
    elementary = check_source(SourceFile("look.aol", BODY)).spec.components["look"]
    assert isinstance(elementary, Elementary)
    x, table = np.array([0, 2, 5], np.uint8), np.array([3, 1, 4, 1, 5, 9], np.uint8)
    repetition, place = places_read(elementary, "T", {"x": x, "T": np.tile(table, (3, 1))}, 3)
    read = [place[repetition == one].tolist() for one in range(3)]
    assert read == [[0, 5, 3, 1], [2, 3, 0, 1], [5, 0, 1]]


STATE = """task top(x: u8[12], T: u8[40]) -> (y: u8[12]) {
  repeat [12] of look { x <- x  T <- T  y -> y  s <- n delay [STEP] else START
  }
}
elementary look(x: u8, s: u8, T: u8[40]) -> (y: u8, n: u8) { y = T[s]  n = (s + x) % 40 }
"""


@pytest.mark.parametrize("step", [1, 3, -1, 12])
def test_a_state_says_where_a_table_is_read(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The subscript is what the delay hands on: from an earlier repetition, a later one, or always the default."""
    text = STATE.replace("STEP", str(step)).replace("START", "7")
    spec = check_source(SourceFile("state.aol", text)).spec
    model = MachineModel(flatten(spec, "top"), load_platform(shipped_folder() / "camera.toml"))
    scan = Scan((0,), (step < 0,))
    design = Design((GroupDesign((Processor("top"),), Blocks((4,), scan)),))
    rng = np.random.default_rng(1)
    inputs = {"x": rng.integers(0, 40, 12, np.uint8), "T": rng.integers(0, 256, 40, np.uint8)}
    seen = list[tuple[list[int], list[int]]]()
    monkeypatch.setattr(RandomReads, "check", lambda _, row, place: seen.append((row.tolist(), place.tolist())))
    local = local_of(model, design, model.evaluate(design))
    found = simulate(spec, model.accesses, model.platform, design, local, inputs)
    assert found.identical
    made, wanted = dict[int, int](), list[int]()
    for at in range(12) if step > 0 else range(11, -1, -1):
        state = made.get(at - step, 7)
        made[at] = (state + int(inputs["x"][at])) % 40
        wanted.append(state)
    ((row, place),) = seen
    assert sorted(row) == list(range(12))
    assert sorted(place) == sorted(wanted)


def tables() -> Iterator[tuple[int, tuple[str, str], BankedMemory]]:
    for group, own in enumerate(CAMERA.local):
        for pair, memory in own.residents.items():
            if any(reader.random for reader in memory.readers.values()):
                yield group, pair, memory


CAMERA = Bench.of("camera", 1)


def run(group: int, wrong: LocalMemories) -> Simulation:
    """The camera with other memories of a group, on data."""
    spec = load_checked(shipped_folder() / "camera.aol", SMALL["camera"])
    model, local = CAMERA.model, [*CAMERA.local[:group], wrong, *CAMERA.local[group + 1 :]]
    inputs = {port.name: any_input(port, 1) for port in spec.given_inputs(spec.components[model.network.name])}
    return simulate(spec, model.accesses, model.platform, CAMERA.design, local, inputs)


def test_a_table_is_read_where_data_say() -> None:
    ((group, _, _),) = tables()
    found = run(group, CAMERA.local[group])
    assert found.identical
    (reads,) = found.groups[group].random
    assert reads.rows.touch.array == "GAMMA"


def test_a_read_too_many_and_a_table_too_small() -> None:
    """The gamma correction reads its table three times."""
    ((group, pair, memory),) = tables()
    ((name, reader),) = memory.readers.items()
    assert reader.random == 3
    own = CAMERA.local[group]

    def stopped(wrong: BankedMemory) -> str:
        with pytest.raises(SimulatorError) as caught:
            run(group, replace(own, residents={**own.residents, pair: wrong}))
        return f"{caught.value.rule}: {caught.value.diagnostics[0].message}"

    text = stopped(replace(memory, readers={name: replace(reader, random=2)}))
    assert text.startswith(
        "port: repetition (0, 0) of 'gamma' reads 3 words of 'GAMMA' at places that follow from data"
    )
    assert text.endswith("and bank 0, where it has ports for 2")
    half = replace(memory, depth=memory.depth // 2)
    assert stopped(half).startswith("address: what 'gamma' has of 'GAMMA' has no word for each element")
    assert run(
        group, replace(own, residents={**own.residents, pair: replace(memory, function=Residues((4,)))})
    ).identical
