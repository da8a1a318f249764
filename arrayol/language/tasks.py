"""Compound tasks: calls, each name assigned once, in an order of the dataflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from arrayol.ir import syntax
from arrayol.ir.spec import Call, CompoundTask, Port
from arrayol.language.diagnose import Mistake, Mistakes, mistake
from arrayol.language.hints import did_you_mean
from arrayol.language.namespace import Definitions
from arrayol.language.shapes import shown_port, shown_shape
from arrayol.language.signatures import Signature, check_fresh


def resolve_compound(
    item: syntax.Task,
    calls: tuple[syntax.Call, ...],
    signatures: Mapping[str, Signature],
    definitions: Definitions,
    mistakes: Mistakes,
) -> CompoundTask:
    """A compound task. Raises a silent Mistake after noting what is wrong with its calls."""
    own = signatures.get(item.name.text)
    before = len(mistakes)
    known = mistakes.sound_of(calls, lambda call: _counted(call, signatures, definitions))
    if own is None:
        raise Mistake
    assigned = {name.text for call in calls for name in call.results}
    arrays: dict[str, Port] = {port.name: port for port in own.inputs}
    _assign(known, own, signatures, arrays, definitions, mistakes)
    unknown = assigned - arrays.keys()  # results of calls with mistakes: nothing is said of what reads them
    for call in known:
        for name, formal in zip(call.arguments, signatures[call.callee.text].inputs, strict=True):
            if name.text not in unknown:
                mistakes.attempt(lambda name=name, formal=formal: _check_argument(name, formal, arrays))  # type: ignore[misc]
    for port in own.outputs:
        if port.name not in assigned:
            hint = f"assign it: {port.name} = TASK(...)"
            mistakes.report("output-unwritten", f"output '{port.name}' is never produced", port.span, hint)
    if len(mistakes) > before or len(known) < len(calls):
        raise Mistake
    ordered = _in_dataflow_order(item, calls)
    return CompoundTask(item.name.text, own.inputs, own.outputs, ordered, arrays, item.name.span)


def _counted(call: syntax.Call, signatures: Mapping[str, Signature], definitions: Definitions) -> syntax.Call:
    """The call, if its callee is known and has as many arguments and results."""
    callee = definitions.component(call.callee).name.text
    if callee not in signatures:
        raise Mistake
    signature = signatures[callee]
    for names, ports, what in (
        (call.arguments, signature.inputs, "argument"),
        (call.results, signature.outputs, "result"),
    ):
        if len(names) != len(ports):
            needed = ", ".join(shown_port(port) for port in ports) or "none"
            message = f"'{callee}' has {len(ports)} {what}{'' if len(ports) == 1 else 's'}, not {len(names)}"
            raise mistake("wrong-arguments", message, call.span, f"its {what}s are: {needed}")
    return call


def _assign(
    calls: Sequence[syntax.Call],
    own: Signature,
    signatures: Mapping[str, Signature],
    arrays: dict[str, Port],
    definitions: Definitions,
    mistakes: Mistakes,
) -> None:
    """Enter the results of all calls in `arrays`, each name once."""
    declared = {port.name: port for port in own.outputs}
    inputs = set(arrays)
    for call in calls:
        for name, formal in zip(call.results, signatures[call.callee.text].outputs, strict=True):
            if name.text in inputs:
                hint = "inputs are only read; choose another name"
                mistakes.report("assigned-twice", f"'{name.text}' is an input of the task", name.span, hint)
            elif name.text in arrays:
                hint = "each name is assigned once; choose another name"
                mistakes.report("assigned-twice", f"'{name.text}' is assigned a second time", name.span, hint)
            else:
                arrays[name.text] = declared.get(name.text) or replace(formal, name=name.text, span=name.span)
                if name.text in declared:
                    mistakes.attempt(lambda name=name, formal=formal: _check_same(formal, declared[name.text], name))  # type: ignore[misc]
                else:
                    check_fresh([name], "array", definitions, mistakes)


def _check_argument(name: syntax.Name, formal: Port, arrays: Mapping[str, Port]) -> None:
    if name.text not in arrays:
        hint = did_you_mean(name.text, arrays) or f"the arrays here are {', '.join(arrays)}"
        raise mistake("unknown-name", f"array '{name.text}' is read but never produced", name.span, hint)
    _check_same(formal, arrays[name.text], name)


def _check_same(formal: Port, array: Port, name: syntax.Name) -> None:
    if formal.type is not array.type:
        message = f"'{array.name}' holds {array.type}, port '{formal.name}' has {formal.type}"
        raise mistake("type-mismatch", message, name.span, "declare both with the same element type")
    if formal.shape != array.shape:
        shapes = [shown_shape(shape) or "scalar" for shape in (array.shape, formal.shape)]
        message = f"'{array.name}' is {shapes[0]}, port '{formal.name}' is {shapes[1]}"
        raise mistake("shape-mismatch", message, name.span, "declare both with the same shape")


def _in_dataflow_order(item: syntax.Task, calls: tuple[syntax.Call, ...]) -> tuple[Call, ...]:
    """The calls, each after those whose results it reads; textual order among independent ones."""
    producer = {name.text: place for place, call in enumerate(calls) for name in call.results}
    needs = {
        place: sorted({producer[name.text] for name in call.arguments if name.text in producer})
        for place, call in enumerate(calls)
    }
    sorter = TopologicalSorter(needs)
    try:
        sorter.prepare()
    except CycleError as failure:
        circle = [calls[place].results[0].text for place in failure.args[1]]
        first = calls[min(failure.args[1])]
        message = f"in task '{item.name.text}' arrays depend on themselves: {' -> '.join(circle)}"
        raise mistake(
            "dataflow-cycle", message, first.span, "calls form an acyclic graph; delays belong inside a repetition"
        ) from None
    order: list[int] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += ready
        sorter.done(*ready)
    return tuple(_call(calls[place]) for place in order)


def _call(call: syntax.Call) -> Call:
    return Call(
        tuple(name.text for name in call.results),
        call.callee.text,
        tuple(name.text for name in call.arguments),
        call.span,
    )
