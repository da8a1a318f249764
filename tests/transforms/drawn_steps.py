"""Steps that name what a specification has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from arrayol.ir.expressions import Constant, assigns, ranges
from arrayol.ir.spec import CompoundTask, Elementary, RepetitiveTask, Spec, callees

Choose = Callable[[Sequence[Any]], Any]  # one of several options


def draw_step(choose: Choose, spec: Spec, top: str = "top") -> str:
    """A step that names what the specification has; sizes divide, but for one in eight."""
    pairs, repeated = linked_pairs(spec, top), sorted(repetitions(spec, top))
    nested = [name for name in repeated if isinstance(inside(spec, name), (RepetitiveTask, CompoundTask))]
    sums = [(task, *one) for task in repeated for one in accumulations(spec, task)]
    kinds = ["pave", "tile", *(["fuse"] * 3 if pairs else []), *(["collapse"] * 2 if nested else [])]
    kinds += ["serial", *(["again"] * 2 if pairs else [])]
    kind = choose([*kinds, *(["split"] * 2 if sums else [])])
    if kind == "again":
        return "again {} {}".format(*choose(pairs))
    if kind == "serial":
        task = choose(repeated)
        return f"serial {task} {choose([port.name for port in spec.components[task].outputs])}"
    if kind == "split":
        often = [one for one in sums if one[1].startswith("s")]  # the others are often refused
        task, name, length = choose(sums + often * 3)
        return f"split {task} {name} {drawn_sizes(choose, (length,))}"
    if kind == "fuse":
        producer, consumer = choose(pairs)
        task = spec.components[consumer.partition("@")[0]]
        sizes = (
            f" {drawn_sizes(choose, task.repetition)}" if isinstance(task, RepetitiveTask) and choose([0, 1, 1]) else ""
        )
        return f"fuse {producer} {consumer}{sizes}"
    if kind == "collapse":
        return f"collapse {choose(nested)}"
    task = choose(repeated)
    component = spec.components[task]
    assert isinstance(component, RepetitiveTask)
    return f"{kind} {task} {drawn_sizes(choose, component.repetition)}"


def drawn_sizes(choose: Choose, space: Sequence[int | None]) -> str:
    """Sizes for a repetition space."""
    odd = choose(range(12)) == 11
    return ",".join(
        str(choose([size for size in range(1, 1 + (extent or 2)) if odd or not extent or extent % size == 0]))
        for extent in space
    )


def accumulations(spec: Spec, task: str) -> list[tuple[str, int]]:
    """The ranges over which a task without delays and exits adds up something, and how long they are."""
    component, body = spec.components[task], inside(spec, task)
    if not isinstance(component, RepetitiveTask) or not isinstance(body, Elementary) or component.delays:
        return []
    if any(link.exit is not None for link in component.output_links):
        return []
    statements = body.body or ()
    names = Counter(item.name for item in ranges(statements))
    return [
        (item.name, int(item.high.value) - int(item.low.value))
        for line in assigns(statements)
        if line.accumulate
        for item in line.ranges
        if names[item.name] == 1 and isinstance(item.low, Constant) and isinstance(item.high, Constant)
    ]


def inside(spec: Spec, task: str) -> object:
    """What a repetitive task repeats."""
    component = spec.components[task]
    assert isinstance(component, RepetitiveTask)
    return spec.components[component.callee]


def reachable(spec: Spec, top: str) -> list[str]:
    """The names of all components below a task."""
    found, waiting = [], [top]
    while waiting:
        name = waiting.pop()
        component = spec.components[name]
        if name not in found:
            found.append(name)
            waiting += [] if isinstance(component, Elementary) else callees(component)
    return found


def repetitions(spec: Spec, top: str) -> list[str]:
    """The repetitive tasks below a task."""
    return [name for name in reachable(spec, top) if isinstance(spec.components[name], RepetitiveTask)]


def linked_pairs(spec: Spec, top: str) -> list[tuple[str, str]]:
    """Calls of repetitive tasks that are linked, by the names that steps take."""
    pairs = []
    for name in reachable(spec, top):
        task = spec.components[name]
        if isinstance(task, CompoundTask):
            calls = [call for call in task.calls if isinstance(spec.components[call.callee], RepetitiveTask)]
            pairs += [
                (f"{one.callee}@{one.results[0]}", f"{other.callee}@{other.results[0]}")
                for one in calls
                for other in calls
                if set(one.results) & set(other.arguments)
            ]
    return pairs
