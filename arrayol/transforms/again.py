"""Arrays made again: a task computes for itself what it reads of another one, in each repetition.

Before:

    task blur_x(i: u8[8, 8]) -> (bx: u8[8, 8]) {
      repeat [8, 8] of rows {
        x <- i  at origin [0, -1]  paving [1, 0; 0, 1]  fitting [0; 1] else nearest
        y -> bx
      }
    }
    task blur_y(bx: u8[8, 8]) -> (by: u8[8, 8]) {
      repeat [8, 8] of cols {
        x <- bx at origin [-1, 0]  paving [1, 0; 0, 1]  fitting [1; 0] else nearest
        y -> by
      }
    }
    task blur(i: u8[8, 8]) -> (by: u8[8, 8]) {
      bx = blur_x(i)
      by = blur_y(bx)
    }

After `again blur_x blur_y`, where `rows_cols` has the body of `rows` in a loop over the elements that `cols` reads:

    task blur_x_blur_y(i: u8[8, 8]) -> (by: u8[8, 8]) {
      repeat [8, 8] of rows_cols {
        x_2 <- i  at origin [-1, -1]  paving [1, 0; 0, 1]  fitting [0, 1; 1, 0] else nearest
        y   -> by
      }
    }
    task blur(i: u8[8, 8]) -> (by: u8[8, 8]) { by = blur_x_blur_y(i) }

Nothing waits of the array between the two, and the producer's work is done once for each element that is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from arrayol.ir.expressions import reads_by_data
from arrayol.ir.spec import Call, Elementary, Link, Port, RepetitiveTask, Spec, port_named
from arrayol.ir.spec import identity as unit_matrix
from arrayol.text import counted
from arrayol.transforms.again_body import ProducedPort, finite_shape, merged_body
from arrayol.transforms.again_reads import MergedReads, Reads, merged_reads
from arrayol.transforms.inline import across_compounds, hidden_pair
from arrayol.transforms.pair import Pair, pair_of
from arrayol.transforms.rewrite import (
    CallName,
    FreeNames,
    default_arrays,
    find_pair,
    refused,
    with_calls,
    with_definitions,
)
from arrayol.transforms.trace import IndexMap, Trace, Transformed, identity


@dataclass(frozen=True, slots=True)
class Again:
    """Let the call of `consumer` compute for itself what it reads of the call of `producer`.

    The merged task is PRODUCER_CONSUMER. The producer stays for its other readers. It has to make one element for each
    repetition, at the repetition's own index, and the borders of both have to make one. Raises ArrayolError:
    `step-refused`, `unknown-call`, `ambiguous-call`.
    """

    producer: CallName
    consumer: CallName

    def __str__(self) -> str:
        return f"again {self.producer} {self.consumer}"

    def apply(self, spec: Spec) -> Transformed:
        hidden = hidden_pair(spec, self.producer, self.consumer)
        if hidden is not None:
            return across_compounds(spec, hidden, Again)
        pair = pair_of(spec, *find_pair(spec, self.producer, self.consumer))
        producer, reader = _bodies(spec, pair)
        _require_elements(producer, pair)
        names = FreeNames(spec)
        merged, elementary = _merged(pair, producer, reader, names)
        call = _call(pair, merged)
        calls = [call if old is pair.calls[1] else old for old in pair.compound.calls]
        if not _is_wanted(pair, calls):
            calls = [old for old in calls if old is not pair.calls[0]]
        changed = with_calls(pair.compound, calls)
        after = with_definitions(spec, {pair.compound.name: (elementary, merged, changed)})
        return Transformed(after, _trace(spec, after, pair, merged), tuple(_remarks(pair, reader, calls)), merged.name)


def _bodies(spec: Spec, pair: Pair) -> tuple[Elementary, Elementary]:
    """The elementaries of both. Raises ArrayolError (`step-refused`) where one has no body."""
    found = []
    for task in (pair.producer, pair.consumer):
        callee = spec.components[task.callee]
        if not isinstance(callee, Elementary) or callee.body is None:
            message = f"'{task.name}' repeats '{task.callee}', which has no body to join"
            raise refused(message, task.span, "name tasks that repeat elementary tasks with bodies")
        found.append(callee)
    producer, reader = found
    return producer, reader


def _require_elements(producer: Elementary, pair: Pair) -> None:
    """Raises ArrayolError (`step-refused`) where not each repetition makes the element of its own index alone."""
    task, reader = pair.producer, pair.consumer
    if task.delays:
        message = f"'{task.name}' has states: its repetitions cannot be done again out of order"
        raise refused(message, task.delays[0].span, "name a producer without delays")
    if pair.by_default:
        message = f"'{reader.name}' reads what '{task.name}' gives where its delays leave the space, too"
        raise refused(message, reader.span)
    for array in pair.shared:
        links = [link for link in task.output_links if link.array == array.name]
        if not all(_is_of_index(producer, task, link, array) for link in links) or len(links) != 1:
            message = f"'{task.name}' does not make one element of '{array.name}' for each repetition, at its index"
            raise refused(message, task.span, "name a producer that makes its array element by element")


def _is_of_index(producer: Elementary, task: RepetitiveTask, link: Link, array: Port) -> bool:
    tiler, rank = link.tiler, len(task.repetition)
    own = not any(tiler.origin) and tiler.paving == unit_matrix(rank) and task.repetition == array.shape
    return own and port_named(producer.outputs, link.port).shape == () and link.exit is None


def _merged(
    pair: Pair, producer: Elementary, reader: Elementary, names: FreeNames
) -> tuple[RepetitiveTask, Elementary]:
    """The merged task and its elementary."""
    shared = {array.name: array for array in pair.shared}
    arrays = {port.name: port for port in (*pair.producer.inputs, *pair.consumer.inputs)}
    used = [port.name for one in (producer, reader) for port in (*one.inputs, *one.outputs)]
    links = [link for link in pair.consumer.input_links if link.array not in shared]
    made: list[ProducedPort] = []
    known = {(link.array, link.tiler, finite_shape(port_named(reader.inputs, link.port))): link.port for link in links}
    for link in (link for link in pair.consumer.input_links if link.array in shared):
        port = port_named(reader.inputs, link.port)
        if reads_by_data(reader.body or (), port.name):
            message = f"which elements '{reader.name}' reads of '{port.name}' depends on data"
            raise refused(message, link.span, "name a reader of fixed places")
        result = next(own.port for own in pair.producer.output_links if own.array == link.array)
        reads: dict[str, tuple[Port, MergedReads]] = {}
        for source in pair.producer.input_links:
            own = port_named(producer.inputs, source.port)
            found = _reads(pair, arrays[source.array], (port, link), (own, source), producer)
            key = source.array, found.tiler, found.pattern
            if key not in known:
                known[key] = names.local(own.name, used)
                used.append(known[key])
                links.append(Link(known[key], source.array, found.tiler, source.span))
            reads[own.name] = replace(own, name=known[key], shape=found.pattern), found
        made.append(ProducedPort(port, result, reads))
    elementary = merged_body(names.definition(f"{producer.name}_{reader.name}"), producer, reader, made, names)
    read = [*(link.array for link in links), *default_arrays(pair.consumer)]
    inputs = tuple(arrays[name] for name in dict.fromkeys(read))
    name = names.definition(f"{pair.calls[0].callee}_{pair.calls[1].callee}")
    task = replace(pair.consumer, name=name, inputs=inputs, callee=elementary.name, input_links=tuple(links))
    return task, elementary


def _reads(
    pair: Pair, array: Port, reading: tuple[Port, Link], source: tuple[Port, Link], producer: Elementary
) -> MergedReads:
    """The merged pattern. Raises ArrayolError (`step-refused`) where both borders are none together."""
    (port, link), (own, link_of_own) = reading, source
    read = next(one for one in pair.shared if one.name == link.array)
    found = merged_reads(
        Reads(link.tiler, finite_shape(port), pair.consumer.repetition, read.shape),
        Reads(link_of_own.tiler, finite_shape(own), pair.producer.repetition, array.shape),
        by_data=reads_by_data(producer.body or (), own.name),
    )
    if found is None:
        message = (
            f"beyond the ends of '{read.name}', '{pair.consumer.name}' reads what no border of '{array.name}' gives"
        )
        raise refused(message, link.span, "name a reader that stays inside, or a producer without a window there")
    return found


def _call(pair: Pair, merged: RepetitiveTask) -> Call:
    arguments, results = ([port.name for port in ports] for ports in (merged.inputs, merged.outputs))
    parts = tuple((port, pair.parts[port][1]) for port in (*arguments, *results) if port in pair.parts)
    arguments, results = (
        [pair.parts[port][0] if port in pair.parts else port for port in ports] for ports in (arguments, results)
    )
    return Call(tuple(results), merged.name, tuple(arguments), pair.calls[1].span, parts)


def _is_wanted(pair: Pair, calls: Sequence[Call]) -> bool:
    """Whether something still reads what the producer gives."""
    read = {name for call in calls for name in call.arguments} | {port.name for port in pair.compound.outputs}
    return not read.isdisjoint(pair.calls[0].results)


def _remarks(pair: Pair, reader: Elementary, calls: Sequence[Call]) -> Iterator[str]:
    names = [call.callee for call in pair.calls]
    shared = {array.name for array in pair.shared}
    ports = [link.port for link in pair.consumer.input_links if link.array in shared]
    runs = sum(prod(finite_shape(port_named(reader.inputs, port))) for port in ports)
    yield f"'{names[0]}' is computed {counted(runs, 'time')} in each repetition of '{names[1]}'"
    if pair.calls[0] in calls:
        yield f"'{names[0]}' also stays beside it, for its other readers"


def _trace(spec: Spec, after: Spec, pair: Pair, merged: RepetitiveTask) -> Trace:
    """The reader's repetitions are those of the merged task; what it computes again stands for no repetition."""
    before = identity(spec)
    tasks, arrays = dict(before.tasks), dict(before.arrays)
    for call in pair.calls:
        if call.callee in tasks and call.callee not in after.components:
            tasks[call.callee] = ()
    reader = pair.calls[1].callee
    if reader in tasks:
        tasks[reader] = (*tasks[reader], IndexMap((merged.name,), merged.repetition))
    for call, bound in zip(pair.calls, pair.names, strict=True):
        if call.callee not in after.components:
            ports = {port.name for port in (*merged.inputs, *merged.outputs)}
            arrays |= {
                (call.callee, port): ((merged.name, array),) if array in ports else () for port, array in bound.items()
            }
    compound = after.components[pair.compound.name]
    for array in pair.compound.arrays:
        if array not in compound.arrays:  # type: ignore[union-attr]
            arrays[pair.compound.name, array] = ()
    return Trace(tasks, arrays)
