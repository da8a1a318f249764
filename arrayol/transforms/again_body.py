"""The body of a reader that computes for itself what it reads: the producer's body in a loop before its own.

elementary rows(x: u8[3]) -> (y: u8) { y = u8((u16(x[0]) + x[1] + x[2]) // 3) }
elementary cols(x: u8[3]) -> (y: u8) { y = u8((u16(x[0]) + x[1] + x[2]) // 3) }

elementary rows_cols(x_2: u8[3, 3]) -> (y: u8) {
y_2: u8[3]
loop i in 0..3 { y_2[i] = u8((u16(x_2[0, i]) + x_2[1, i] + x_2[2, i]) // 3) }
y = u8((u16(y_2[0]) + y_2[1] + y_2[2]) // 3)
}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from arrayol.ir.affine import Affine, AffineExpr, affine, expression_of
from arrayol.ir.expressions import Expr, Index, Loop, Range, Read, Statement, ranges
from arrayol.ir.spec import Elementary, Local, OuterRange, Port, written_name
from arrayol.transforms.again_reads import MergedReads
from arrayol.transforms.rewrite import FreeNames
from arrayol.transforms.split.split_reads import mapped, weak

Change = Callable[[Read], Expr]


@dataclass(frozen=True, slots=True)
class ProducedPort:
    """One input `port` of the reader that it makes: from output `result` of the producer, by what that reads.

    `reads` has the input of the merged elementary and its pattern, by the producer's inputs.
    """

    port: Port
    result: str
    reads: Mapping[str, tuple[Port, MergedReads]]


def merged_body(
    name: str, producer: Elementary, reader: Elementary, made: Iterable[ProducedPort], names: FreeNames
) -> Elementary:
    """The reader with the producer's body before its own, once for each input that it makes."""
    merging = _Merging(producer, reader, names, [*_used(producer), *_used(reader)])
    statements: list[Statement] = []
    locals_: list[Local] = []
    results: dict[str, str] = {}
    inputs = {port.name: port for port in reader.inputs}
    for one in made:
        instances, own, result = merging.instances(one)
        statements += instances
        locals_ += own
        results[one.port.name] = result
        del inputs[one.port.name]
        inputs |= {port.name: port for port, _ in one.reads.values()}

    def change(read: Read) -> Read:
        subscripts = tuple(mapped(item, change) for item in read.subscripts)
        return replace(read, port=results.get(read.port, read.port), subscripts=subscripts)

    body = (*statements, *_Rewriting(change, {}, (), {}).of(reader.body or ()))
    ports = tuple(inputs.values())
    every = tuple(sorted((*locals_, *reader.locals), key=lambda local: local.name))
    return Elementary(name, ports, reader.outputs, body, None, reader.span, every)


def _used(elementary: Elementary) -> list[str]:
    """Names that a body has."""
    every = (*elementary.inputs, *elementary.outputs)
    locals_ = (written_name(one.name) for one in elementary.locals)
    return [*(port.name for port in every), *locals_, *(one.name for one in ranges(elementary.body or ()))]


@dataclass(frozen=True, slots=True)
class _Merging:
    producer: Elementary
    reader: Elementary
    names: FreeNames
    used: list[str]

    def instances(self, made: ProducedPort) -> tuple[list[Statement], list[Local], str]:
        """The producer's instances for a pattern of the reader, their locals, and which of these is the pattern."""
        pattern, span = finite_shape(made.port), made.port.span
        indices = tuple(self._fresh("i") for _ in pattern)
        ranges_of = {one.name: self._range_name(one.name) for one in ranges(self.producer.body or ())}
        around = tuple(OuterRange(name, 0, extent) for name, extent in zip(indices, pattern, strict=True))
        outputs = {
            port.name: Local(self._fresh(port.name), port.type, (), (*pattern, *finite_shape(port)), span)
            for port in self.producer.outputs
        }
        inner = {
            own.name: replace(
                own,
                name=self._fresh(written_name(own.name)),
                around=(*around, *(replace(one, name=ranges_of[one.name]) for one in own.around)),
            )
            for own in self.producer.locals
        }
        variables = tuple(Index(name, span) for name in indices)
        arrays = {name: (own.name, len(pattern)) for name, own in inner.items()}
        arrays |= {name: (own.name, 0) for name, own in outputs.items()}

        def change(read: Read) -> Read:
            subscripts = tuple(mapped(item, change, ranges_of) for item in read.subscripts)
            if read.port in made.reads:
                port, merged = made.reads[read.port]
                return replace(read, port=port.name, subscripts=_moved(subscripts, merged, indices, read))
            if read.port in arrays:
                name, more = arrays[read.port]
                return replace(read, port=name, subscripts=(*variables, *subscripts), around=read.around + more)
            return replace(read, subscripts=subscripts)

        body = tuple(_Rewriting(change, arrays, variables, ranges_of).of(self.producer.body or ()))
        if pattern:
            bounds = tuple(
                Range(name, weak(0, span), weak(extent, span), span)
                for name, extent in zip(indices, pattern, strict=True)
            )
            body = (Loop(bounds, body, span),)
        return list(body), [*outputs.values(), *inner.values()], outputs[made.result].name

    def _fresh(self, preferred: str) -> str:
        self.used.append(self.names.local(preferred, self.used))
        return self.used[-1]

    def _range_name(self, name: str) -> str:
        """Another name for a variable of the producer that is no variable's in the reader."""
        arrays = {port.name for port in (*self.reader.inputs, *self.reader.outputs)}
        return self._fresh(name) if name in arrays | {written_name(one.name) for one in self.reader.locals} else name


def finite_shape(port: Port) -> tuple[int, ...]:
    """The shape of a port, of which an infinite axis counts as 1."""
    return tuple(extent or 1 for extent in port.shape)


def _moved(subscripts: tuple[Expr, ...], merged: MergedReads, indices: tuple[str, ...], read: Read) -> tuple[Expr, ...]:
    """The place of an element in the merged pattern."""
    made: list[Expr] = []
    for axis, factors in enumerate(merged.factors):
        step: AffineExpr = Affine.of(zip(indices, factors, strict=True), 0)
        if axis >= len(subscripts):
            made.append(expression_of(step, read.span))
        elif step.terms:
            made.append(expression_of(affine(subscripts[axis]) + step, read.span))
        else:
            made.append(subscripts[axis])
    return tuple(made)


@dataclass(frozen=True, slots=True)
class _Rewriting:
    """Other reads, and other names and leading subscripts for the arrays that are written."""

    change: Change
    arrays: Mapping[str, tuple[str, int]]
    variables: tuple[Expr, ...]
    ranges_of: Mapping[str, str]

    def of(self, body: Iterable[Statement]) -> Iterator[Statement]:
        """The statements."""
        for item in body:
            bounds = tuple(map(self._bounds, item.ranges))
            if isinstance(item, Loop):
                yield replace(item, ranges=bounds, body=tuple(self.of(item.body)))
                continue
            name, more = self.arrays.get(item.port, (item.port, 0))
            subscripts = tuple(map(self._expr, item.subscripts))
            yield replace(
                item,
                port=name,
                subscripts=(*self.variables, *subscripts) if item.port in self.arrays else subscripts,
                value=self._expr(item.value),
                ranges=bounds,
                condition=None if item.condition is None else self._expr(item.condition),
                around=item.around + more,
            )

    def _expr(self, expr: Expr) -> Expr:
        return mapped(expr, self.change, self.ranges_of)

    def _bounds(self, one: Range) -> Range:
        return replace(
            one, name=self.ranges_of.get(one.name, one.name), low=self._expr(one.low), high=self._expr(one.high)
        )
