"""A whole design on the simulated machine, and whether it computes what the specification says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from arrayol.execute.extern import Functions
from arrayol.execute.run import execute
from arrayol.ir.network import Network
from arrayol.ir.spec import Component, Elementary, Spec
from hwmodel.accesses import Accesses
from hwmodel.design import Design
from hwmodel.platform import Platform
from hwmodel.simulator.errors import fault
from hwmodel.simulator.external import Memory, external_memory, of_other_frames, one_frame
from hwmodel.simulator.group import GroupRun, Sizes, run_group
from hwmodel.simulator.values import Evaluation, Values

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Simulation:
    """A design's run: its groups' runs, its outputs by name, and whether they equal the reference execution's.

    Without bodies (black boxes), or where a task reads what other frames made, only tokens moved: `outputs` is empty
    and `identical` None.
    """

    groups: tuple[GroupRun, ...]
    outputs: Arrays
    identical: bool | None

    @property
    def cycles(self) -> int:
        """From the first load of the first group to the last store of the last."""
        return sum(group.cycles for group in self.groups)


def simulate(
    spec: Spec,
    network: Network,
    platform: Platform,
    design: Design,
    sizes: Sequence[Sizes],
    inputs: Arrays | None,
    functions: Functions | None = None,
) -> Simulation:
    """Run a design, with for each group the sizes of its memories in data, on arrays by input (one frame or more).

    Without `inputs`, or with black boxes, tokens move but nothing is computed. Raises RefereeError where the design
    breaks a rule of the machine, ArrayolError where an input does not fit or the data have no result.
    """
    accesses = Accesses(network)
    runs = run_groups(accesses, platform, design, sizes)
    if inputs is None or black_boxes(spec, network, functions or {}) or of_other_frames(accesses):
        return Simulation(tuple(run for run, _ in runs), {}, None)
    reference = execute(spec, network.name, inputs, functions=functions)
    values: Values = {name: one_frame(accesses, name, inputs[name]).reshape(-1) for name in network.inputs}
    evaluation = Evaluation(spec, accesses, functions or {})
    for run, _ in runs:
        evaluation.run(run, values)
    memory = runs[-1][1]
    outputs = {name: values[name][memory[name]].reshape(accesses.shape(name)) for name in network.outputs}
    same = all(outputs[name].tobytes() == one_frame(accesses, name, reference[name]).tobytes() for name in outputs)
    return Simulation(tuple(run for run, _ in runs), outputs, same)


def run_groups(
    accesses: Accesses, platform: Platform, design: Design, sizes: Sequence[Sizes]
) -> list[tuple[GroupRun, Memory]]:
    """The groups' runs, one after another over one external memory, which each run comes with.

    Raises RefereeError, also where an output was not stored whole (`never-stored`).
    """
    network = accesses.network
    memory = external_memory(accesses, network.inputs)
    runs = [
        (run_group(accesses, platform, group, own, memory), memory)
        for group, own in zip(design.groups, sizes, strict=True)
    ]
    for name in network.outputs:
        if (memory[name] < 0).any():
            raise fault("never-stored", f"elements of the output '{name}' are never stored")
    return runs


def black_boxes(spec: Spec, network: Network, functions: Functions) -> tuple[str, ...]:
    """The elementaries that cannot be computed, without a body or a function: with one, tokens must do."""
    names = dict.fromkeys(process.elementary for process in network.processes.values())
    return tuple(name for name in names if not _computes(spec.components[name], functions))


def _computes(component: Component, functions: Functions) -> bool:
    return isinstance(component, Elementary) and (component.body is not None or (component.extern or "") in functions)
