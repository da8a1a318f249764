"""Frames of a stream through the source and the sink of cocotbext-axi; cocotb runs this module inside of the simulator.

The environment names a file with what to do (`AXIS_PLAN`), and one for what was seen (`AXIS_SEEN`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource


@cocotb.test()  # type: ignore[untyped-decorator]
async def frames(dut: Any) -> None:
    """All words of all inputs; a seed above 0 lets both sides pause at random, about half of the time."""
    plan = json.loads(Path(os.environ["AXIS_PLAN"]).read_text(encoding="utf-8"))
    dut.aresetn.value = 0
    cocotb.start_soon(Clock(dut.aclk, 10, unit="ns").start())
    signals = dut.aclk, dut.aresetn
    sources = {
        name: AxiStreamSource(AxiStreamBus.from_prefix(dut, f"s_axis_{name}"), *signals, reset_active_level=False)
        for name in plan["inputs"]
    }
    sinks = {
        name: AxiStreamSink(AxiStreamBus.from_prefix(dut, f"m_axis_{name}"), *signals, reset_active_level=False)
        for name in plan["outputs"]
    }
    for number, end in enumerate([*sources.values(), *sinks.values()]):
        if plan["seed"]:
            end.set_pause_generator(_at_random(Random(f"{plan['seed']} {number}")))
    for _ in range(3):
        await FallingEdge(dut.aclk)
    dut.aresetn.value = 1
    for name, source in sources.items():
        for line in _lines(plan["inputs"][name]):
            width = plan["bytes"][name]
            data = b"".join(word.to_bytes(width, "little") for _, _, word in line)
            user = [first for first, _, _ in line for _ in range(width)]
            source.send_nowait(AxiStreamFrame(tdata=data, tuser=user))
    seen: dict[str, Any] = {"outputs": {}}
    for name, sink in sinks.items():
        width, words = plan["bytes"][name], []
        while len(words) < plan["outputs"][name]:
            line = await sink.recv(compact=False)
            data, user = bytes(line.tdata), [int(own) for own in line.tuser]
            marks = [user[at] for at in range(0, len(data), width)]
            values = [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]
            words += [
                [first, int(at == len(values) - 1), value]
                for at, (first, value) in enumerate(zip(marks, values, strict=True))
            ]
        seen["outputs"][name] = words
    seen["fault"] = int(dut.fault.value)
    Path(os.environ["AXIS_SEEN"]).write_text(json.dumps(seen), encoding="utf-8")


def _lines(words: list[list[int]]) -> Iterator[list[list[int]]]:
    """Words (first of a frame, last of a line, data) line by line."""
    ended = [sum(last for _, last, _ in words[:at]) for at in range(len(words))]
    for _, line in groupby(zip(ended, words, strict=True), key=lambda pair: pair[0]):
        yield [word for _, word in line]


def _at_random(random: Random) -> Iterator[bool]:
    while True:
        yield random.random() < 0.5
