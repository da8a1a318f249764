"""Frames of a design behind AXI4 on the memory of cocotbext-axi; cocotb runs this module inside of the simulator.

The environment names a file with what to do (`AXI_PLAN`), and one for what was seen (`AXI_SEEN`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiBus, AxiRam

GUARD = bytes(range(1, 65))  # in front of the words of the design and behind them


@cocotb.test()  # type: ignore[untyped-decorator]
async def frames(dut: Any) -> None:
    """Each frame on fresh data; a seed above 0 lets every channel pause at random, about half of the time."""
    plan = json.loads(Path(os.environ["AXI_PLAN"]).read_text(encoding="utf-8"))
    base, before = plan["base"], bytes.fromhex(plan["before"])
    dut.aresetn.value, dut.start.value, dut.base.value = 0, 0, base
    cocotb.start_soon(Clock(dut.aclk, 10, unit="ns").start())
    ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.aclk, dut.aresetn, reset_active_level=False, size=1 << 20)
    for _ in range(3):
        await FallingEdge(dut.aclk)
    dut.aresetn.value = 1
    seen = []
    for seed in plan["seeds"]:
        _pauses(ram, seed)
        ram.write(base - len(GUARD), GUARD + before + GUARD)
        dut.start.value = 1
        await FallingEdge(dut.aclk)
        dut.start.value = 0
        for cycles in count(1):
            if dut.done.value == 1 or cycles == plan["longest"]:
                break
            await FallingEdge(dut.aclk)
        guarded = bytes(ram.read(base - len(GUARD), len(before) + 2 * len(GUARD)))
        whole = guarded.startswith(GUARD) and guarded.endswith(GUARD)
        after = guarded[len(GUARD) : -len(GUARD)]
        seen.append({"cycles": cycles, "guards": whole, "fault": int(dut.fault.value), "after": after.hex()})
        await FallingEdge(dut.aclk)
    Path(os.environ["AXI_SEEN"]).write_text(json.dumps(seen), encoding="utf-8")


def _pauses(ram: AxiRam, seed: int) -> None:
    channels = ram.write_if.aw_channel, ram.write_if.w_channel, ram.write_if.b_channel
    for number, channel in enumerate((*channels, ram.read_if.ar_channel, ram.read_if.r_channel)):
        if seed:
            channel.set_pause_generator(_at_random(Random(f"{seed} {number}")))


def _at_random(random: Random) -> Iterator[bool]:
    while True:
        yield random.random() < 0.5
