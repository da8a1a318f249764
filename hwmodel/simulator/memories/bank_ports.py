"""Ports of banks in use: the users of each in every cycle, and a check that there are enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from arrayol.text import counted
from hwmodel.simulator.schedule.plan import fault


@dataclass(frozen=True)
class BankUse:
    """Banks in use, as cycle x banks + bank, each through so many `ports`; `who` names an entry."""

    key: IntArray
    ports: int
    who: Callable[[int], str]


def require_ports(array: str, banks: int, does: str, uses: Sequence[BankUse], there: int) -> None:
    """Raises SimulatorError (`port`) if a bank is used through more than `there` ports in some cycle.

    `does` says what is done to the bank, in words.
    """
    keys = np.concatenate([np.zeros(0, np.int64), *(use.key for use in uses)])
    ports = np.concatenate([np.zeros(0, np.int64), *(np.full(len(use.key), use.ports) for use in uses)])
    key, place = np.unique(keys, return_inverse=True)
    used = np.bincount(place.reshape(-1), ports, len(key)).astype(np.int64)
    for late in np.flatnonzero(used > there)[:1].tolist():
        cycle, bank = divmod(int(key[late]), banks)
        names = [use.who(entry) for use in uses for entry in np.flatnonzero(use.key == key[late]).tolist()]
        text = f"bank {bank} of '{array}' is {does} through {counted(int(used[late]), 'port')} in cycle {cycle}"
        raise fault("port", f"{text}, where it has {there}: {', '.join(dict.fromkeys(names))}")


def mover(who: str, step: IntArray) -> Callable[[int], str]:
    """The name of the loader or storer in the step of each entry."""
    return lambda entry: f"the {who} in step {step[entry]}"
