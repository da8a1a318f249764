"""Rewriting is real: an elementary task on a custom layout, as a specification that computes the same arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arrayol.checks.pipeline import choose_top
from arrayol.errors import error
from arrayol.ir import expressions
from arrayol.ir.spec import Call, Component, CompoundTask, Elementary, Port, Spec
from arrayol.polyhedral.dependences import nest_of
from arrayol.transforms.unroll import unroll
from arrayol.transforms.unroll_factors import no_nest
from hwmodel.banks.copying import join, ports_used, split, zeros
from hwmodel.banks.custom import Custom
from hwmodel.banks.emit_aol import renamed_body
from hwmodel.banks.seats import Seating, bank_ports, fresh_names, own_ports


def rewritten(spec: Spec, name: str, factors: Sequence[int], custom: Custom, *, physical: bool = False) -> Spec:
    """A specification of NAME unrolled and on its custom layout, reorganised in front and restored behind.

    `custom` is the layout of `unrolled_nest(spec, name, factors)`. Task NAME_laid_out has the ports of NAME and calls
    NAME_split, NAME_banked and NAME_join. Each virtual memory is a port of NAME_banked, with the name it has in the
    layout; with `physical` each bank is one (one of inputs, one of outputs, per element type), in which its memories
    follow one another. Scalar ports stay as they are. Raises ArrayolError: `no-nest` where NAME is no elementary with a
    body, and what `unroll` raises.
    """
    component = spec.components[choose_top(spec, name)]
    if not isinstance(component, Elementary):
        hint = "name the elementary that it repeats; its body is what can be rewritten"
        raise error("no-nest", f"'{name}' is a task: it has no body to rewrite", component.span, hint=hint)
    if component.body is None:
        raise no_nest(component)
    unrolled = unroll(component, factors)
    names = [f"{name}_{part}" for part in ("split", "banked", "join", "laid_out")]
    fresh = fresh_names([*names, *_names_in(unrolled.elementary)])
    seating = (bank_ports if physical else own_ports)(component, custom, fresh)
    banked = _banked(unrolled.elementary, renamed_body(unrolled, custom, seating), seating, names[1])
    parts: list[Elementary] = [banked]
    inputs, outputs = ports_used(component, custom)
    if inputs:
        parts.insert(0, split(component, custom, seating, names[0]))
    if outputs:
        parts.append(join(component, custom, seating, names[2]))
    components: list[Component] = [*parts, _task(component, parts, seating, names[3])]
    return Spec(spec.name, {}, {part.name: part for part in components})


def _banked(
    unrolled: Elementary, statements: tuple[expressions.Statement, ...], seating: Seating, name: str
) -> Elementary:
    """The body on its memories; those that it does not surely write whole start with zeros, which nothing uses."""
    scalars = [tuple(port for port in ports if not port.shape) for ports in (unrolled.inputs, unrolled.outputs)]
    found = Elementary(
        name, (*seating.inputs, *scalars[0]), (*seating.outputs, *scalars[1]), statements, None, unrolled.span
    )
    whole = nest_of(found).settled()
    ports = [port.name for port in (*found.inputs, *found.outputs)]
    cleared = tuple(zeros(port, ports) for port in seating.outputs if port.name not in whole)
    return replace(found, body=(*cleared, *statements))


def _task(component: Elementary, parts: Sequence[Elementary], seating: Seating, name: str) -> CompoundTask:
    calls = tuple(
        Call(tuple(port.name for port in part.outputs), part.name, tuple(port.name for port in part.inputs), part.span)
        for part in parts
    )
    ports: tuple[Port, ...] = (*component.inputs, *seating.inputs, *seating.outputs, *component.outputs)
    arrays = {port.name: port for port in ports}
    return CompoundTask(name, component.inputs, component.outputs, calls, arrays, component.span)


def _names_in(elementary: Elementary) -> set[str]:
    """Names of ports and range variables."""
    ports = (*elementary.inputs, *elementary.outputs)
    return {port.name for port in ports} | {item.name for item in expressions.ranges(elementary.body or ())}
