"""Where no memory serves the fastest rates, and there are too many others to try them all: that is told."""

from __future__ import annotations

import pytest

from arrayol import api
from arrayol.files import shipped_folder
from hwmodel.cost_model.evaluate import fastest
from hwmodel.platform import NO_DEVICE, on_device


def explored() -> api.Exploration:
    study = api.Study(units=(1, 2), intervals=(1, 5))
    space = api.Space(study=study, narrow=True, verify=False)
    objectives = ("latency_cycles", "traffic_bytes")
    platform = on_device(api.load_platform(shipped_folder() / "attention.toml"), NO_DEVICE)
    return api.explore(shipped_folder() / "attention.aol", platform, objectives=objectives, space=space)


def test_rates_that_are_not_tried_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four rates of each task; keys and values are not served at an interval of 1."""
    whole = explored().result
    assert whole.exact
    assert "not tried" not in whole.method_description
    monkeypatch.setattr(fastest, "COMBINATIONS", 3)
    found = explored().result
    assert not found.exact
    assert "of the most units not tried, where no memory serves the fastest rates" in found.method_description
    sizes = [one.evaluated + one.infeasible + one.pruned for one in (whole, found)]
    assert sizes[0] == sizes[1]
    least = [min(design.objectives["latency_cycles"] for design in one.pareto) for one in (whole, found)]
    assert least[0] < least[1]
