"""What was computed of lines is computed once for all groups of a network, and again where it was forgotten."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pytest

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.counted.axes import line_cache
from hwmodel.cost_model.counted.axes.line_cache import LineCache
from hwmodel.cost_model.evaluate.evaluation import price
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import find_platform


def test_each_key_is_made_once() -> None:
    cache, made = LineCache(), []

    def make(keys: Sequence[Hashable]) -> list[np.ndarray]:
        made.append(keys)
        return [np.zeros(3) for _ in keys]

    one, two = cache.values(["a", "b"], make)
    three, again = cache.values(["c", "a"], make)
    assert again is one
    assert len({id(each) for each in (one, two, three)}) == 3
    assert made == [["a", "b"], ["c"]]


def test_all_is_forgotten_where_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_cache, "_MOST_BYTES", 100)
    cache = LineCache()

    def known(key: str, size: int) -> object:
        return cache.values([key], lambda keys: [(np.zeros(size), 1) for _ in keys])[0]

    first, second = (known(key, 10) for key in "ab")
    assert known("a", 10) is first  # 160 bytes, and nothing new came since
    third = known("c", 1)
    assert known("b", 10) is not second
    assert known("c", 1) is third


def test_groups_of_a_network_share_lines() -> None:
    alone, pair = ("vftd",), ("hflr", "vftd")
    apart, together = _known(alone), _known(pair, alone, pair)
    assert together[0] == _known(pair)[0]
    assert 0 < together[1][0] - together[0][0] < apart[0][0]  # what is new of the task alone
    assert together[1][1] == apart[0][1]
    assert together[2] == (together[1][0], together[0][1])


def _known(*groups: tuple[str, ...]) -> list[tuple[int, list[list[int]]]]:
    """How many values are known once each of some groups of one model is priced, and the bits that it comes to."""
    path = shipped_folder() / "lpsf.aol"
    spec = load_checked(path, {"H": 24, "W": 16})
    model, found = MachineModel(flatten(spec, choose_top(spec, None)), find_platform(path, None)[0]), []
    for tasks in groups:
        batch = model.batch(tasks)
        assert batch is not None
        batch.kept.clear()
        scan = model.legal_scans(tasks[-1], (1, 1))[0]
        priced = price(batch.tables(scan, np.array([[2, 2], [4, 3]])), np.ones((1, len(tasks)), np.int64))
        bits = priced.internal_memory_bits.tolist()
        found.append((len(batch.counts.lines._kept), bits))  # noqa: SLF001  what it holds is what is tested
    return found
