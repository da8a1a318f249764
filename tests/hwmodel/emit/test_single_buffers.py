"""Single buffers as hardware: they are filled when their readers have left, however fast the external memory is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from cpp_programs import needs_compiler
from hardware import write_design
from hardware_designs import SPEC, Small, bench_of
from stream_designs import write_files
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.emit.hls.compiler import SANITIZED, run_build
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.schedule.activity import Activity
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.schedule.group import GroupScheduler, Tables
from hwmodel.emit.schedule.units import HOLDS, LATE
from hwmodel.emit.verilog.icarus import run_bench

Change = Callable[[Tables], Tables]


def single() -> tuple[Small, Design]:
    """Two tasks in a group in blocks of two rows, with a single buffer of what it loads."""
    group = GroupDesign(
        (Processor("blurred"), Processor("scaled")), Blocks((2, 14), row_major(2)), single_buffers=frozenset({"x"})
    )
    design = Design((group,))
    return Small(bench_of(SPEC), (design,)), design


def emitted() -> HardwareDesign:
    small, design = single()
    return small.hardware(design)


@needs_icarus
@pytest.mark.parametrize("latency", [0, 3, 7, 40])
def test_it_is_right_with_any_memory(latency: int) -> None:
    hardware = emitted()
    with TemporaryDirectory() as name:
        write_design(replace(hardware, latency=latency), Path(name))
        frames = run_bench(Path(name))
    assert [frame.wrong for frame in frames] == [0, 0]
    times = {frame.cycles - hardware.cycles for frame in frames}
    assert times == {0} if latency == 7 else all(time * (latency - 7) > 0 for time in times)


def refusal(monkeypatch: pytest.MonkeyPatch, change: Change) -> str:
    """What a proof says of changed tables."""
    right = GroupScheduler.tables
    monkeypatch.setattr(GroupScheduler, "tables", lambda own: change(right(own)))
    with pytest.raises(ArrayolError, match="unproven-schedule") as caught:
        emitted()
    return str(caught.value)


def with_control(activity: Activity, name: str, numbers: Any) -> Activity:
    return replace(activity, controls={**activity.controls, name: numbers})


def test_a_load_that_waits_for_nobody_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    def at_once(tables: Tables) -> Tables:
        (engine,) = tables.engines
        requests = with_control(engine.requests, LATE, 0 * engine.requests.controls[LATE])
        return replace(tables, engines=(replace(engine, requests=requests),))

    assert "what is not known" in refusal(monkeypatch, at_once)


def test_a_reader_that_leaves_a_cycle_too_soon_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    def sooner(tables: Tables) -> Tables:
        (read, write, units), *others = tables.tasks
        holds = read.controls[HOLDS].copy()
        holds[read.ends] = 0
        return replace(tables, tasks=((with_control(read, HOLDS, holds), write, units), *others))

    assert "what is not known" in refusal(monkeypatch, sooner)


def test_a_step_without_work_holds_nothing() -> None:
    small, design = single()
    (read, *_), *_ = small.scheduler(design).tables().tasks
    assert read.name == "blurred_read"
    steps = np.split(read.controls[HOLDS], read.ends[:-1] + 1)
    assert {tuple(np.unique(step)) for step in steps} == {(0,), (1,)}


@needs_compiler
def test_in_cpp_it_is_filled_behind_the_tasks_of_a_step() -> None:
    small, design = single()
    files = HlsFiles(small.testbench.spec, small.hardware(design)).files()
    right, group = files["src/group0.cpp"], r"(run_step\(.*\n)(.*port_port_late\(.*\n)"
    early, count = re.subn(group, r"\2\1", right)
    assert count == 1
    for text, wrong in ((right, False), (early, True)):
        with TemporaryDirectory() as name:
            write_files(files | {"src/group0.cpp": text}, Path(name))
            assert any(run_build(Path(name), SANITIZED).wrong) == wrong
