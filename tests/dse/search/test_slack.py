"""Slack: nothing that is shown could give up much of its logic for a little of its time, as another search says."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from explored import WEIGHED

from arrayol import api
from arrayol.files import shipped_folder
from dse.results.designs import Design
from dse.results.schema import Result
from dse.search.shown import slower_rates

COMPARED = ("latency_cycles", "internal_memory_elements")
SMALL = {  # shipped specifications with consts of an image of some pixels
    "attention": {"N": 4, "D": 2},
    "conv3x3": {"H": 6, "W": 8},
    "dct": {"H": 8, "W": 16},
    "demosaic": {"H": 4, "W": 6},
    "fir": {"N": 32, "TAPS": 5, "S": 16},
    "firbank": {"BANDS": 2, "TAPS": 4, "N": 8},
    "harris": {"H": 4, "W": 4},  # of eight tasks, whose rates have too many combinations to try all
    "jacobi": {"H": 6, "W": 4, "S": 2},
    "lpsf": {"H": 8, "W": 8},
    "matmul": {"M": 4, "N": 4, "K": 6, "S": 2},
    "pattern": {"N": 24, "LENGTH": 3, "S": 12},
    "polyprod": {"N": 4, "PAIRS": 2},
    "pyramid": {"H": 4, "W": 8},
    "radar": {"PULSES": 4, "GATES": 8},
    "sobel": {"H": 8, "W": 8},
    "solve": {"N": 4, "COUNT": 2},
    "splitmatmul": {"M": 2, "N": 2, "K": 4, "S": 2},
    "stencil2d": {"H": 4, "W": 5, "BLOCKS": 2},
    "stereo": {"H": 4, "W": 6, "SHIFTS": 2, "R": 1},
    "thumbnail": {"H": 9, "W": 8},
    "wavelet": {"H": 8, "W": 16},
}


def searched(spec: api.Spec, slack: float, *objectives: str) -> Result:
    space = api.Space(study=api.Study(slack=slack), narrow=True, verify=False)
    return api.explore(spec, objectives=objectives, space=space, device="none").result


@cache
def both(slack: float, *objectives: str) -> Result:
    with TemporaryDirectory() as folder:
        (Path(folder) / "both.aol").write_text(WEIGHED, encoding="utf-8")
        return searched(api.load(Path(folder) / "both.aol"), slack, *objectives)


def figures(design: Design) -> tuple[float, ...]:
    return tuple(design.objectives[name] for name in COMPARED)


def within(design: Design, other: Design, slack: float) -> bool:
    return all(own <= int((1 + slack) * most + 1e-9) for own, most in zip(figures(design), figures(other), strict=True))


def require_lean(shown: Result, strict: Result, everything: Result, slack: float, share: float) -> None:
    """Each design of the strict front is shown, within the slack, with no more than a share above the least logic."""
    for design in strict.pareto:
        least = min(one.objectives["lut"] for one in everything.pareto if within(one, design, slack))
        lean = [one.objectives["lut"] for one in shown.pareto if within(one, design, slack)]
        assert lean
        assert min(lean) <= share * least
    for one in shown.pareto:
        assert any(within(one, design, slack) for design in strict.pareto)


@pytest.mark.parametrize("slack", [0.01, 0.05, 0.1])
def test_the_least_logic_is_shown(slack: float) -> None:
    strict, everything = both(0.0, *COMPARED), both(0.0, *COMPARED, "lut")
    require_lean(both(slack, *COMPARED), strict, everything, slack, 1.1)


def test_slack_saves_logic() -> None:
    strict, shown = both(0.0, *COMPARED), both(0.4, *COMPARED)
    assert strict.searched is None
    assert shown.searched == len(strict.pareto)
    assert shown.hypervolume == strict.hypervolume
    assert min(one.objectives["lut"] for one in shown.pareto) <= min(one.objectives["lut"] for one in strict.pareto)
    assert sum(one.objectives["lut"] for one in shown.pareto) < sum(one.objectives["lut"] for one in strict.pareto)
    assert shown.space.study is not None
    assert shown.space.study["slack"] == 0.4


def test_logic_that_is_compared_is_left_alone() -> None:
    shown, strict = both(0.4, *COMPARED, "lut"), both(0.0, *COMPARED, "lut")
    assert shown.pareto == strict.pareto
    assert shown.searched is None


@pytest.mark.parametrize("name", SMALL)
def test_shipped_fronts_are_lean(name: str) -> None:
    spec = api.load(shipped_folder() / f"{name}.aol", SMALL[name])
    shown, strict, everything = (
        searched(spec, 0.01, *COMPARED),
        searched(spec, 0.0, *COMPARED),
        searched(spec, 0.0, *COMPARED, "lut"),
    )
    require_lean(shown, strict, everything, 0.01, 1.1)


@pytest.mark.parametrize("slack", [0.05, 0.4])
def test_steps_reach_rates_that_not_all_combinations_were_tried_for(
    slack: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slower_rates, "COMBINATIONS_AT_MOST", 4)
    strict, everything = both(0.0, *COMPARED), both(0.0, *COMPARED, "lut")
    require_lean(both.__wrapped__(slack, *COMPARED), strict, everything, slack, 1.1)
