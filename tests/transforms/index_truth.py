"""Whether a trace tells the truth: a new repetition touches the elements that its old repetition touched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from arrayol.ir.spec import Component, CompoundTask, Link, Part, Port, RepetitiveTask, Spec, port_named
from arrayol.polyhedral.accesses import Access
from arrayol.transforms.trace import IndexMap, Transformed

Element = tuple[str, tuple[int, ...]]
MOST = 40  # repetitions of a nest to look at


def check_indices(before: Spec, result: Transformed) -> None:
    """Fail where a new repetition does no old one, or touches arrays elsewhere than it, or a whole task is lost."""
    for name, maps in result.trace.tasks.items():
        task = before.components[name]
        assert isinstance(task, RepetitiveTask)
        for found in maps:
            extents = [4 if extent is None else extent for extent in found.extents]
            every = list(product(*map(range, extents)))
            for index in every[:: max(1, len(every) // MOST)]:
                old = found.old(index)
                space = zip(old, task.repetition, strict=True)
                inside = all(extent is None or 0 <= entry < extent for entry, extent in space)
                assert inside, f"{name}{list(old)} is no repetition; {found.path} {index}"
                _same_elements(before, name, old, result.spec, found, index)


def _same_elements(
    before: Spec, name: str, old: Sequence[int], after: Spec, found: IndexMap, index: Sequence[int]
) -> None:
    """What the new nest touches of the arrays, the old repetition touched; of what other tasks in it read, no word."""
    task = before.components[name]
    inner = after.components[found.path[-1]]
    assert isinstance(task, RepetitiveTask)
    assert isinstance(inner, RepetitiveTask)
    then = set(touched(before, (name,), old))
    now = set(touched(after, found.path, index))
    actual, written = _actual(before, name), {port.name for port in task.outputs}
    alone = inner.callee == task.callee
    arrays = {array for port, (array, _) in actual.items() if alone or port in written}
    wrong = {one for one in now if one[0] in arrays} - then
    assert not wrong, f"{name}{list(old)}, now {found.path} {list(index)}, touches {sorted(wrong)[:3]}"


def touched(spec: Spec, path: Sequence[str], index: Sequence[int]) -> Iterator[Element]:
    """The elements of arrays of the compound task around that a repetition reads and writes through tilers.

    What stays inside the nest is left out, and so is everything where the outermost task has not one call.
    """
    tasks = [spec.components[name] for name in path]
    entries = iter(index)
    indices = [tuple(islice(entries, len(task.repetition))) for task in tasks if isinstance(task, RepetitiveTask)]
    actual = _actual(spec, path[0])
    inner = tasks[-1]
    assert isinstance(inner, RepetitiveTask)
    callee = spec.components[inner.callee]
    for link in (*inner.input_links, *inner.output_links):
        if not _leaves(link, indices[-1], inner):
            continue
        port = port_named((*callee.inputs, *callee.outputs), link.port)
        for place in product(*(range(extent or 0) for extent in port.shape)):
            for array, element in _outwards(spec, tasks, indices, link, place):
                if array in actual:
                    name, part = actual[array]
                    yield name, element if part is None else _in_array(part, element)


def _leaves(link: Link, repetition: Sequence[int], task: RepetitiveTask) -> bool:
    """Whether a repetition uses a link: all but those that stay in front of its exit do."""
    if link.exit is None:
        return True
    later = (here + step for here, step in zip(repetition, link.exit, strict=True))
    return not all(
        place >= 0 and (extent is None or place < extent) for place, extent in zip(later, task.repetition, strict=True)
    )


def _in_array(part: Part, element: tuple[int, ...]) -> tuple[int, ...]:
    """The element of an array that an element of a part of it is."""
    rest = iter(element)
    taken = zip(part.origin, part.step, part.kept, strict=True)
    return tuple(first + step * next(rest) if kept else first for first, step, kept in taken)


def _actual(spec: Spec, task: str) -> dict[str, tuple[str, Part | None]]:
    """The arrays around the one call of a task, and what it has of them, by its ports."""
    calls = [
        (found.name, call)
        for found in spec.components.values()
        if isinstance(found, CompoundTask)
        for call in found.calls
        if call.callee == task
    ]
    if len(calls) != 1:
        return {}
    ((around, call),) = calls
    component = spec.components[task]
    names = [port.name for port in (*component.inputs, *component.outputs)]
    arrays = zip(names, (*call.arguments, *call.results), strict=True)
    return {port: (f"{around}.{array}", call.part_at(port)) for port, array in arrays}


def _outwards(
    spec: Spec, tasks: Sequence[Component], indices: Sequence[tuple[int, ...]], link: Link, place: tuple[int, ...]
) -> Iterator[Element]:
    """From an element of a pattern to the array of the outermost task that it lies in."""
    task = tasks[-1]
    assert isinstance(task, RepetitiveTask)
    callee = spec.components[task.callee]
    pattern = port_named((*callee.inputs, *callee.outputs), link.port)
    array = port_named((*task.inputs, *task.outputs), link.array)
    element = Access(link.tiler, task.repetition, pattern.shape, array.shape).element(indices[-1], place)
    if len(tasks) == 1:
        yield array.name, element
        return
    outer = tasks[-2]
    assert isinstance(outer, RepetitiveTask)
    for port in _through(spec, spec.components[outer.callee], task.name, array):
        for further in (*outer.input_links, *outer.output_links):
            if further.port == port and _leaves(further, indices[-2], outer):
                yield from _outwards(spec, tasks[:-1], indices[:-1], further, element)


def _through(spec: Spec, around: Component, task: str, array: Port) -> Iterator[str]:
    """The ports of a component that a port of a task inside it is."""
    if around.name == task:
        yield array.name
    elif isinstance(around, CompoundTask):
        own = {port.name for port in (*around.inputs, *around.outputs)}
        for call in around.calls:
            callee = spec.components[call.callee]
            names = [port.name for port in (*callee.inputs, *callee.outputs)]
            inner = dict(zip(names, (*call.arguments, *call.results), strict=True))
            yield from (inner[port] for port in _through(spec, callee, task, array) if inner[port] in own)
