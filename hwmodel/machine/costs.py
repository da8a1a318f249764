"""Costs of units, by the platform's names."""

from __future__ import annotations

from collections.abc import Mapping

from hwmodel.accesses import Accesses
from hwmodel.machine.estimate import Number
from hwmodel.platform import Platform


def unit_costs(accesses: Accesses, platform: Platform, units: Mapping[str, int]) -> dict[str, Number]:
    """All of a platform's costs by name, summed over units."""
    costs: dict[str, Number] = {name: 0 for path in platform.elementary.values() for name in path.cost}
    for task, number in units.items():
        for name, amount in platform.datapath(accesses.network.processes[task].elementary).cost.items():
            costs[name] += amount * number
    return costs
