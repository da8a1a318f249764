"""What a fusion becomes: the parts of its block, what it gives to others, and what has to stay beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from arrayol.ir.spec import CompoundTask, Port, RepetitiveTask, Spec, Tiler
from arrayol.polyhedral.accesses import Access, find_outside
from arrayol.polyhedral.isl import TooHardError
from arrayol.polyhedral.single_write import find_clash, find_hole
from arrayol.transforms.block_arrays import Layout, Use, lay_out, lay_out_whole
from arrayol.transforms.blocks import Blocks, split_tiler
from arrayol.transforms.cut import UnservedError, block_part
from arrayol.transforms.macro import Failure, Macro, find_macro, whole_macro
from arrayol.transforms.naming import Names
from arrayol.transforms.orders import block_vectors, find_block_circle, tell_circle
from arrayol.transforms.pair import Pair
from arrayol.transforms.parts import BlockPart, Inside, Reach, Sink
from arrayol.transforms.states import Unserved


@dataclass(frozen=True, slots=True)
class Fusion:
    """The parts of a fused block.

    `given` are the producer's arrays that it writes whole, `beside` tells whether others still need the producer.
    """

    macro: Macro
    producer: BlockPart
    consumer: BlockPart
    given: tuple[Port, ...]
    beside: bool


def find_fusion(spec: Spec, pair: Pair, sizes: Sequence[int], names: Names) -> Fusion | Failure:
    """The fusion by consumer blocks of those sizes, or why it cannot be."""
    macro = find_macro(spec, pair, sizes)
    layouts = macro if isinstance(macro, Failure) else _laid_out(spec, pair, macro)
    if isinstance(layouts, Failure):
        whole = whole_macro(pair, sizes)
        if whole is None:
            return layouts
        macro = whole
        layouts = {
            array.name: lay_out_whole(
                array, pair.writes(spec, array.name), pair.reads(spec, array.name), whole.producer
            )
            for array in pair.shared
        }
    assert isinstance(macro, Macro)
    circle = _scanning(pair, macro)
    if circle:
        return circle
    wanted = _wanted_outside(pair)
    beside = bool(wanted) and (_lies_between(pair) or not _once(spec, pair, macro.producer, layouts, wanted))
    try:
        return _fusion(spec, pair, macro, layouts, frozenset() if beside else wanted, beside, names)
    except UnservedError as unserved:
        return _unserved(pair, macro, unserved.found)


def _laid_out(spec: Spec, pair: Pair, macro: Macro) -> dict[str, Layout] | Failure:
    layouts: dict[str, Layout] = {}
    for array in pair.shared:
        writes, reads = pair.writes(spec, array.name), pair.reads(spec, array.name)
        found = lay_out(array, writes, reads, macro.producer, macro.consumer)
        if found is None:
            return Failure(_no_layout(pair, array), _cut(macro))
        layouts[array.name] = found
    return layouts


def _fusion(
    spec: Spec,
    pair: Pair,
    macro: Macro,
    layouts: Mapping[str, Layout],
    given: frozenset[str],
    beside: bool,
    names: Names,
) -> Fusion:
    producer = _restricted(pair.producer, {*layouts, *given})
    local = {name: Port(name, array.type, layouts[name].shape, array.span) for name, array in _by_name(pair).items()}
    made = block_part(
        producer,
        spec.components[producer.callee],
        macro.producer,
        names.definition(f"{pair.calls[0].callee}_block"),
        names,
        Inside(local, {}, dict(_written(producer, layouts))),
    )
    reads = {
        use.link.port: tiler
        for name in layouts
        for use, tiler in zip(pair.reads(spec, name), layouts[name].reads, strict=True)
    }
    taken = block_part(
        pair.consumer,
        spec.components[pair.consumer.callee],
        macro.consumer,
        names.definition(f"{pair.calls[1].callee}_block"),
        names,
        Inside(local, reads, {}),
    )
    made = replace(made, sinks=tuple(_exported(sink, layouts, given) for sink in made.sinks))
    arrays = tuple(pair.compound.arrays[name] for name in pair.calls[0].results if name in given)
    return Fusion(macro, made, taken, arrays, beside)


def _by_name(pair: Pair) -> dict[str, Port]:
    return {array.name: array for array in pair.shared}


def _restricted(producer: RepetitiveTask, arrays: set[str]) -> RepetitiveTask:
    """The producer without links to arrays that the block does not need."""
    links = tuple(link for link in producer.output_links if link.array in arrays)
    return replace(producer, output_links=links)


def _written(producer: RepetitiveTask, layouts: Mapping[str, Layout]) -> Iterator[tuple[int, Tiler]]:
    left = {name: iter(layout.writes) for name, layout in layouts.items()}
    for place, link in enumerate(producer.output_links):
        if link.array in left:
            yield place, next(left[link.array])


def _exported(sink: Sink, layouts: Mapping[str, Layout], given: frozenset[str]) -> Sink:
    """An inner array that others read too is written outside as a whole."""
    if sink.local is None or sink.local not in given:
        return sink
    return replace(sink, targets=(Reach(sink.local, layouts[sink.local].outer),))


def _wanted_outside(pair: Pair) -> frozenset[str]:
    """The producer's arrays that something but the consumer's links needs."""
    results = set(pair.calls[0].results)
    others = [call for call in pair.compound.calls if call is not pair.calls[1]]
    read = {name for call in others for name in call.arguments} | {port.name for port in pair.compound.outputs}
    return frozenset(results & (read | pair.by_default))


def _lies_between(pair: Pair) -> bool:
    """Whether the consumer also waits for the producer through another call, or reads it as a delay's default."""
    return bool(pair.by_default) or bool(_downstream(pair.compound, pair) & set(pair.calls[1].arguments))


def _downstream(compound: CompoundTask, pair: Pair) -> set[str]:
    """The arrays that depend on the producer through other calls."""
    reached, found = set(pair.calls[0].results), set[str]()
    for call in compound.calls:
        if call is not pair.calls[1] and reached & set(call.arguments):
            reached |= set(call.results)
            found |= set(call.results)
    return found


def _once(spec: Spec, pair: Pair, blocks: Blocks, layouts: Mapping[str, Layout], wanted: frozenset[str]) -> bool:
    """Whether the blocks write every element of the wanted arrays once."""
    return all(_written_once(spec, pair, blocks, layouts, pair.compound.arrays[name]) for name in wanted)


def _written_once(spec: Spec, pair: Pair, blocks: Blocks, layouts: Mapping[str, Layout], array: Port) -> bool:
    if array.name in layouts:
        layout = layouts[array.name]
        accesses = [Access(layout.outer, blocks.outer, layout.shape, array.shape)]
    else:
        uses: list[Use] = pair.writes(spec, array.name)
        cuts = [split_tiler(use.link.tiler, use.pattern, blocks) for use in uses]
        accesses = [Access(cut.outer, blocks.outer, cut.shape, array.shape) for cut in cuts]
    try:
        return not any(map(find_outside, accesses)) and not find_clash(accesses) and not find_hole(accesses)
    except TooHardError:
        return False


def _cut(macro: Macro) -> frozenset[int]:
    return frozenset(axis for axis, extent in enumerate(macro.consumer.outer) if extent != 1)


def _no_layout(pair: Pair, array: Port) -> str:
    return (
        f"a block's part of '{array.name}' is no array: what '{pair.producer.name}' writes and '{pair.consumer.name}' "
        "reads of it do not fill one"
    )


def _scanning(pair: Pair, macro: Macro) -> Failure | None:
    """The failure of blocks that wait for each other because of the delays of both tasks."""
    own = [(pair.producer, macro.producer), (pair.consumer, macro.consumer)]
    vectors = [vector for task, blocks in own for vector in block_vectors(task, blocks)]
    circle = find_block_circle(macro.consumer.outer, vectors)
    if circle is None:
        return None
    told = "; ".join(text for task, blocks in own if (text := tell_circle(task, blocks, circle, named=True)))
    axes = frozenset(axis for vector in circle for axis, entry in enumerate(vector) if entry)
    reason = f"blocks would wait for each other: {told}"
    return Failure(reason, axes, scans=True)


def _unserved(pair: Pair, macro: Macro, found: Unserved) -> Failure:
    earlier = [entry - step for entry, step in zip(found.repetition, found.delay.vector, strict=True)]
    reason = (
        f"repetition {list(found.repetition)} of '{pair.producer.name}' in block {list(found.block)} needs {earlier}, "
        "which no earlier block has done"
    )
    moving = {
        column
        for axis, step in enumerate(found.delay.vector)
        if step
        for column, entry in enumerate(macro.producer.paving[axis])
        if entry
    }
    return Failure(reason, frozenset(moving) or _cut(macro), scans=True)


def producer_runs(macro: Macro) -> tuple[int, int]:
    """How often the fused producer runs, and how often it ran; of an infinite dimension as far as blocks move."""
    blocks = macro.producer
    runs = prod(blocks.extents) * prod(count for count in blocks.outer if count is not None)
    endless = [place for place, count in enumerate(blocks.outer) if count is None]
    before = prod(
        extent or max([1, *(abs(row[place]) for place in endless)])
        for extent, row in zip(blocks.space, blocks.paving, strict=True)
    )
    return runs, before
