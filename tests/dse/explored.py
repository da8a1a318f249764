"""Explorations of lpsf that several tests share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from arrayol import api
from dse.results.exploration import Exploration

SPECS = Path(__file__).resolve().parents[2] / "specs"


@cache
def mapped(height: int = 4, width: int = 8) -> Exploration:
    """Plain mappings of a small image on lpsf.toml."""
    spec = api.load(SPECS / "lpsf.aol", {"H": height, "W": width})
    return api.explore(spec, space=api.Space(narrow=True, verify=False))


@cache
def published() -> Exploration:
    """All fusions under the published model, at full size."""
    return api.explore(api.load(SPECS / "lpsf.aol"), model="published", keep_all=True)
