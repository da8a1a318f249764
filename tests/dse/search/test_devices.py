"""Explorations for a device: what does not fit is counted, slowed until it fits, and never shown."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from explored import WEIGHED

from arrayol import api
from arrayol.errors import InfeasibleError
from dse.results.schema import Result
from dse.space.remarks import fit_text

TECHNOLOGY = 'like = "ecp5-6"\n[[device]]\nname = "S"\nlut = {lut}\nff = {ff}\ndsp = {dsp}\nblocks = 4\n'
PLATFORM = 'clock_mhz = 50\ntechnology = "./own.toml"\ndevice = "S"\n[memory]\nlatency = 4\nword_bits = 32\n'
COMPARED = ("latency_cycles", "internal_memory_elements")
BOUNDED = ("lut", "ff", "dsp", "memory_blocks")


@cache
def explored(
    lut: int, ff: int, dsp: int, device: str | None = None, slack: float = 0.01, objectives: tuple[str, ...] = COMPARED
) -> Result:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "own.toml").write_text(TECHNOLOGY.format(lut=lut, ff=ff, dsp=dsp), encoding="utf-8")
        (folder / "both.toml").write_text(PLATFORM, encoding="utf-8")
        (folder / "both.aol").write_text(WEIGHED, encoding="utf-8")
        space = api.Space(study=api.Study(slack=slack), narrow=True, verify=False)
        return api.explore(folder / "both.aol", objectives=objectives, device=device, space=space).result


def points(result: Result) -> list[tuple[float, ...]]:
    return [tuple(design.objectives[name] for name in result.objectives) for design in result.pareto]


@pytest.mark.parametrize("most", [(600, 600, 3), (500, 300, 16), (100, 600, 16), (10**6, 10**6, 2)])
def test_all_that_is_shown_fits(most: tuple[int, int, int]) -> None:
    anything, result = explored(*most, device="none"), explored(*most)
    assert result.device is not None
    limits = dict(zip(BOUNDED, (*most, 4), strict=True))
    assert result.device.capacities == limits
    assert all(design.objectives[name] <= bound for design in result.pareto for name, bound in limits.items())
    over = [any(design.objectives[name] > bound for name, bound in limits.items()) for design in anything.pareto]
    assert (result.device.exceeding, result.device.designs) == (sum(over), len(over))
    assert any(over)
    assert not result.exact
    assert anything.device is None
    # Nothing is better than what any size allows, and none of what fitted is lost.
    for point in points(result):
        assert any(all(a <= b for a, b in zip(other, point, strict=True)) for other in points(anything))
    for point, exceeds in zip(points(anything), over, strict=True):
        if not exceeds:
            assert any(all(a <= b for a, b in zip(other, point, strict=True)) for other in points(result))


@pytest.mark.parametrize("slack", [0.1, 0.3])
def test_what_fits_takes_little_logic(slack: float) -> None:
    most = (500, 300, 16)
    strict, shown = explored(*most, slack=0.0), explored(*most, slack=slack)
    everything = explored(*most, slack=0.0, objectives=(*COMPARED, "lut"))
    for point in points(strict):
        limits = [int((1 + slack) * value) for value in point]

        def within(result: Result, limits: list[int] = limits) -> list[float]:
            pairs = zip(points(result), result.pareto, strict=True)
            close = (one for figures, one in pairs if all(a <= b for a, b in zip(figures, limits, strict=False)))
            return [one.objectives["lut"] for one in close]

        assert min(within(shown)) <= 1.1 * min(within(everything))
    assert len(shown.pareto) <= len(strict.pareto)


def test_a_device_that_all_fits_changes_nothing() -> None:
    anything, result = explored(10**6, 10**6, 10**4, device="none"), explored(10**6, 10**6, 10**4)
    assert result.device is not None
    assert (result.device.exceeding, result.exact) == (0, True)
    assert result.pareto == anything.pareto


def test_nothing_fits() -> None:
    with pytest.raises(InfeasibleError) as raised:
        explored(20, 20, 0)
    assert "keeps all constraints: lut <= 20 is asked" in raised.value.diagnostics[0].message


def test_fits_in_words() -> None:
    assert fit_text("LFE5U-45F", 41, 277) == "41 of 277 designs need more than an LFE5U-45F"
    assert fit_text("xc7z020", 1, 1) == "1 of 1 design needs more than an xc7z020"
    assert fit_text("ZU3", 0, 5) == "no design needs more than a ZU3"
    assert fit_text("2,000 um2", 2, 5) == "2 of 5 designs need more than 2,000 um2"
