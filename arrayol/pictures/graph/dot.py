"""The task graph as Graphviz reads it: a box for each process, an ellipse for each array, an edge for each link."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arrayol.ir.network import Network, NetworkArray, Process
from arrayol.ir.spec import TiledDefault
from arrayol.pictures.text import delay_text, pattern_text, repetition_text, typed, written_text


def dot_text(network: Network, faults: Mapping[str, tuple[str, ...]]) -> str:
    """The graph; `faults` names what is wrong with a process. A delay is a dashed loop at its process."""
    head = [f"digraph {quoted(network.name)} {{", "  rankdir=TB;", '  node [fontname="sans-serif"];']
    nodes = [_array(array, network) for array in network.arrays.values()]
    nodes += [_process(process, faults.get(name, ())) for name, process in network.processes.items()]
    edges = [edge for process in network.processes.values() for edge in _edges(process, network.arrays)]
    return "".join(f"{line}\n" for line in [*head, *nodes, *edges, "}"])


def _array(array: NetworkArray, network: Network) -> str:
    ends = {"lightgreen": array.name in network.inputs, "moccasin": array.is_output}
    fill = next((color for color, is_end in ends.items() if is_end), "white")
    if array.rom_bits is not None:
        fill = "lavender"
    label = f"{array.name}\n{typed(array.type, array.shape)}"
    return f"  {_node('array', array.name)} [shape=ellipse, style=filled, fillcolor={fill}, label={quoted(label)}];"


def _process(process: Process, faults: tuple[str, ...]) -> str:
    label = "\n".join([process.name, repetition_text(process), *faults])
    color = ", color=red" if faults else ""
    return f"  {_node('task', process.name)} [shape=box{color}, label={quoted(label)}];"


def _edges(process: Process, arrays: Mapping[str, NetworkArray]) -> Iterator[str]:
    box = _node("task", process.name)
    for flow in process.inputs:
        label = f"{flow.port.name} {pattern_text(flow.port, arrays[flow.array].shape)}"
        yield f"  {_node('array', flow.array)} -> {box} [label={quoted(label)}];"
    for flow in process.outputs:
        label = f"{written_text(flow)} {pattern_text(flow.port, arrays[flow.array].shape)}"
        yield f"  {box} -> {_node('array', flow.array)} [label={quoted(label)}];"
    for delay in process.delays:
        yield f"  {box} -> {box} [style=dashed, label={quoted(delay_text(delay))}];"
        if isinstance(delay.default, TiledDefault):
            label = quoted(f"first {delay.port}")
            yield f"  {_node('array', delay.default.array)} -> {box} [style=dashed, label={label}];"


def _node(kind: str, name: str) -> str:
    return quoted(f"{kind} {name}")


def quoted(text: str) -> str:
    """A text as Graphviz reads it, with its line ends."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
