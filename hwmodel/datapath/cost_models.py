"""Cost models of plug-ins: one more cost of a unit, by its name, which a platform asks for in `cost_models`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from arrayol.ir.network import Process
from arrayol.limits import LARGEST
from arrayol.plugins import COST_MODELS, blamed, broken, installed, plugin

_DECIMALS = 3  # amounts are decimals of so many digits, since costs are compared as whole numbers


class CostModel(Protocol):
    """The interface of a plug-in: a function."""

    def __call__(self, process: Process, interval: int, cost: Mapping[str, float]) -> float:
        """The cost of a task's unit that starts a repetition every `interval` cycles: a number from 0.

        `process.definition` is the elementary with its body; `cost` has the known costs of the unit, by name.
        """


def has_cost_model(name: Any) -> bool:
    """Whether a cost model of that name is installed."""
    return isinstance(name, str) and name in installed(COST_MODELS)


def modelled_cost(name: str, process: Process, interval: int, cost: Mapping[str, float]) -> float:
    """The cost of a unit by a cost model. Raises ArrayolError (`broken-plugin`)."""
    model: CostModel = plugin(COST_MODELS, name, callable, "function")
    with blamed(COST_MODELS, name):
        amount = float(model(process, interval, dict(cost)))
    if not 0 <= amount <= LARGEST:
        raise broken(COST_MODELS, name, f"it gives {amount} for '{process.name}'")
    return round(amount, _DECIMALS)
