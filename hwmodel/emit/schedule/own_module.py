"""A user's module of Verilog in place of a datapath that is derived from a body (docs/hardware.md, own modules).

It is a pipeline that takes a repetition in each interval: all that the schedule has to know is interval and latency.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError
from arrayol.ir.network import Process
from arrayol.ir.spec import Elementary
from hwmodel.datapath.derive import Derived
from hwmodel.datapath.entry import ElementaryEntry, VerilogFile
from hwmodel.datapath.operators.bins import Bins
from hwmodel.emit.schedule.bits import not_emitted
from hwmodel.emit.schedule.units import FETCH
from hwmodel.platform import Platform


@dataclass(frozen=True, eq=False)
class OwnModule:
    """The module that computes an elementary task, and its files.

    `interval` and `latency` are cycles, `latency` without those of the local memory: a cycle less than from a
    repetition's first operands on the ports to its first results. A state is an input and an output as all others are.
    """

    elementary: Elementary
    name: str
    files: tuple[VerilogFile, ...]
    interval: int
    latency: int
    enable: str | None = None  # the input that is 0 while it stands still
    recurrence: Mapping[tuple[str, str], int] = field(default_factory=dict)
    waiting_lut: Mapping[str, float] = field(default_factory=dict)
    mhz: float | None = None  # nobody says which clock it reaches

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of its input ports."""
        return tuple(port.name for port in self.elementary.inputs)

    @property
    def bins(self) -> tuple[Bins, ...]:
        """The memories to whose words sums are added: none that is known of."""
        return ()

    @property
    def tables(self) -> frozenset[str]:
        """The inputs that are read at subscripts of data: none, since all elements are on their ports."""
        return frozenset()

    def always_reads(self, _port: str, elements: int) -> NDArray[np.bool_]:
        """By element of an input, whether it is on the port in every repetition: all of them are."""
        return np.ones(elements, np.bool_)

    def finished_by(self, _port: str, elements: int) -> IntArray:
        """By element of an output, a cycle by whose end it is made. Nothing is known of it before it leaves."""
        return np.zeros(elements, np.int64)


Computing = Derived | OwnModule  # what a unit is made of


def computing_of(process: Process, platform: Platform, interval: int, latency: int) -> Computing | None:
    """A user's module for a task, or the datapath that is derived at an interval and a latency; None where none is.

    Raises ArrayolError as `own_module`.
    """
    elementary, entry = process.definition, platform.entry(process.elementary)
    assert elementary is not None, "a network that is emitted was made of a specification"
    if entry.module is None:
        return platform.derived(process, interval, latency)
    return own_module(process, elementary, entry)


def own_module(process: Process, elementary: Elementary, entry: ElementaryEntry) -> OwnModule:
    """The module that a platform's entry names for a task, of which `FETCH` cycles of the latency are the memory's.

    Raises ArrayolError (`not-emitted`) for figures that are not given, and names that do not fit.
    """
    named = f"[elementary.{process.elementary}] of the platform"
    interval = entry.intervals[0] if len(entry.intervals) == 1 else None
    if interval is None or entry.latency is None:
        raise _figures(process.elementary, named)
    if entry.latency < FETCH:
        raise not_emitted(
            f"the latency of '{process.elementary}' is {entry.latency}, and {FETCH} of it are the local memory's",
            f"give {named} a latency of at least {FETCH}",
        )
    if not any(re.search(rf"\bmodule\s+{entry.module}\b", file.text) for file in entry.verilog):
        raise not_emitted(
            f"no file has the module '{entry.module}'", f'name it in {named}, as verilog = ["{entry.module}.v"]'
        )
    if entry.enable in {"clk", "slot", *(port.name for port in (*elementary.inputs, *elementary.outputs))}:
        raise not_emitted(
            f"the enable of '{entry.module}' has the name of another port, '{entry.enable}'",
            f'give it one of its own in {named}, as enable = "ce"',
        )
    return OwnModule(elementary, str(entry.module), entry.verilog, interval, entry.latency - FETCH, entry.enable)


def _figures(name: str, named: str) -> ArrayolError:
    return not_emitted(
        f"'{name}' is a module of your own, without one interval and a latency",
        f"give both in {named}, as interval = 1 and latency = 5",
    )
