"""What was computed of lines is computed once for all groups of a network, and again where it was forgotten."""

from __future__ import annotations

import numpy as np
import pytest

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.machine.model import MachineModel
from hwmodel.machine.separable import line_cache
from hwmodel.machine.separable.line_cache import LineCache
from hwmodel.platform import find_platform


def test_each_key_is_made_once() -> None:
    cache, made = LineCache(), []

    def make() -> tuple[np.ndarray, ...]:
        made.append(1)
        return (np.zeros(3),)

    assert cache.once(make, "lines", 1) is cache.once(make, "lines", 1)
    cache.once(make, "lines", 2)
    assert len(made) == 2


def test_all_is_forgotten_where_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_cache, "_MOST_BYTES", 100)
    cache = LineCache()
    first, second = (cache.once(lambda: (np.zeros(10), 1), key) for key in "ab")
    assert cache.once(lambda: (np.ones(10), 1), "a") is first  # 160 bytes, and nothing new came since
    third = cache.once(lambda: (np.ones(1), 1), "c")
    assert cache.once(lambda: (np.ones(10), 1), "b") is not second
    assert cache.once(lambda: (np.zeros(1), 1), "c") is third


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
        priced = batch.price(scan, np.array([[2, 2], [4, 3]]), np.ones((1, len(tasks)), np.int64))
        bits = priced.internal_memory_bits.tolist()
        found.append((len(batch.counts.lines._kept), bits))  # noqa: SLF001  what it holds is what is tested
    return found
