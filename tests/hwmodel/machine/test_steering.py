"""What steers memories is part of costs where a technology prices it: in batches as for single designs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hardware_designs import PLATFORM, SPEC

from arrayol import api
from hwmodel.datapath.technology.overhead import NO_ROUTES, Routes, memory_features
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.machine.steering import parts_of, steering_of

OVERHEAD = """\
like = "ecp5-6"

[overhead.lut]
memory = 100.5
port = 1
choose = 0.75
match = 0.25
join = 0.5

[overhead.ff]
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
    study = api.Study.model_validate({"objectives": ("latency_cycles", "lut", "ff")})
    space = api.Space(study=study, narrow=True, verify=False)
    return api.explore(spec, space=space), spec, folder / "result"


def test_batches_and_single_designs_say_the_same(tmp_path: Path) -> None:
    found, spec, folder = explored(tmp_path, OVERHEAD)
    api.write_result(found, folder)
    assert len(found.result.pareto) > 3
    for record in found.result.pareto:
        opened = api.open_design(spec, folder, record.id)
        costs, steering = opened.estimate.costs, steering_of(opened.platform, opened.estimate.groups)
        assert (costs["lut"], costs["ff"]) == (record.objectives["lut"], record.objectives["ff"])
        assert steering["lut"] > 100 * sum(len(group.memories) for group in opened.estimate.groups)
        memories = [use.organisation for group in opened.estimate.groups for use in group.memories]
        built = sum(one.built.lut for one in memories if one is not None)
        assert built >= steering["lut"]
        assert len(parts_of(opened.estimate.groups)) == len(memories)


def test_without_coefficients_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    plain, _, _ = explored(tmp_path / "a", None)
    like, _, _ = explored(tmp_path / "b", 'like = "ecp5-6"\n')
    assert [one.objectives for one in plain.result.pareto] == [one.objectives for one in like.result.pareto]


def test_features_of_memories() -> None:
    """A memory of 4 banks of 16 words of 8 bits, copied twice: 4 lanes read all of them, each of 2 that write two."""
    routes = Routes(reads=4, writes=2, moving=4, port=64, read_reach=4, write_reach=2)
    assert memory_features(routes, 4, 2, 8, 16) == {
        "memory": 1,
        "port": 64,
        "lane": 6 * (4 + 2),
        "match": 2 * (2 * 2 + 2 * 4),  # a copy has 2 of the lanes that read
        "join": 2 * 4 * (1 * (8 + 4) + 1 * 4),  # one lane comes to a bank to write, two to read: a LUT each
        "choose": 4 * 8 * (0.875 * 4 - 1),
        "held": 2 * (8 + 4 + 2 + 1),
        "bank": 2 * 4 * (8 + 4),
    }
    crowded = memory_features(Routes(reads=1, writes=8, read_reach=2, write_reach=2), 2, 1, 8, 16)
    assert crowded["join"] == pytest.approx(2 * 5 * (8 + 4))  # 8 lanes at a bank: four LUTs, and an OR of them
    assert crowded["choose"] == 8  # of two
    one = memory_features(Routes(1, 1, 1), 1, 1, 8, 16)
    assert (one["match"], one["join"], one["choose"]) == (0, 0, 0)  # nothing to choose among
    assert memory_features(NO_ROUTES, 4, 2, 8, 16) == {}


def test_features_of_registers() -> None:
    """16 words of 8 bits; each of two lanes writes every other word."""
    registers = memory_features(Routes(reads=3, writes=2, moving=3, write_step=2), 1, 1, 8, 16, registers=True)
    assert (registers["match"], registers["join"]) == (2 * 8, 16 * 8)
    assert registers["choose"] == pytest.approx(3 * 8 * (0.875 * 16 - 1))
    aligned = memory_features(Routes(reads=5, writes=16, moving=1, stored=4, loaded=16), 1, 1, 8, 16, registers=True)
    assert (aligned["match"], aligned["join"]) == (16, 16 * 8)  # a word for each lane
    assert aligned["choose"] == pytest.approx(8 * (0.875 * 16 - 1 + 4 * (0.875 * 4 - 1)))
    across = memory_features(
        Routes(reads=5, writes=16, moving=0, stored=5, loaded=16, row=24), 1, 1, 8, 24, registers=True
    )
    assert across["match"] == 16 * 24


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
