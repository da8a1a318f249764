"""Stages: by how many steps a task, a load or the stores lag behind the last task (docs/machine.md, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arrayol.errors import error
from hwmodel.design import GroupDesign
from hwmodel.machine.group import Group

STORES = 1


@dataclass(frozen=True, slots=True)
class Stages:
    """Stages of tasks and of the loads of arrays; the stores have stage 1."""

    task: Mapping[str, int]
    load: Mapping[str, int]


def stage_group(group: Group, design: GroupDesign) -> Stages:
    """The stages of a group. Raises ArrayolError (`fifo-refused`) where a FIFO's reader would work in another step."""
    task: dict[str, int] = {group.last: 0}
    for name in reversed(group.tasks):
        if name == group.last:
            continue
        task[name] = min(
            task[reader] - (0 if array in design.fifos else 1)
            for array, maker in group.made.items()
            if maker == name
            for reader in group.readers(array)
        )
    for array in sorted(design.fifos):
        maker = group.made.get(array)
        for reader in group.readers(array) if maker else ():
            if maker and task[maker] != task[reader]:
                raise error(
                    "fifo-refused",
                    f"'{array}' cannot pass through a FIFO: '{maker}' works {task[reader] - task[maker]} steps before "
                    f"'{reader}', for the sake of another reader",
                    hint="a FIFO joins tasks that work in the same step; keep this array in a buffer",
                )
    load = {name: min(task[reader] for reader in group.readers(name)) - 1 for name in group.loaded}
    return Stages(task, load)
