"""Fusion: one repetition whose body computes a block of a producer and its consumer.

Before:

    task rows(a: u8[8, 8]) -> (b: u8[8, 8]) {
      repeat [8] of row {
        x <- a at origin [0, 0]  paving [1; 0]  fitting [0; 1]
        y -> b at origin [0, 0]  paving [1; 0]  fitting [0; 1]
      }
    }
    task windows(b: u8[8, 8]) -> (c: u8[4, 8]) {
      repeat [4, 8] of window {
        x <- b at origin [0, 0]  paving [2, 0; 0, 1]  fitting [1; 0] wrap
        y -> c at origin [0, 0]  paving [1, 0; 0, 1]  fitting []
      }
    }
    task both(a: u8[8, 8]) -> (c: u8[4, 8]) {
      b = rows(a)
      c = windows(b)
    }

After `fuse rows windows 2,8`, where a window has 3 lines (so a block needs 5 lines, recomputing one of them):

    task rows_block(x: u8[5, 8]) -> (y: u8[5, 8]) { repeat [5] of row { ... } }
    task windows_block(x: u8[5, 8]) -> (y: u8[2, 8]) { repeat [2, 8] of window { ... } }
    task rows_windows_body(x: u8[5, 8]) -> (y_2: u8[2, 8]) {
      y   = rows_block(x)
      y_2 = windows_block(y)
    }
    task rows_windows(a: u8[8, 8]) -> (c: u8[4, 8]) {
      repeat [2, 1] of rows_windows_body {
        x   <- a at origin [0, 0]  paving [4, 0; 0, 0]  fitting [1, 0; 0, 1] wrap
        y_2 -> c at origin [0, 0]  paving [2, 0; 0, 8]  fitting [1, 0; 0, 1]
      }
    }
    task both(a: u8[8, 8]) -> (c: u8[4, 8]) {
      c = rows_windows(a)
    }
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from arrayol.errors import ArrayolError
from arrayol.ir.divisors import divisors
from arrayol.ir.spec import Call, CompoundTask, Spec
from arrayol.text import listed
from arrayol.transforms.assemble import Assembly, Outline, assemble
from arrayol.transforms.blocks.block import Blocks, diagonal
from arrayol.transforms.fused_block import Failure, Fusion, find_fusion, move_of, producer_runs
from arrayol.transforms.inline import across_compounds, hidden_pair
from arrayol.transforms.pair import Pair, pair_of
from arrayol.transforms.rewrite import (
    CallName,
    FreeNames,
    Sizes,
    default_arrays,
    find_pair,
    nearest_sizes,
    refused,
    require_sizes,
    shown,
    with_calls,
    with_definitions,
)
from arrayol.transforms.tile import Tile
from arrayol.transforms.trace import ArrayName, IndexMap, MatrixMap, Trace, Transformed, identity


@dataclass(frozen=True, slots=True)
class Fuse:
    """Fuse the call of `producer` with the call of `consumer` that reads it, by blocks of the consumer.

    The fused task is PRODUCER_CONSUMER. Without `block` the smallest block is taken that needs whole repetitions of the
    producer. Where delays scan opposite ways along an axis, that axis is taken whole, and a remark says so. What others
    need of the producer is given by the fused task, where it writes it once; else the producer stays beside it.
    Raises ArrayolError: `step-refused`, `wrong-sizes`, `unknown-call`, `ambiguous-call`.
    """

    producer: CallName
    consumer: CallName
    block: Sizes | None = None

    def __str__(self) -> str:
        block = "" if self.block is None else f" {shown(self.block)}"
        return f"fuse {self.producer} {self.consumer}{block}"

    def apply(self, spec: Spec) -> Transformed:
        hidden = hidden_pair(spec, self.producer, self.consumer)
        if hidden is not None:
            return across_compounds(spec, hidden, lambda producer, consumer: Fuse(producer, consumer, self.block))
        pair = pair_of(spec, *find_pair(spec, self.producer, self.consumer))
        read = {array.name for array in pair.shared}
        if any(link.exit is not None and link.array in read for link in pair.producer.output_links):
            return self._with_whole_chains(spec, pair)
        if self.block is not None:
            consumer = pair.consumer
            require_sizes(self.block, consumer.repetition, "a block of", consumer.name, consumer.span)
        sizes = _default_block(spec, pair) if self.block is None else self.block
        fusion, names, sizes, remarks = _search(spec, pair, sizes, free=self.block is None)
        name = names.definition(f"{pair.calls[0].callee}_{pair.calls[1].callee}")
        assembly = _assembled(spec, pair, fusion, name, names)
        after = _replaced(spec, pair, fusion, assembly, name)
        remarks += _remarks(pair, fusion, sizes, self.block)
        return Transformed(after, _trace(spec, after, pair, fusion, assembly, name), tuple(remarks), name)

    def _with_whole_chains(self, spec: Spec, pair: Pair) -> Transformed:
        """The producer's exits leave a block that holds whole chains: it is tiled so, and then fused."""
        producer = pair.producer
        along = {
            axis
            for vector in (
                *(link.exit for link in producer.output_links if link.exit is not None),
                *(delay.vector for delay in producer.delays if delay.acts),
            )
            for axis, step in enumerate(vector)
            if step
        }
        # Cut along any of these axes, a chain would leave its block with a value from its middle.
        sizes = tuple((extent or 1) if axis in along else 1 for axis, extent in enumerate(producer.repetition))
        tiled = Tile(self.producer, sizes).apply(spec)
        assert tiled.task is not None
        fused = Fuse(replace(self.producer, task=tiled.task), self.consumer, self.block).apply(tiled.spec)
        remark = (
            f"a block of '{producer.name}' holds whole chains, {shown(sizes)} repetitions, so that its exit leaves it"
        )
        return Transformed(fused.spec, tiled.trace.then(fused.trace), (remark, *fused.remarks), fused.task)


def _default_block(spec: Spec, pair: Pair) -> Sizes:
    """The smallest sizes with which every block needs whole repetitions of the producer; whole where there are none."""
    sizes: list[int] = []
    for axis, extent in enumerate(pair.consumer.repetition):
        options = divisors(extent) if extent else list(range(1, 66))
        serving = (size for size in options if size == extent or move_of(spec, pair, axis, size) is not None)
        smallest = next(serving, None)
        if smallest is None:
            message = (
                f"no block of up to {options[-1]} along infinite dimension {axis} of '{pair.consumer.name}' begins "
                f"with a repetition of '{pair.producer.name}'"
            )
            raise refused(message, pair.consumer.span)
        sizes.append(smallest)
    return tuple(sizes)


def _search(spec: Spec, pair: Pair, sizes: Sizes, *, free: bool) -> tuple[Fusion, FreeNames, Sizes, list[str]]:
    """The fusion by blocks of those sizes, or of larger ones: whole axes where delays scan opposite ways.

    Where the sizes are `free`, an axis is taken whole for any other reason too.
    """
    remarks: list[str] = []
    tried = sizes
    while True:  # each turn takes at least one more axis whole, so it ends
        names = FreeNames(spec)
        fusion = find_fusion(spec, pair, tried, names)
        if isinstance(fusion, Fusion):
            return fusion, names, tried, remarks
        larger = _enlarged(pair, tried, fusion)
        if larger is None or not (fusion.scans or free):
            raise _refusal(spec, pair, sizes, tried, fusion, free=free)
        if fusion.scans:
            axes = [axis for axis, (old, new) in enumerate(zip(tried, larger, strict=True)) if old != new]
            remarks.append(_whole_remark(pair, axes, fusion))
        tried = larger


def _enlarged(pair: Pair, sizes: Sizes, failure: Failure) -> Sizes | None:
    """Sizes with the failure's axes taken whole, or None where that changes nothing or an axis is infinite."""
    space = pair.consumer.repetition
    larger = tuple((space[axis] or 0) if axis in failure.axes else size for axis, size in enumerate(sizes))
    return None if larger == sizes or 0 in larger else larger


def _whole_remark(pair: Pair, axes: list[int], failure: Failure) -> str:
    which = listed([f"dimension {axis} of '{pair.consumer.name}'" for axis in axes])
    return (
        f"'{pair.producer.name}' and '{pair.consumer.name}' scan against each other: {which} is taken whole in the "
        f"macro-pattern ({failure.reason})"
    )


def _refusal(spec: Spec, pair: Pair, sizes: Sizes, tried: Sizes, failure: Failure, *, free: bool) -> ArrayolError:
    names = f"'{pair.producer.name}' and '{pair.consumer.name}'"
    message = f"{names} cannot be fused by blocks of {shown(tried)}: {failure.reason}"
    if free:
        infinite = any(pair.consumer.repetition[axis] is None for axis in failure.axes)
        hint = "the axis would have to be taken whole, and it is infinite" if infinite else "no block serves"
        return refused(message, pair.consumer.span, hint)

    def serves(other: Sizes) -> bool:
        return isinstance(find_fusion(spec, pair, other, FreeNames(spec)), Fusion)

    options = nearest_sizes(sizes, pair.consumer.repetition, serves)
    hint = f"the nearest blocks that serve: {' or '.join(map(shown, options))}" if options else "leave the block out"
    return refused(message, pair.consumer.span, hint)


def _assembled(spec: Spec, pair: Pair, fusion: Fusion, name: str, names: FreeNames) -> Assembly:
    producer, consumer = pair.producer, pair.consumer
    used = {link.array for task in (producer, consumer) for link in task.input_links}
    used -= {array.name for array in pair.shared} - pair.by_default
    used |= {*default_arrays(producer), *default_arrays(consumer)}
    inputs = {port.name: port for port in (*producer.inputs, *consumer.inputs) if port.name in used}
    outputs, space = (*fusion.given, *consumer.outputs), fusion.macro.consumer.outer
    body = names.definition(f"{name}_body")
    outline = Outline(name, tuple(inputs.values()), outputs, space, body, consumer.span)
    return assemble(outline, [fusion.producer, fusion.consumer], spec, names)


def _replaced(spec: Spec, pair: Pair, fusion: Fusion, assembly: Assembly, name: str) -> Spec:
    outer = assembly.components[-1]
    arguments, results = (tuple(port.name for port in ports) for ports in (outer.inputs, outer.outputs))
    parts = tuple((port, pair.parts[port][1]) for port in (*arguments, *results) if port in pair.parts)
    arguments, results = (
        tuple(pair.parts[port][0] if port in pair.parts else port for port in ports) for ports in (arguments, results)
    )
    call = Call(results, name, arguments, pair.calls[1].span, parts)
    gone = () if fusion.beside else pair.calls[:1]
    calls = [call if old is pair.calls[1] else old for old in pair.compound.calls if old not in gone]
    changed = with_calls(pair.compound, calls)
    return with_definitions(spec, {pair.compound.name: (*assembly.components, changed)})


def _remarks(pair: Pair, fusion: Fusion, sizes: Sizes, asked: Sizes | None) -> list[str]:
    runs, before = producer_runs(fusion.macro)
    name, consumer = pair.calls[0].callee, pair.calls[1].callee
    remarks = []
    if sizes != asked:
        noun = "repetition" if tuple(sizes) == (1,) else "repetitions"
        remarks.append(f"a block is {shown(sizes)} {noun} of '{consumer}'")
    remarks.append(f"'{name}' runs {runs:,} times instead of {before:,}: recomputation {runs / before:.3f}")
    if fusion.beside:
        remarks.append(f"'{name}' also stays beside '{name}_{consumer}', for its other readers, which doubles its work")
    return remarks


def _trace(spec: Spec, after: Spec, pair: Pair, fusion: Fusion, assembly: Assembly, name: str) -> Trace:
    before = identity(spec)
    tasks, arrays = dict(before.tasks), dict(before.arrays)
    parts = (fusion.producer, fusion.consumer)
    macros = (fusion.macro.producer, fusion.macro.consumer)
    for call, bound, part, blocks in zip(pair.calls, pair.names, parts, macros, strict=True):
        if call.callee in tasks:
            kept = before.tasks[call.callee] if call.callee in after.components else ()
            earlier = tasks[call.callee] if tasks[call.callee] != before.tasks[call.callee] else kept
            tasks[call.callee] = (*earlier, _index_map(part.inner.name, blocks, name, assembly))
        if call.callee not in after.components:
            arrays |= {(call.callee, port): _place(array, assembly, name) for port, array in bound.items()}
    compound = after.components[pair.compound.name]
    assert isinstance(compound, CompoundTask)
    for array in pair.compound.arrays:
        if array not in compound.arrays:
            arrays[pair.compound.name, array] = _place(array, assembly, name)
    return Trace(tasks, arrays | {old: (new,) for old, new in assembly.inlined.items()})


def _place(array: str, assembly: Assembly, name: str) -> tuple[ArrayName, ...]:
    """Where an array of the composition is in the fused task: a port of it, or inside its body."""
    outer = assembly.components[-1]
    if any(port.name == array for port in (*outer.inputs, *outer.outputs)):
        return ((name, array),)
    return ((assembly.components[-2].name, assembly.locals[array]),) if array in assembly.locals else ()


def _index_map(inner: str, blocks: Blocks, name: str, assembly: Assembly) -> IndexMap:
    rank = len(blocks.extents)
    direct = inner in assembly.direct
    steps = ((),) * rank if direct else diagonal(blocks.stride)
    matrix = tuple((*row, *step) for row, step in zip(blocks.paving, steps, strict=True))
    turns = tuple(extent if axis in blocks.wrapped else None for axis, extent in enumerate(blocks.space))
    extents = blocks.outer if direct else (*blocks.outer, *blocks.extents)
    path = (name,) if direct else (name, inner)
    return IndexMap(path, extents, (MatrixMap(blocks.origin, matrix, (1,) * rank, turns),))
