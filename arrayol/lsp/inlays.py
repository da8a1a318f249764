"""Sizes in numbers behind what consts and links leave unsaid, for an editor to show between the characters."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arrayol.ir import syntax
from arrayol.ir.spec import CompoundTask, Port, RepetitiveTask, Shape
from arrayol.language.constants import constant_text
from arrayol.language.syntax.diagnose import shown_shape
from arrayol.lsp.analysis import Analysis
from arrayol.pictures.text import typed


@dataclass(frozen=True, slots=True)
class Inlay:
    """A text that an editor shows at an offset."""

    offset: int
    text: str


def inlays(analysis: Analysis, low: int = 0, high: int = sys.maxsize) -> tuple[Inlay, ...]:
    """The inlays between two offsets, in text order. A definition with parameters has none: its sizes differ."""
    items = [one for one in analysis.parsed.tree.definitions if one.span.start <= high and low <= one.span.end]
    found = [inlay for item in items for inlay in _of_item(analysis, item) if low <= inlay.offset <= high]
    return tuple(sorted(found, key=lambda inlay: inlay.offset))


def _of_item(analysis: Analysis, item: syntax.Item) -> Iterator[Inlay]:
    if isinstance(item, syntax.Const) and not isinstance(item.value, syntax.Number | syntax.Truth):
        value = analysis.loaded.spec.constants.get(item.name.text)
        if value is not None:
            yield Inlay(item.span.end, f" = {constant_text(value)}")
    elif isinstance(item, syntax.ConstArray):
        table = analysis.loaded.spec.tables.get(item.name.text)
        if table is not None:
            yield from _of_dims(item.shape, table.shape)
    elif isinstance(item, syntax.Elementary | syntax.Task) and not item.parameters:
        signature = analysis.loaded.resolved.signatures.get(item.name.text)
        if signature is not None:
            written = (*item.signature.inputs, *item.signature.outputs)
            shapes = {port.name: port.shape for port in signature.ports}
            for port in written:
                yield from _of_dims(port.shape, shapes[port.name.text])
        if isinstance(item, syntax.Task):
            yield from _of_task(analysis, item)


def _of_task(analysis: Analysis, item: syntax.Task) -> Iterator[Inlay]:
    task = analysis.component(item)
    if isinstance(task, RepetitiveTask) and isinstance(item.content, syntax.Repeat):
        yield from _of_dims(item.content.shape, task.repetition)
        signature = analysis.loaded.resolved.signatures[task.callee]
        patterns = {port.name: port for port in signature.ports}
        arrays = {port.name: port for port in (*task.inputs, *task.outputs)}
        for link in item.content.links:
            yield from _of_name(link.port, patterns)
            if not isinstance(link, syntax.DelayLink):
                yield from _of_name(link.array, arrays)
    elif isinstance(task, CompoundTask) and not isinstance(item.content, syntax.Repeat):
        for part in item.content:
            if isinstance(part, syntax.Array):
                yield from _of_dims(part.shape, task.arrays[part.name.text].shape)
            else:
                for result in part.results:
                    yield from [] if result.slices else _of_name(result.name, task.arrays, type_too=True)


def _of_name(name: syntax.Name, ports: Mapping[str, Port], *, type_too: bool = False) -> Iterator[Inlay]:
    port = ports.get(name.text)
    if port is not None and (port.shape or type_too):
        yield Inlay(name.span.end, f": {typed(port.type, port.shape)}" if type_too else shown_shape(port.shape))


def _of_dims(dims: Sequence[syntax.Dim], shape: Shape) -> Iterator[Inlay]:
    """The extents behind each dimension that is no number as it stands."""
    for dim, extent in zip(dims, shape, strict=True):
        if extent is not None and not isinstance(dim, syntax.Number):
            yield Inlay(dim.span.end, f" = {extent}")
