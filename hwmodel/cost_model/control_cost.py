"""Costs of control and interconnect of whole designs, by features of memories and units (docs/technologies.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hwmodel.cost_model.estimate import GroupEstimate
from hwmodel.datapath.technology.overhead import STEERED
from hwmodel.platform import Platform


def parts_of(groups: Sequence[GroupEstimate]) -> list[Mapping[str, Any]]:
    """The features of each memory that is built."""
    built = [use.organisation for group in groups for use in group.memories]
    return [memory.features for memory in built if memory is not None]


def control_cost_of(platform: Platform, parts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The share of control and interconnect in a design's costs, by name; empty if the technology has no such model."""
    overhead = platform.prices.overhead if platform.prices is not None else None
    each = [overhead.of(part) for part in parts] if overhead is not None else []
    return {name: float(sum(amounts[number] for amounts in each)) for number, name in enumerate(STEERED)}
