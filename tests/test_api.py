"""The Python interface as a notebook uses it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arrayol import api

LPSF = Path(__file__).parents[1] / "specs" / "lpsf.aol"


def test_run_takes_and_gives_arrays_by_port() -> None:
    spec = api.load(LPSF, {"H": 8, "W": 12})
    flat = api.run(spec, {"p0": np.zeros((8, 12), np.float32)})
    assert flat["p4"].dtype == np.float32
    assert not flat["p4"].any()
    row = api.run(spec, {"src": np.ones((8, 12), np.float32)}, top="hflr")["dst"]
    assert np.array_equal(row[0], 1 - np.float32(0.5) ** np.arange(1, 13, dtype=np.float32))


def test_mistakes_are_one_exception() -> None:
    spec = api.load(LPSF, {"H": 8, "W": 12})
    with pytest.raises(api.ArrayolError, match="missing-input"):
        api.run(spec, {})
    with pytest.raises(api.ArrayolError, match=r"unknown-task.*\n.*did you mean 'hflr'"):
        api.run(spec, {}, top="hflrr")
    with pytest.raises(api.ArrayolError, match="no such file"):
        api.load(LPSF.with_name("lpfs.aol"))
