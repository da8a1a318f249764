"""A tiled body that gathers its state from several blocks, seen as one nest again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from arrayol.ir.affine import Affine, affine
from arrayol.ir.expressions import Assign, Constant, Expr, Read
from arrayol.ir.spec import Call, CompoundTask, ConstValue, Delay, Elementary, Link, RepetitiveTask, Spec
from arrayol.transforms.collapse_delays import GatheredPiece, NotOneNestError
from arrayol.transforms.collapse_nest import Joined, join


@dataclass(frozen=True, slots=True)
class GatheredBody:
    """One repetition in a body, and the elementaries that put its state together."""

    body: CompoundTask
    inner: RepetitiveTask
    call: Call
    gathers: tuple[tuple[Call, Elementary], ...]


def gathered_body(spec: Spec, body: CompoundTask) -> GatheredBody | None:
    """The body as one repetition whose state elementaries gather, or None where it is something else."""
    repeated = [
        (call, found) for call in body.calls if isinstance(found := spec.components[call.callee], RepetitiveTask)
    ]
    others = [(call, found) for call in body.calls if isinstance(found := spec.components[call.callee], Elementary)]
    if len(repeated) != 1 or not others or len(others) + 1 != len(body.calls):
        return None
    call, inner = repeated[0]
    own = {port.name for port in body.inputs}
    if any(not set(one.arguments) <= own or not set(one.results) <= set(call.arguments) for one, _ in others):
        return None
    return GatheredBody(body, inner, call, tuple(others))


def untiled(spec: Spec, task: RepetitiveTask, found: GatheredBody) -> Joined:
    """The nest without its gathering. Raises NotOneNestError where it gathers anything else than a delay's state."""
    ports = dict(zip(found.call.arguments, (port.name for port in found.inner.inputs), strict=True))
    ports |= dict(zip(found.call.results, (port.name for port in found.inner.outputs), strict=True))
    gathered = {
        ports[call.results[0]]: tuple(_pieces(task, call, elementary, ports)) for call, elementary in found.gathers
    }
    outer = replace(
        task,
        callee=found.inner.name,
        input_links=tuple(replace(link, port=ports[link.port]) for link in task.input_links if link.port in ports),
        output_links=tuple(replace(link, port=ports[link.port]) for link in task.output_links),
        delays=tuple(_renamed(delay, ports) for delay in task.delays if delay.port in ports),
    )
    return join(outer, found.inner, spec.components[found.inner.callee], gathered)


def _renamed(delay: Delay, ports: Mapping[str, str]) -> Delay:
    return replace(delay, port=ports.get(delay.port, delay.port), output=ports[delay.output])


def _pieces(
    task: RepetitiveTask, call: Call, elementary: Elementary, ports: Mapping[str, str]
) -> Iterator[GatheredPiece]:
    """The copies that an elementary is made of, later ones first where they write over earlier ones."""
    actual = dict(zip((port.name for port in elementary.inputs), call.arguments, strict=True))
    for statement in elementary.body or ():
        if not isinstance(statement, Assign) or statement.accumulate or statement.condition is not None:
            raise NotOneNestError(f"'{elementary.name}' does more than to gather state")
        bounds = tuple((_number(item.low), _number(item.high)) for item in statement.ranges)
        names = [item.name for item in statement.ranges]
        if [_index(one) for one in statement.subscripts] != [(name, 0) for name in names]:
            raise NotOneNestError(f"'{elementary.name}' does more than to gather state")
        value = statement.value
        if isinstance(value, Read):
            moved = [_index(one) for one in value.subscripts]
            if [name for name, _ in moved] != names:
                raise NotOneNestError(f"'{elementary.name}' does more than to gather state")
            yield GatheredPiece(bounds, tuple(move for _, move in moved), _source(task, actual[value.port], ports))
        else:
            yield GatheredPiece(bounds, (0,) * len(bounds), _constant(value))


def _source(task: RepetitiveTask, port: str, ports: Mapping[str, str]) -> Delay | Link:
    delay = next((one for one in task.delays if one.port == port), None)
    if delay is not None:
        return _renamed(delay, ports)
    return next(link for link in task.input_links if link.port == port)


def _constant(value: Expr) -> ConstValue:
    if not isinstance(value, Constant):
        raise NotOneNestError("what gathers the state computes something")
    return value.value


def _number(bound: Expr) -> int:
    if not isinstance(bound, Constant):
        raise NotOneNestError("what gathers the state has ranges that are no numbers")
    return int(bound.value)


def _index(expr: Expr) -> tuple[str, int]:
    """A range variable plus a number."""
    match affine(expr):
        case Affine(terms=((str(name), 1),), constant=move):
            return name, move
    raise NotOneNestError("what gathers the state moves it otherwise than by numbers")
