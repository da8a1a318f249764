"""The modules that a streaming group is made of, beside its own: units, operators, and what is written by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files

from arrayol.text import counted
from hwmodel.emit.schedule.own_module import OwnModule
from hwmodel.emit.streams.group import GroupModule
from hwmodel.emit.verilog.datapaths.datapath import datapath_module, operator_modules

LIBRARY = ("segment", "place", "later")


def library_files(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Modules that are written by hand, by path."""
    for name in names:
        text = (files("hwmodel.emit.verilog") / "library" / f"{name}.v").read_text(encoding="utf-8")
        yield f"rtl/{name}.v", text


def group_files(group: GroupModule) -> Iterator[tuple[str, str]]:
    """The modules of a group by path: its units with their operators, then itself."""
    hardware, text = group.hardware, group.text()
    for task, derived in hardware.datapaths.items():
        if isinstance(derived, OwnModule):
            continue
        early = frozenset((port, tuple(own)) for (node, port), own in hardware.nets.early.items() if node == task)
        name = hardware.unit_module(task, group.prefix).name
        process = hardware.model.accesses.network.processes[task]
        pace = f"a repetition every {counted(hardware.firing[task].interval, 'pulse')}"
        comment = f"// A unit of '{task}': the body of '{process.elementary}', {pace}.\n"
        yield f"rtl/{name}.v", comment + datapath_module(derived, name, early=early, enabled=True)
        for operator, module in operator_modules(derived, enabled=True).items():
            yield f"rtl/{operator}.v", module
    tasks = ", ".join(f"'{task}'" for task in hardware.streamed.tasks)
    yield f"rtl/{group.name}.v", f"// {tasks} as a stream: a frame every {hardware.frame:,} pulses.\n{text}"
