"""Inlining: the calls of compound tasks in the place of the calls of those tasks.

Before:

    task soft(a: u8[64]) -> (b: u8[64]) {
      c = blur(a)
      b = lift(c)
    }
    task both(x: u8[64]) -> (z: u8[64]) {
      y = soft(x)
      z = edge(y)
    }

After `inline both`:

    task both(x: u8[64]) -> (z: u8[64]) {
      c = blur(x)
      y = lift(c)
      z = edge(y)
    }
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from arrayol.errors import ArrayolError, error
from arrayol.ir.network import View
from arrayol.ir.spec import Call, Component, CompoundTask, Elementary, Port, RepetitiveTask, Spec
from arrayol.text import listed
from arrayol.transforms.rewrite import (
    CallName,
    FreeNames,
    Site,
    component_of,
    in_dataflow_order,
    linked_pairs,
    refused,
    sites_of,
    with_definitions,
)
from arrayol.transforms.trace import ArrayName, Trace, Transformed, identity

Path = tuple[int, ...]  # of a call below a compound task: its place there, then its place in what is called, ...


@dataclass(frozen=True, slots=True)
class Inline:
    """Put the calls of all compound tasks below the compound task `task` in their place, until it calls none.

    Their arrays become arrays of the task, under their names where these are free. Raises ArrayolError: `unknown-call`,
    and `step-refused` for a task that calls no compound task.
    """

    task: CallName

    def __str__(self) -> str:
        return f"inline {self.task}"

    def apply(self, spec: Spec) -> Transformed:
        component = component_of(spec, self.task)
        around = component if isinstance(component, CompoundTask) else None
        paths = () if around is None else compound_paths(spec, around)
        if around is None or not paths:
            holders = [name for name, task in spec.tasks.items() if isinstance(task, CompoundTask)]
            known = [name for name in holders if compound_paths(spec, spec.components[name])]
            hint = f"the tasks that call some are {', '.join(known)}" if known else None
            raise refused(f"'{component.name}' calls no compound task", component.span, hint)
        return opened_at(spec, around, paths)[0]


def compound_paths(spec: Spec, around: Component, path: Path = ()) -> tuple[Path, ...]:
    """The paths of the calls of compound tasks below a task, outer ones first; none where it is no composition."""
    found: list[Path] = []
    for place, call in enumerate(around.calls) if isinstance(around, CompoundTask) else ():
        callee, own = spec.components[call.callee], (*path, place)
        if isinstance(callee, CompoundTask):
            found += [own, *compound_paths(spec, callee, own)]
    return tuple(found)


# A compound task with some of the calls below it opened.


@dataclass(frozen=True, slots=True)
class Opened:
    """A compound task in which calls were inlined.

    `places` has the place of each call of it by the path that it had, `arrays` where the arrays of inlined tasks went.
    """

    task: CompoundTask
    places: Mapping[Path, int]
    arrays: Mapping[ArrayName, list[str]]


def opened_at(spec: Spec, around: CompoundTask, paths: Collection[Path]) -> tuple[Transformed, Opened]:
    """The specification in which the calls at `paths` below a compound task are inlined in it, outer ones included."""
    opened = _opened(spec, around, paths)
    after = with_definitions(spec, {around.name: (opened.task,)})
    return Transformed(after, _trace(spec, after, opened), (), around.name), opened


def _opened(spec: Spec, around: CompoundTask, paths: Collection[Path]) -> Opened:
    opening = _Opening(spec, set(paths), dict(around.arrays), FreeNames(spec))
    views = {name: View(name, port.shape) for name, port in around.arrays.items()}
    made = dict(opening.calls(around, views, ()))
    calls = in_dataflow_order(list(made.values()))
    places = {path: next(place for place, one in enumerate(calls) if one is call) for path, call in made.items()}
    return Opened(replace(around, calls=calls, arrays=opening.arrays), places, opening.went)


@dataclass(slots=True)
class _Opening:
    spec: Spec
    paths: set[Path]
    arrays: dict[str, Port]  # of the compound task around
    names: FreeNames
    went: dict[ArrayName, list[str]] = field(default_factory=dict)

    def calls(self, task: CompoundTask, views: Mapping[str, View], path: Path) -> Iterator[tuple[Path, Call]]:
        """The calls of a task whose arrays are `views` of those around, by their paths; those at `paths` opened."""
        for place, call in enumerate(task.calls):
            callee, own = self.spec.components[call.callee], (*path, place)
            bound = _bound(callee, call, views)
            if own in self.paths and isinstance(callee, CompoundTask):
                yield from self.calls(callee, self._inner(callee, bound), own)
                continue
            yield own, _call(callee, call, bound)

    def _inner(self, callee: CompoundTask, bound: Mapping[str, View]) -> dict[str, View]:
        """What all arrays of an inlined task are; those that are no ports become arrays of the task around."""
        views = dict(bound)
        for name, port in callee.arrays.items():
            if name not in views:
                free = self.names.local(name, self.arrays)
                self.arrays[free] = replace(port, name=free)
                views[name] = View(free, port.shape)
            self.went.setdefault((callee.name, name), []).append(views[name].array)
        return views


def _bound(callee: Component, call: Call, views: Mapping[str, View]) -> dict[str, View]:
    """What each port of a called task is of the arrays around."""
    formals = (port.name for port in (*callee.inputs, *callee.outputs))
    actuals = zip(formals, (*call.arguments, *call.results), strict=True)
    return {formal: views[actual].sub_view(call.part_at(formal)) for formal, actual in actuals}


def _call(callee: Component, call: Call, bound: Mapping[str, View]) -> Call:
    inputs, outputs = ([port.name for port in ports] for ports in (callee.inputs, callee.outputs))
    parts = tuple((port, part) for port in (*inputs, *outputs) if (part := bound[port].part) is not None)
    results, arguments = (tuple(bound[port].array for port in ports) for ports in (outputs, inputs))
    return Call(results, call.callee, arguments, call.span, parts)


def _trace(spec: Spec, after: Spec, opened: Opened) -> Trace:
    before = identity(spec)
    arrays = {name: places if name[0] in after.components else () for name, places in before.arrays.items()}
    for old, new in opened.arrays.items():
        arrays[old] = (*arrays.get(old, ()), *((opened.task.name, name) for name in dict.fromkeys(new)))
    return Trace(before.tasks, arrays)


# All calls below a compound task, and which reads what another one gives.


@dataclass(frozen=True, slots=True)
class Leaf:
    """A call of a task that is no composition, somewhere below a compound task.

    `reads` and `writes` name arrays of that compound task, or of one below it, by the path of its call.
    """

    path: Path
    call: Call
    reads: frozenset[tuple[Path, str]]
    writes: frozenset[tuple[Path, str]]


def leaves_of(spec: Spec, around: CompoundTask) -> Iterator[Leaf]:
    """The leaves below a compound task, in the order of the dataflow."""
    yield from _leaves(spec, around, {name: ((), name) for name in around.arrays}, ())


def _leaves(spec: Spec, task: CompoundTask, known: Mapping[str, tuple[Path, str]], path: Path) -> Iterator[Leaf]:
    for place, call in enumerate(task.calls):
        callee, own = spec.components[call.callee], (*path, place)
        if isinstance(callee, CompoundTask):
            formals = (port.name for port in (*callee.inputs, *callee.outputs))
            bound = dict(zip(formals, (known[name] for name in (*call.arguments, *call.results)), strict=True))
            yield from _leaves(spec, callee, {name: bound.get(name, (own, name)) for name in callee.arrays}, own)
        elif isinstance(callee, (RepetitiveTask, Elementary)):
            reads, writes = (frozenset(known[name] for name in names) for names in (call.arguments, call.results))
            yield Leaf(own, call, reads, writes)


class PairStep(Protocol):
    """A step on a pair of calls of one compound task."""

    def apply(self, spec: Spec) -> Transformed: ...


@dataclass(frozen=True, slots=True)
class HiddenPair:
    """Two calls below a compound task where the second reads what the first gives, not both of them its own."""

    around: CompoundTask
    producer: Leaf
    consumer: Leaf

    @property
    def between(self) -> tuple[Path, ...]:
        """The paths of the calls of compound tasks around the two, outer ones first."""
        return tuple(
            dict.fromkeys(
                leaf.path[:end] for leaf in (self.producer, self.consumer) for end in range(1, len(leaf.path))
            )
        )


def hidden_pair(spec: Spec, producer: CallName, consumer: CallName) -> HiddenPair | None:
    """The pair that two names mean across compound tasks; None where one compound task calls both, or none is linked.

    `TASK@RESULT` names a result of the call, or the array of the compound task around both that it is. Raises
    ArrayolError (`ambiguous-call`) where several pairs are linked.
    """
    if _called_together(spec, producer, consumer):
        return None
    compounds = [task for task in spec.tasks.values() if isinstance(task, CompoundTask)]
    pairs = [pair for around in compounds for pair in _hidden_pairs(spec, around, producer, consumer)]
    if len(pairs) > 1:
        message = f"'{producer} {consumer}' can mean {len(pairs)} pairs of calls across compound tasks"
        hint = f"take the step 'inline {pairs[0].around.name}' first: then each call has its own name"
        raise error("ambiguous-call", message, pairs[0].producer.call.span, hint=hint)
    return pairs[0] if pairs else None


def _called_together(spec: Spec, producer: CallName, consumer: CallName) -> bool:
    try:
        return bool(linked_pairs(sites_of(spec, producer), sites_of(spec, consumer)))
    except ArrayolError:
        return False


def _hidden_pairs(spec: Spec, around: CompoundTask, producer: CallName, consumer: CallName) -> Iterator[HiddenPair]:
    leaves = list(leaves_of(spec, around))
    for maker in (leaf for leaf in leaves if _is_meant(leaf, producer)):
        for reader in (leaf for leaf in leaves if _is_meant(leaf, consumer)):
            if maker.path[0] != reader.path[0] and not maker.writes.isdisjoint(reader.reads):
                yield HiddenPair(around, maker, reader)


def _is_meant(leaf: Leaf, name: CallName) -> bool:
    gives = name.result is None or name.result in leaf.call.results or ((), name.result) in leaf.writes
    return leaf.call.callee == name.task and gives


def across_compounds(spec: Spec, pair: HiddenPair, step: Callable[[CallName, CallName], PairStep]) -> Transformed:
    """The step on the pair after the compound tasks around its calls are inlined, up to one that then holds both."""
    inlined, opened = opened_at(spec, pair.around, pair.between)
    producer, consumer = (name_of(opened.task, opened.places[leaf.path]) for leaf in (pair.producer, pair.consumer))
    done = step(producer, consumer).apply(inlined.spec)
    names = [f"'{name}'" for name in dict.fromkeys(_callees_between(spec, pair))]
    remark = f"{listed(names)} {'is' if len(names) == 1 else 'are'} inlined in '{pair.around.name}'"
    return Transformed(done.spec, inlined.trace.then(done.trace), (remark, *done.remarks), done.task)


def _callees_between(spec: Spec, pair: HiddenPair) -> Iterator[str]:
    """The compound tasks around the two calls."""
    yield from (callee_at(spec, pair.around, path) for path in pair.between)


def callee_at(spec: Spec, around: CompoundTask, path: Path) -> str:
    """What the call at a path below a compound task calls."""
    task: Component = around
    for place in path:
        assert isinstance(task, CompoundTask)
        task = spec.components[task.calls[place].callee]
    return task.name


def name_of(around: CompoundTask, place: int) -> CallName:
    """How a step names the call of a compound task at a place."""
    task, _, result = str(Site(around, around.calls[place])).partition("@")
    return CallName(task, result)
