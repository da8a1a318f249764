"""Energy of one repetition in its datapath, in pJ (docs/cost.md): an estimate, as the tables are.

Operators do not depend on the interval: each operation takes its pJ wherever it is performed. Registers take their pJ
for each bit and cycle in which they hold a value. Toggle rates are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterable

from hwmodel.datapath.cost import OperatorUse
from hwmodel.datapath.schedule.lifetimes import RegisterLifetimes
from hwmodel.datapath.technology.technology import Technology


def operators_pj(uses: Iterable[OperatorUse]) -> float:
    """Energy of the operations of a repetition, in pJ."""
    return sum(use.pj for use in uses)


def registers_pj(lifetimes: RegisterLifetimes, technology: Technology) -> float:
    """Energy of the registers in a repetition, in pJ: bits times cycles."""
    return lifetimes.bit_cycles * technology.register_pj
