"""What steers memories is part of costs where a technology prices it: in batches as for single designs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hardware_designs import PLATFORM, SPEC

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.transforms.steps import canonical_form
from hwmodel.accesses import Accesses
from hwmodel.cost_model.costs import control_cost_of, parts_of
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.memories.local_ports import LocalPorts
from hwmodel.datapath.technology.overhead import NO_ROUTES, Routes, memory_features
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.design import Scan
from hwmodel.local_memory.offsets import Access
from hwmodel.local_memory.organisations import organise
from hwmodel.local_memory.port_plan import Ports, plan_ports

OVERHEAD = """\
like = "ecp5-6"

[overhead.lut]
memory = 100.5
port = 1
ways = 0.75

[overhead.ff]
named = 2
held = 1
bank = 0.3
"""


def explored(folder: Path, technology: str | None) -> tuple[api.Exploration, api.Spec, Path]:
    """The plain front of a small specification by LUT and FF too."""
    (folder / "both.aol").write_text(SPEC, encoding="utf-8")
    platform = PLATFORM
    if technology is not None:
        (folder / "own.toml").write_text(technology, encoding="utf-8")
        platform = platform.replace('"ecp5-6"', '"./own.toml"')
    (folder / "both.toml").write_text(platform, encoding="utf-8")
    spec = api.load(folder / "both.aol")
    study = api.Study.model_validate({"objectives": ("latency_cycles", "lut", "ff"), "units": [1], "slack": 0})
    space = api.Space(study=study, narrow=True, verify=False)
    return api.explore(spec, space=space), spec, folder / "result"


def test_batches_and_single_designs_say_the_same(tmp_path: Path) -> None:
    found, spec, folder = explored(tmp_path, OVERHEAD)
    api.write_result(found, folder)
    assert len(found.result.pareto) > 3
    for record in found.result.pareto[:: max(1, len(found.result.pareto) // 8)]:
        opened = api.open_design(spec, folder, record.id)
        parts = parts_of(opened.estimate.groups)
        costs, steering = opened.estimate.costs, control_cost_of(opened.platform, parts)
        assert (costs["lut"], costs["ff"]) == (record.objectives["lut"], record.objectives["ff"])
        assert steering["lut"] > 100 * sum(len(group.memories) for group in opened.estimate.groups)
        memories = [use.organisation for group in opened.estimate.groups for use in group.memories]
        built = sum(one.built.lut for one in memories if one is not None)
        assert built >= steering["lut"]
        assert len(parts) == len(memories)


def test_without_coefficients_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    plain, _, _ = explored(tmp_path / "a", None)
    like, _, _ = explored(tmp_path / "b", 'like = "ecp5-6"\n')
    assert [one.objectives for one in plain.result.pareto] == [one.objectives for one in like.result.pareto]


def test_features_of_memories() -> None:
    """A memory of 4 banks of 16 words of 8 bits, copied twice: 4 lanes read all of them, each of 2 that write two."""
    routes = Routes(reads=4, writes=2, moving=4, port=64, read_reach=4, write_reach=2)
    written = 2 * 2 + 4 * 1 * (8 + 4)  # one lane comes to a bank: a LUT for a bit, once for both copies
    asked = 2 * (2 * 4 + 4 * 1 * 4)  # a copy has 2 of the lanes that read: a LUT for a bit of an address
    assert memory_features(routes, 4, 2, 8, 16) == {
        "memory": 1,
        "port": 64,
        "lane": 6 * (4 + 2),
        "ways": pytest.approx(written + asked + 4 * 8 * 7 / 3),  # of 4 words: two of two, and an OR of 2 of 4 inputs
        "bent": 0,
        "across": 0,
        "uneven": 0,
        "named": 4 * 4,
        "held": 2 * (8 + 4 + 2 + 1),
        "bank": 2 * 4 * (8 + 4),
    }
    one = memory_features(Routes(1, 1, 1), 1, 1, 8, 16)
    assert (one["ways"], one["named"]) == (0, 0)  # nothing to choose among
    assert memory_features(NO_ROUTES, 4, 2, 8, 16) == {}
    turned = memory_features(Routes(1, 1, 1, in_rows=False), 1, 1, 8, np.array([16, 12]))
    assert (turned["across"], turned["uneven"].tolist()) == (1, [0, 1])


def test_ways_of_many_lanes() -> None:
    """8 lanes at each of 2 banks of 16 words: four LUTs and an OR of them; the one lane that reads has two words."""
    crowded = memory_features(Routes(reads=1, writes=8, read_reach=2, write_reach=2), 2, 1, 8, 16)
    assert crowded["ways"] == pytest.approx(8 * 2 + 1 * 2 + 2 * 5 * (8 + 4) + 8)
    far = memory_features(Routes(reads=1, writes=8, write_reach=16), 16, 1, 8, 16)
    assert far["ways"] == pytest.approx(
        8 * 16 * 2 + 1 + 16 * 5 * (8 + 4)
    )  # four bits and whether it is there: two LUTs


def registers(routes: Routes, words: int) -> float:
    """The ways of such a memory of words of 8 bits."""
    return float(memory_features(routes, 1, 1, 8, words, registers=True)["ways"])


def test_ways_to_registers() -> None:
    """Each of two lanes writes every other word of 16, which so comes from one lane; and 3 read all."""
    chosen = 0.875 * 16 - 1
    assert registers(Routes(reads=3, writes=2, moving=3, write_step=2), 16) == pytest.approx(2 * 8 + 3 * 8 * chosen)
    both = registers(Routes(writes=2), 16)
    assert both == pytest.approx(2 * 16 * 2 + 16 * 8)  # two lanes at each word
    assert registers(Routes(writes=2, pieces=2), 16) == 2 * 8 * 1  # each has words of its own


def test_ways_of_the_port_to_registers() -> None:
    aligned = Routes(reads=5, writes=16, moving=1, stored=4, loaded=16)
    assert registers(aligned, 16) == pytest.approx(16 + 8 * (0.875 * 16 - 1 + 4 * (0.875 * 4 - 1)))  # a word for each
    rows = Routes(writes=16, loaded=16)
    assert registers(rows, 48) == 16 * 3  # those that are 16 apart
    down = Routes(writes=16, loaded=16, in_rows=False)
    assert registers(down, 48) == pytest.approx(16 * 48 * 2 + 48 * 8 * 31 / 3)  # blocks do not go along them: all
    across = Routes(writes=16, loaded=16)
    assert registers(across, 24) == pytest.approx(16 * 3 + 24 * 8 * 1)  # those that are 8 apart: 2 at a word


def test_ways_of_the_port_to_parts_of_rows() -> None:
    """Two blocks of 24 words, in two rows of 12 each: one of 16 lanes comes to those that are 4 apart."""
    stored = Routes(reads=16, stored=16, stored_rows=2)
    assert registers(stored, 48) == pytest.approx(16 * 8 * (0.875 * 12 - 1))
    assert registers(Routes(reads=4, stored=4, in_rows=False), 4) == pytest.approx(4 * 8 * (0.875 * 4 - 1))  # down: all


def test_routes_of_patterns_that_bend() -> None:
    """What is read mirrored, in 8 cycles; what is stored in rows of cells of 2 x 2 pixels of three colours."""
    path = shipped_folder() / "demosaic.aol"
    platform = api.load_platform(path.with_suffix(".toml"))
    spec = api.load(path, {name: str(value) for name, value in platform.verify.items()})
    accesses = Accesses(canonical_form(spec, "demosaic").network)
    group = Group(accesses, tuple(accesses.network.processes))
    ports = LocalPorts(group, platform, Scan((0, 1), (False, False)))
    rates = dict.fromkeys(group.tasks, (1, 13))
    mosaic, colours = (ports.ways(array, rates)[0].routes for array in ("mosaic", "colours"))
    assert (mosaic.bent, colours.bent) == (pytest.approx(8**0.5), 0)
    assert (colours.in_rows, colours.stored_rows) == (True, 2)
    assert memory_features(mosaic, 16, 1, 8, 8)["bent"] == mosaic.bent


@pytest.mark.parametrize("overhead", [OVERHEAD, 'like = "ecp5-6"\n'])
def test_an_organisation_has_the_lanes_of_its_way(overhead: str, tmp_path: Path) -> None:
    """Few words are registers, many lie in banks; each has lanes, whether they have a price or not."""
    (tmp_path / "own.toml").write_text(overhead, encoding="utf-8")
    path = shipped_folder() / "demosaic.aol"
    platform = api.load_platform(path.with_suffix(".toml"))
    platform = platform.model_copy(update={"technology": load_technology(tmp_path / "own.toml")})
    spec = api.load(path, {name: str(value) for name, value in platform.verify.items()})
    accesses = Accesses(canonical_form(spec, "demosaic").network)
    ports = LocalPorts(Group(accesses, tuple(accesses.network.processes)), platform, Scan((0, 1), (False, False)))
    plan, ways = ports.ways("mosaic", dict.fromkeys(accesses.network.processes, (1, 13)))
    assert ports.terms is not None
    few, many = (organise(plan, 8, words, lambda _: 512, ports.terms, ways=ways) for words in (2, 8192))
    lanes = {"reads": 2, "writes": 16, "moving": 2, "loaded": 16}
    steps = {"read_step": 2, "write_step": 0, "in_rows": True}
    assert few.way == "registers"
    assert many.way != "registers"
    for one in (few, many):
        assert {name: getattr(one.routes, name) for name in lanes | steps} == lanes | steps


def test_registers_have_no_window_beside_them() -> None:
    """Rows of 3 x 3 that move by one: banks with a window read three elements a cycle, registers nine."""
    places = tuple((row, column) for row in range(3) for column in range(3))
    reader = Access(places, (0, 1), ordered=True, moves=((0, 1), (1, 0)))
    plan = plan_ports(Ports(2, (reader,), (), (((0, 0),),), shape=(8, 8)))
    assert plan.windows[0] is not None
    assert (plan.routes.reads, plan.register_routes.reads) == (3, 9)


def test_ways_of_the_scan(tmp_path: Path) -> None:
    """Where units take a whole row, nothing of a lane moves along rows; whether blocks go along rows is the scan's."""
    (tmp_path / "both.aol").write_text(SPEC, encoding="utf-8")
    (tmp_path / "both.toml").write_text(PLATFORM, encoding="utf-8")
    accesses = Accesses(canonical_form(api.load(tmp_path / "both.aol"), "both").network)
    group = Group(accesses, tuple(accesses.network.processes))
    platform = api.load_platform(tmp_path / "both.toml")
    rows, columns = (LocalPorts(group, platform, Scan(order, (False, False))) for order in ((0, 1), (1, 0)))
    task = group.last
    (touch,) = accesses.writes[task]
    units = group.network.processes[task].repetition[1]
    assert rows.access(touch, 1, 1).moves == ((1, 0), (0, 1))
    assert rows.access(touch, 2, 1).moves == ((1, 0), (0, 2))
    assert rows.access(touch, units, 1).moves == ((1, 0),)
    rates = dict.fromkeys(group.tasks, (1, 1))
    routes = [plan_ports(own.ports(touch.array, rates)).routes for own in (rows, columns)]
    assert [own.in_rows for own in routes] == [True, False]


def test_a_technology_that_is_like_another(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('like = "ecp5-6"\n\n[path]\nmargin = 1.5\n\n[overhead.lut]\nmemory = 2\n', encoding="utf-8")
    own, base = load_technology(path), load_technology("ecp5-6")
    assert own.table.path.margin == 1.5
    assert own.table.path.ns == base.table.path.ns
    assert own.table.operators == base.table.operators
    assert own.memory_kinds == base.memory_kinds
    assert own.identity != base.identity
    assert base.overhead is None
    assert own.overhead is not None
    assert own.overhead.lut.memory == 2
    for text, code in (
        ('like = "ecp6"\n', "'like' names no shipped technology"),
        ('like = "ecp5-6"\n[overhead.lut]\nmemory = -1\n', "overhead.lut.memory"),
        ('like = "ecp5-6"\n[overhead.lut]\nbanks = 1\n', "unknown-key"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(api.ArrayolError, match=code):
            load_technology(path)
