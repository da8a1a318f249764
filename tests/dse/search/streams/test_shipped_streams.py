"""Shipped specifications as one streaming group each, at a small size: as the simulated machine runs them."""

from __future__ import annotations

from pathlib import Path

import pytest
from shipped import SMALL

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.transforms.steps import canonical_form
from dse.search.streams.stream_search import price_streams
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from dse.verify.testbench import Testbench
from hwmodel.platform import find_platform, for_copies

FOLDER = Path(__file__).parents[4] / "specs"
REFUSED = {
    "lpsf": "moves against the scan",
    "radar": "no scan serves both",
    "splitmatmul": "no scan serves both",
}


def bench_of(name: str) -> Testbench:
    path = FOLDER / f"{name}.aol"
    spec = load_checked(path, SMALL[name])
    form = canonical_form(spec, choose_top(spec, None))
    return Testbench(form.spec, form.network, for_copies(find_platform(path, None)[0], form.original))


@pytest.mark.parametrize(
    "name", ["camera", "conv3x3", "dct", "demosaic", "downscaler", "fir", "harris", "jacobi", "pyramid", "wavelet"]
)
def test_streams_run_as_priced(name: str) -> None:
    bench = bench_of(name)
    study = Study(paces=("1/2",), starts=("latency",))
    found = price_streams(MappingSpace(bench.model, study), tuple(bench.network.processes))
    assert found.refused == 0
    design, estimate = found.designs[0]
    assert bench.judge(design).reasons == ()
    assert bench.model.step_cycles(design) == bench.trial(design).simulation.run.lengths
    assert sum(bench.model.step_cycles(design)) == estimate.latency_cycles


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_stream_says_why(name: str) -> None:
    bench = bench_of(name)
    found = price_streams(MappingSpace(bench.model, Study(paces=("1",))), tuple(bench.network.processes))
    assert not found.designs
    assert REFUSED[name] in (found.refusal or "")
