"""A schedule as plain data: the content of design.json, in numbers only."""

from __future__ import annotations

from typing import Any

from hwmodel.emit.schedule.activity import Agent, Counter, LaneCounters, PlaceCounters
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.schedule.group import GroupSchedule
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.port import AddressMap
from hwmodel.emit.schedule.units import TaskUnits

FORMAT = 2


def document_of(design: HardwareDesign) -> dict[str, Any]:
    """The whole schedule of a design, as JSON."""
    return {
        "format": FORMAT,
        "top": design.top,
        "cycles": design.cycles,
        "memory": {
            "latency": design.latency,
            "outstanding": design.outstanding,
            **({"turn": design.turn} if design.turn else {}),
            "word_bytes": design.addresses.word_bytes,
            **_places(design.addresses),
            **({"copies": dict(design.addresses.copies)} if design.addresses.copies else {}),
            **({"earlier": dict(design.addresses.earlier)} if design.addresses.earlier else {}),
            **({} if design.buffers is None else {"ahead": dict(design.buffers.ahead)}),
        },
        **({} if design.buffers is None else {"lags": list(design.buffers.lags)}),
        **({} if design.periods is None else {"period": design.periods.cycles}),
        "groups": [_group(group) for group in design.groups],
    }


def _places(addresses: AddressMap) -> dict[str, Any]:
    """The words of the external memory, and the first one of each array; of several channels each by itself."""
    channels = addresses.channels
    places = [
        {"words": words, "first_word": {name: at for name, at in addresses.first.items() if channels[name] == number}}
        for number, words in enumerate(addresses.words)
    ]
    return places[0] if len(places) == 1 else {"channels": places}


def _group(group: GroupSchedule) -> dict[str, Any]:
    return {
        "steps": group.steps,
        "cycles": group.cycles,
        "memories": [_memory(memory, group) for memory in group.memories],
        "tasks": [_units(task.units) for task in group.tasks],
        "agents": [_agent(agent) for agent in group.agents],
        **({} if group.streamed is None else {"stream": group.streamed}),
    }


def _memory(memory: Memory, group: GroupSchedule) -> dict[str, Any]:
    return {
        "name": memory.name,
        "array": memory.array,
        "width": memory.width,
        "moduli": memory.moduli,
        "depth": memory.depth,
        "sections": [{"base": section.base, "size": section.size} for section in memory.sections],
        "registers": memory.registers,
        "readers": group.readers[memory.name],
        "writers": group.writers[memory.name],
    }


def _units(units: TaskUnits) -> dict[str, Any]:
    return {
        "task": units.task,
        "elementary": units.elementary,
        "units": units.units,
        "interval": units.interval,
        "latency": units.latency,
        "reads": [{"port": port.port, "lanes": port.lanes, "window": port.window is not None} for port in units.reads],
        "writes": [{"port": port.port, "lanes": port.lanes, "early": port.early} for port in units.writes],
    }


def _agent(agent: Agent) -> dict[str, Any]:
    instructions = [
        {
            "row": instruction.symbol,
            "cycles": instruction.cycles,
            "loops": [{"start": loop.start, "times": loop.times, "depth": loop.depth} for loop in instruction.ends],
        }
        for instruction in agent.program.instructions
    ]
    return {
        "name": agent.name,
        "program": instructions,
        "rows": agent.columns,
        "last": agent.last,
        "lanes": {name: [_lane(lane) for lane in lanes] for name, lanes in agent.lanes.items()},
        "controls": dict(agent.controls),
        # "rows" and "places" are words of the file format (FORMAT): renaming them needs a new format number.
        "places": {name: _place(own) for name, own in agent.places.items()},
    }


def _lane(lane: LaneCounters) -> dict[str, Any]:
    return {
        "valid": lane.valid,
        "section": lane.section,
        "digits": [_counter(digit) for digit in lane.digits],
        "places": [_counter(own) if own is not None else None for own in lane.sections],
    }


def _place(place: PlaceCounters) -> dict[str, Any]:
    return {"which": place.which, "counters": [_counter(own) for own in place.counters]}


def _counter(counter: Counter) -> dict[str, int]:
    return {"modulus": counter.modulus, "initial": counter.initial, "column": counter.column}
