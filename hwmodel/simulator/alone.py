"""One group of a design by itself on the simulated machine, fed with what the specification says that others make.

Groups run one after another and pass whole arrays through the external memory, where each array has a place of its own,
is written by one group and never again. So if each group of a design, given the reference execution's arrays, leaves
the reference execution's values in all that is read outside it, then by induction so does every group of the whole
design, which runs them in an order in which arrays are made before they are read. When its data move depends on no
value: its cycles and memories are the same in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwmodel.design import GroupDesign
from hwmodel.platform import Platform
from hwmodel.simulator.errors import fault
from hwmodel.simulator.external import Memory, external_memory
from hwmodel.simulator.group import GroupRun, Sizes, run_group
from hwmodel.simulator.reference import Reference
from hwmodel.simulator.values import Evaluation, Values


@dataclass(frozen=True)
class Alone:
    """A group's run, and whether all that it leaves for others is what the reference execution says (None: tokens)."""

    run: GroupRun
    identical: bool | None


def simulate_alone(reference: Reference, platform: Platform, group: GroupDesign, sizes: Sizes) -> Alone:
    """Run a group with the sizes of its memories in data.

    Raises RefereeError where it breaks a rule of the machine, also where something that the outside needs is not stored
    (`never-stored`) or an array of others is changed (`overwrite`); ArrayolError where the data have no result.
    """
    accesses = reference.accesses
    made = {array for task in group.tasks for array in accesses.network.processes[task].writes}
    memory = _external_memory(reference, group, made)
    before = {name: tokens.copy() for name, tokens in memory.items() if name not in made}
    run = run_group(accesses, platform, group, sizes, memory)
    _require_unchanged(before, memory)
    needed = {name: reference.needed_outside(name, group.tasks) for name in sorted(made)}
    _require_stored(needed, memory)
    if reference.values is None:
        return Alone(run, None)
    values: Values = {name: reference.values[name] for name in before}
    Evaluation(reference.spec, accesses, {}).run(run, values)
    same = all(
        values[name][memory[name][some]].tobytes() == reference.values[name][some].tobytes()
        for name, some in needed.items()
    )
    return Alone(run, same)


def _external_memory(reference: Reference, group: GroupDesign, made: set[str]) -> Memory:
    """The inputs, and of what other groups make no more than these tasks read."""
    network = reference.accesses.network
    memory = external_memory(reference.accesses, network.arrays.keys() - made)
    for name in memory.keys() - made - set(network.inputs):
        memory[name][~reference.read_by(name, group.tasks)] = -1
    return memory


def _require_unchanged(before: Memory, memory: Memory) -> None:
    for name, tokens in before.items():
        if not np.array_equal(memory[name], tokens):
            raise fault("overwrite", f"the group stores elements of '{name}', which it does not make")


def _require_stored(needed: Mapping[str, NDArray[np.bool_]], memory: Memory) -> None:
    for name, some in needed.items():
        if (memory[name][some] < 0).any():
            raise fault("never-stored", f"elements of '{name}' that are needed outside the group are never stored")
