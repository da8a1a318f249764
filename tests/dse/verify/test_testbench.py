"""The data of a test bench: of its own in each input, of both signs, and such that the bodies have a result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.execute.run import execute
from arrayol.files import shipped_folder
from arrayol.transforms.steps import canonical_form
from dse.verify.testbench import Testbench
from dse.verify.verify import Verifier
from hwmodel.platform import find_platform

SPEC = """\
const N = 40
const STEPS: i16[256] = [3 * k for k in 0..256]

elementary pick(a: i16, b: i16) -> (c: i16) {
  c = BODY
}

task picked(a: i16[N], b: i16[N]) -> (c: i16[N]) {
  repeat [N] of pick {
    a <- a
    b <- b
    c -> c
  }
}
"""
PLATFORM = '[memory]\nlatency = 4\nword_bits = 32\nport = "shared"\n[elementary.pick]\ninterval = 1\nlatency = 4\n'


def bench_of(path: Path) -> Testbench:
    platform = find_platform(path, None)[0]
    spec = api.load(path)
    return Verifier(canonical_form(spec, choose_top(spec, None)), platform).testbench


@pytest.fixture
def bench(tmp_path: Path, request: pytest.FixtureRequest) -> Testbench:
    """Of the specification with a body."""
    path = tmp_path / "picked.aol"
    path.write_text(SPEC.replace("BODY", request.param), encoding="utf-8")
    path.with_suffix(".toml").write_text(PLATFORM, encoding="utf-8")
    return bench_of(path)


@pytest.mark.parametrize(("bench", "signs"), [("a - b", True), ("STEPS[a] - b", False)], indirect=["bench"])
def test_inputs_differ_and_have_signs_where_bodies_take_them(bench: Testbench, *, signs: bool) -> None:
    """A subscript that comes from data has none below 0."""
    assert bench.inputs is not None
    first, second = bench.inputs["a"], bench.inputs["b"]
    assert (first != second).mean() > 0.9
    for data in (first, second):
        assert data.dtype == np.dtype("i2")
        assert (bool((data < 0).any()), bool((data > 0).any())) == (signs, True)
        assert np.abs(data).max() <= 255


@pytest.mark.parametrize("bench", ["STEPS[1000 + a] - b"], indirect=True)
def test_there_are_none_where_bodies_take_none(bench: Testbench) -> None:
    assert bench.inputs is None


def test_the_mask_of_conv3x3_hangs_on_its_inputs() -> None:
    bench = bench_of(shipped_folder() / "conv3x3.aol")
    assert bench.inputs is not None
    mask = execute(bench.spec, bench.network.name, bench.inputs)["mask"]
    assert set(np.unique(mask).tolist()) == {0, 255}
