"""Which part of an emitted design each cell of its netlist belongs to.

yosys names cells after the nets beside them, from the instances that these are in downwards. So a cell between two
parts may be counted to either; all together are what the netlist has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PARTS = ("units", "memories", "agents", "port", "others")


@dataclass(frozen=True)
class PartNames:
    """What a group's module names by: its agents, tasks and lanes."""

    agents: frozenset[str]
    tasks: frozenset[str]
    lanes: frozenset[str]

    @staticmethod
    def of(group: Mapping[str, Any]) -> PartNames:
        """The names that parts of a group in design.json have."""
        agents = frozenset(agent["name"] for agent in group["agents"])
        reading = frozenset(name.removesuffix("_read") for name in agents if name.endswith("_read"))
        lanes = frozenset(lane for agent in group["agents"] for lane in agent["lanes"])
        return PartNames(agents, reading, lanes)

    def of_instance(self, name: str, inside: str) -> str:
        """The part that an instance in the group's module is, for what lies `inside` it: a stream has units, too."""
        if name in self.agents:
            return "agents"
        if name == "stream":
            return "units" if re.match(r"\.[\w$]+\$unit\d+\b", inside) else "memories"
        if any(re.fullmatch(rf"{re.escape(task)}_unit\d+", name) for task in self.tasks):
            return "units"
        return "port" if re.search(r"_(engine|queue)$", name) else "memories"

    def of_net(self, name: str) -> str:
        """The part that a net of that module belongs to: those of lanes lead to memories, or hold windows."""
        return "memories" if any(name.startswith(f"{lane}_") for lane in self.lanes) else "others"


def parts_of(cells: Mapping[str, str], groups: Sequence[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """By part how many cells of each type it has, from the names of cells and the groups of design.json."""
    names = [PartNames.of(group) for group in groups]
    found = {part: Counter[str]() for part in PARTS}
    for cell, kind in cells.items():
        match = re.match(r"group(\d+)\.([\w$]+)", cell)
        part = "others"
        if match is not None and int(match[1]) < len(names):
            own, inside = names[int(match[1])], cell[match.end() :]
            part = own.of_instance(match[2], inside) if inside.startswith(".") else own.of_net(match[2])
        found[part][kind] += 1
    return found
