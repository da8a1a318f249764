"""Which call of which task a step means: TASK, or TASK@RESULT where the task is called more than once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arrayol.errors import ArrayolError, error
from arrayol.ir.spec import Call, Component, CompoundTask, Spec, callees
from arrayol.language.hints import did_you_mean


@dataclass(frozen=True, slots=True)
class CallName:
    """A task, or the one call of it whose first result is `result`."""

    task: str
    result: str | None = None

    def __str__(self) -> str:
        return self.task if self.result is None else f"{self.task}@{self.result}"


@dataclass(frozen=True, slots=True)
class Site:
    """A call and the compound task that holds it."""

    compound: CompoundTask
    call: Call

    def __str__(self) -> str:
        return f"{self.call.callee}@{self.call.results[0]}"


def component_of(spec: Spec, name: CallName) -> Component:
    """What a call's task is. Raises ArrayolError (`unknown-call`)."""
    found = spec.components.get(name.task)
    if found is None:
        hint = did_you_mean(name.task, spec.components) or f"its tasks are {', '.join(spec.tasks)}"
        raise error("unknown-call", f"there is no task '{name.task}'", hint=hint, file=spec.name)
    return found


def sites_of(spec: Spec, name: CallName) -> list[Site]:
    """The calls that a name can mean. Raises ArrayolError (`unknown-call`) where there is none of that result."""
    component = component_of(spec, name)
    sites = [
        Site(task, call)
        for task in spec.tasks.values()
        if isinstance(task, CompoundTask)
        for call in task.calls
        if call.callee == name.task
    ]
    if name.result is None:
        return sites
    meant = [site for site in sites if name.result in site.call.results]
    if not meant:
        known = ", ".join(map(str, sites))
        hint = f"its calls are {known}" if known else f"'{name.task}' is called by no compound task: name it alone"
        raise error("unknown-call", f"no call of '{name.task}' gives '{name.result}'", component.span, hint=hint)
    return meant


def find_pair(spec: Spec, producer: CallName, consumer: CallName) -> tuple[Site, Site]:
    """The one pair of calls of one compound task where the second reads what the first gives.

    Raises ArrayolError: `unknown-call`; `step-refused` where no such pair is linked, `ambiguous-call` where several
    are.
    """
    makers, readers = sites_of(spec, producer), sites_of(spec, consumer)
    pairs = [(maker, reader) for maker in makers for reader in readers if maker.compound is reader.compound]
    linked = [
        (maker, reader)
        for maker, reader in pairs
        if maker.call is not reader.call and set(maker.call.results) & set(reader.call.arguments)
    ]
    if len(linked) == 1:
        return linked[0]
    if linked:
        options = sorted({f"'{maker} {reader}'" for maker, reader in linked})
        message = f"'{producer} {consumer}' can mean {len(linked)} pairs of calls"
        raise error("ambiguous-call", message, linked[0][0].call.span, hint=f"name one: {', '.join(options)}")
    raise _unlinked(spec, producer, consumer)


def _unlinked(spec: Spec, producer: CallName, consumer: CallName) -> ArrayolError:
    span = component_of(spec, consumer).span
    readers = sorted({str(one) for one in _readers(spec, producer)})
    hint = f"what it gives is read by {', '.join(readers)}" if readers else f"no task reads what '{producer}' gives"
    return error("step-refused", f"'{consumer}' reads nothing that '{producer}' gives", span, hint=hint)


def _readers(spec: Spec, producer: CallName) -> Iterator[str]:
    for site in sites_of(spec, producer):
        for call in site.compound.calls:
            if set(call.arguments) & set(site.call.results):
                yield call.callee


def callers(spec: Spec, task: str) -> int:
    """How often a task is called, by repetitions and compound tasks together."""
    return sum(callees(one).count(task) for one in spec.tasks.values())
