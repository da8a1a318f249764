"""Coefficients that made data are found again; none is below 0; scipy's non-negative least squares say the same."""

from __future__ import annotations

import numpy as np
import pytest
import scipy  # whose modules load where a test takes them
from drawn_designs import MODELLED, PARTS_OF_COST, PartSample, fitted_by_part
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.synth.fit import FOR_COST, Sample, fitted, non_negative, predicted

KNOWN = {"memory": 120.0, "port": 3.0, "ways": 0.85}


def sample(generator: np.random.Generator, *, noise: float = 0.0) -> Sample:
    """A design whose steering is as KNOWN says."""
    features = {name: float(generator.integers(1, 1000)) for name in FOR_COST["lut"]}
    units = float(generator.integers(100, 5000))
    steering = sum(value * features[name] for name, value in KNOWN.items())
    return Sample(features, units, (units + steering) * (1 + noise * generator.uniform(-1, 1)))


def test_what_the_data_were_made_of() -> None:
    generator = np.random.default_rng(1)
    samples = [sample(generator) for _ in range(12)]
    found = fitted(samples, FOR_COST["lut"])
    assert found == pytest.approx({**dict.fromkeys(FOR_COST["lut"], 0.0), **KNOWN}, rel=1e-3, abs=1e-6)
    held = sample(generator)
    assert predicted(held, found) == pytest.approx(held.found, rel=1e-3)


def test_what_is_kept_out_is_predicted_through_noise() -> None:
    """Synthesis that is up to 10% off either way."""
    generator = np.random.default_rng(2)
    found = fitted([sample(generator, noise=0.1) for _ in range(40)], FOR_COST["lut"])
    for _ in range(6):
        held = sample(generator)
        assert predicted(held, found) == pytest.approx(held.found, rel=0.15)


def test_one_that_no_feature_tells_does_not_pull_at_the_others() -> None:
    generator = np.random.default_rng(3)
    samples = [sample(generator) for _ in range(12)]
    odd = sample(generator)
    found = fitted([*samples, Sample(odd.features, odd.modelled, 3 * odd.found)], FOR_COST["lut"])
    for one in samples:
        assert predicted(one, found) == pytest.approx(one.found, rel=0.02)


def test_parts_say_which_feature_takes_what() -> None:
    """Four designs for eight features."""
    generator = np.random.default_rng(4)
    known = {"agents": 30.0, "instructions": 1.5, "wraps": 2.0, "queued": 4.0, "joined": 0.9, "rows": 0.2}
    samples = list[PartSample]()
    for _ in range(4):
        features = {name: float(generator.integers(1, 1000)) for name in known}
        parts = dict[str, float]()
        for owners, names in PARTS_OF_COST["lut"]:
            # `agents` are in two parts, of which the first takes all of them here
            own = [name for name in names if name in known and (name != "agents" or owners == ("agents",))]
            parts[owners[0]] = sum(known[name] * features[name] for name in own) + 500 * (owners == MODELLED)
            parts |= dict.fromkeys(owners[1:], 0.0)
        samples.append(PartSample(features, 500.0, parts))
    found = fitted_by_part(samples, "lut")
    assert found == pytest.approx({**dict.fromkeys(("waiting", "chosen"), 0.0), **known}, rel=1e-3, abs=1e-6)
    for one in samples:
        assert predicted(one.whole, found) == pytest.approx(one.whole.found, rel=1e-3)


def test_nothing_is_below_zero() -> None:
    """What would be best with a negative coefficient goes without."""
    samples = [Sample({"memory": 1.0, "port": float(port)}, 0.0, 100.0 - port) for port in range(8)]
    found = fitted(samples, ("memory", "port"))
    assert found["port"] == 0.0
    assert 92 < found["memory"] < 100


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 14))
def test_as_scipy(seed: int, columns: int, rows: int) -> None:
    generator = np.random.default_rng(seed)
    matrix, values = generator.normal(size=(rows, columns)), generator.normal(size=rows)
    own, other = non_negative(matrix, values), scipy.optimize.nnls(matrix, values)[0]
    assert (own >= 0).all()
    assert np.linalg.norm(matrix @ own - values) <= np.linalg.norm(matrix @ other - values) + 1e-6


def test_features_that_no_design_has() -> None:
    rows = np.array([[1.0, 0.0], [2.0, 0.0]])
    assert non_negative(rows, np.array([2.0, 4.0])).tolist() == pytest.approx([2.0, 0.0])
