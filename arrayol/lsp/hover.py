"""What an editor shows of the name under the pointer, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod

from arrayol import api
from arrayol.checks.check import shown_extents, shown_point
from arrayol.errors import ArrayolError
from arrayol.ir import syntax
from arrayol.ir.spec import CompoundTask, Elementary, Port, RepetitiveTask, Shape, TiledDefault, Tiler
from arrayol.ir.types import ElementType
from arrayol.language.constants import constant_text
from arrayol.language.syntax.diagnose import shown_port, shown_shape
from arrayol.language.syntax.printer import head_text, port_text
from arrayol.lsp.analysis import Analysis
from arrayol.lsp.names import Occurrence, Symbol, SymbolKind
from arrayol.operators.registry import FUNCTIONS
from arrayol.pictures.text import tiler_parts
from arrayol.polyhedral.accesses import Access
from arrayol.source import Span
from arrayol.text import counted, listed

_REPETITIONS, _ELEMENTS, _COPIES = 3, 6, 3  # that are shown of many


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown, and the place that it is about."""

    text: str
    span: Span


def hover(analysis: Analysis, offset: int) -> Hover | None:
    """What is known of a name, or of the tiler, at an offset."""
    found = analysis.at(offset)
    if found is not None:
        return Hover(_joined(_of_name(analysis, found)), found.span)
    link = _link_at(analysis, offset)
    if link is None:
        return None
    blocks = list(_of_tiler(analysis, link.span))
    return Hover(_joined(blocks), link.span) if blocks else None


def _joined(blocks: Iterator[str] | list[str]) -> str:
    return "\n\n".join(blocks)


def _code(text: str) -> str:
    return f"```{'json' if text.startswith('{') else 'aol'}\n{text}\n```"


def _written(span: Span) -> str:
    """What stands there, on one line."""
    return " ".join(span.file.text[span.start : span.end].split())


def _of_name(analysis: Analysis, found: Occurrence) -> Iterator[str]:
    symbol = found.symbol
    match symbol.kind:
        case SymbolKind.CONST:
            yield _code(_written(symbol.node.span))
            value = analysis.loaded.spec.constants.get(symbol.text)
            yield "its value has a mistake" if value is None else constant_text(value)
        case SymbolKind.CONST_ARRAY:
            yield from _of_const_array(analysis, symbol)
        case SymbolKind.TILER:
            yield _code(_written(symbol.node.span))
            wrap = ", modulo the shape" if symbol.node.tiler.wrap else ""
            yield f"element = origin + paving repetition + fitting index{wrap}"
        case SymbolKind.ELEMENTARY | SymbolKind.TASK:
            yield from _of_component(analysis, symbol)
        case SymbolKind.PARAMETER:
            yield f"`{symbol.text}`: parameter of {_owner(symbol)}"
        case SymbolKind.RANGE:
            yield _code(_written(symbol.node.span))
        case SymbolKind.TYPE:
            yield f"`{symbol.text}`: {_of_type(ElementType(symbol.text))}"
        case SymbolKind.FUNCTION:
            least, most = FUNCTIONS[symbol.text].arguments
            yield f"`{symbol.text}`: a function of {counted(least, 'argument')}{'' if most == least else ' or more'}"
        case _:
            yield from _of_array(analysis, symbol)
    if isinstance(found.use, syntax.InputLink | syntax.OutputLink | syntax.DelayLink):
        yield from _of_tiler(analysis, found.use.span)


def _owner(symbol: Symbol) -> str:
    assert symbol.owner is not None
    kind = "task" if isinstance(symbol.owner, syntax.Task) else "elementary task"
    return f"{kind} `{symbol.owner.name.text}`"


def _of_type(element: ElementType) -> str:
    if not element.wraps:
        return f"{element.kind}, {counted(element.bits, 'bit')}"
    low, high = element.value_range
    step = f" in steps of 2**-{element.fraction}" if element.fraction else ""
    return f"{low} to {high}{step}, {counted(element.bits, 'bit')}"


# Arrays: their types, and their shapes in numbers.


def _of_const_array(analysis: Analysis, symbol: Symbol) -> Iterator[str]:
    yield _code(f"const {port_text(symbol.node)}")
    table = analysis.loaded.spec.tables.get(symbol.text)
    if table is not None:
        yield f"const array `{table.type}{shown_shape(table.shape)}`, {counted(table.rom_bits, 'bit')} of ROM"


def _of_array(analysis: Analysis, symbol: Symbol) -> Iterator[str]:
    written = None if isinstance(symbol.node, syntax.Part) else port_text(symbol.node)
    if written is not None:
        yield _code(written)
    yield f"{symbol.kind} of {_owner(symbol)}"
    shown = dict.fromkeys(f"`{port}`" for port in _shown_ports(analysis, symbol) if port != written)
    if shown:
        yield listed([*islice(shown, _COPIES), *(["..."] if len(shown) > _COPIES else [])], "or")


def _shown_ports(analysis: Analysis, symbol: Symbol) -> Iterator[str]:
    """A port, array or local with its shape in numbers, once for each copy of its owner."""
    signatures = analysis.loaded.resolved.signatures
    assert symbol.owner is not None
    spec = analysis.loaded.spec
    for name, signature in signatures.items():
        if symbol.kind in (SymbolKind.INPUT, SymbolKind.OUTPUT) and spec.definition_of(name) == symbol.owner.name.text:
            yield from (shown_port(port) for port in signature.ports if port.name == symbol.text)
    for component in analysis.components(symbol.owner):
        if isinstance(component, Elementary) and symbol.kind is SymbolKind.LOCAL:
            yield from (shown_port(local) for local in component.locals if local.span == symbol.node.span)
        elif (
            isinstance(component, CompoundTask) and symbol.kind is SymbolKind.ARRAY and symbol.text in component.arrays
        ):
            yield shown_port(component.arrays[symbol.text])


# Tasks and elementaries.


def _of_component(analysis: Analysis, symbol: Symbol) -> Iterator[str]:
    item = symbol.node
    yield _code(head_text(item))
    found = analysis.components(item)
    for component in found[:_COPIES]:
        copy = analysis.loaded.spec.copies.get(component.name)
        lead = f"`{copy}`: " if copy is not None else ""
        if isinstance(component, RepetitiveTask):
            yield f"{lead}{_repeated(component)}"
        elif isinstance(component, CompoundTask):
            yield f"{lead}{counted(len(component.calls), 'call')}"
        else:
            yield from (f"{lead}{line}" for line in _costs(analysis, component))
    if len(found) > _COPIES:
        yield f"and {counted(len(found) - _COPIES, 'more copy', 'more copies')}"


def _repeated(task: RepetitiveTask) -> str:
    finite = [extent for extent in task.repetition if extent is not None]
    times = counted(prod(finite), "time") + ("" if len(finite) == len(task.repetition) else " per frame")
    return f"repeats `{task.callee}` over {shown_shape(task.repetition) or '[]'}, {times}"


def _costs(analysis: Analysis, elementary: Elementary) -> Iterator[str]:
    """What a unit of it costs on the platform of the file, at the least interval."""
    if not analysis.checked.ok:
        return
    try:
        report = api.cost(analysis.loaded.spec, elementary.name)
    except ArrayolError as refused:
        yield f"no cost: {refused.diagnostics[0].message}"
        return
    for one in report.elementaries:
        at = one.at(one.intervals[0]).datapath
        amounts = [f"{amount:,.0f} {name}" for name, amount in at.cost.items() if amount]
        energy = [f"{at.energy_pj:,.1f} pJ a repetition"] if at.energy_pj is not None else []
        cycles = [f"an interval of {counted(at.interval, 'cycle')}", f"a latency of {counted(at.latency, 'cycle')}"]
        yield f"a unit has {', '.join([*cycles, *amounts, *energy])} (platform {report.origin})"


# Tilers.


def _link_at(analysis: Analysis, offset: int) -> syntax.Link | None:
    items = (item for item in analysis.parsed.tree.definitions if isinstance(item, syntax.Task))
    repeats = (item.content for item in items if isinstance(item.content, syntax.Repeat))
    links = (link for repeat in repeats for link in repeat.links)
    return next((link for link in links if link.span.start <= offset <= link.span.end), None)


def _of_tiler(analysis: Analysis, link: Span) -> Iterator[str]:
    """The tiler of a link in numbers, and the elements of the first repetitions."""
    resolved = analysis.loaded.resolved
    for fragment in resolved.fragments:
        task = fragment.component
        if not isinstance(task, RepetitiveTask) or task.span.file.name != link.file.name:
            continue
        arrays = {port.name: port for port in (*task.inputs, *task.outputs)}
        patterns = {port.name: port for port in resolved.signatures[task.callee].ports}
        for port, array, tiler in _tilers(task, link):
            yield _code("\n".join(_tiler_lines(task.repetition, patterns[port], arrays[array], tiler)))
            return


def _tilers(task: RepetitiveTask, link: Span) -> Iterator[tuple[str, str, Tiler]]:
    for one in (*task.input_links, *task.output_links):
        if one.span == link:
            yield one.port, one.array, one.tiler
    for delay in task.delays:
        if delay.span == link and isinstance(delay.default, TiledDefault):
            yield delay.port, delay.default.array, delay.default.tiler


def _tiler_lines(repetition: Shape, pattern: Port, array: Port, tiler: Tiler) -> Iterator[str]:
    extents = tuple(extent or 1 for extent in pattern.shape)
    access = Access(tiler, repetition, extents, array.shape)
    rows = zip(tiler.origin, tiler.paving, tiler.fitting, strict=True)
    terms = ", ".join(_formula(origin, paving, fitting) for origin, paving, fitting in rows)
    wrap = f" modulo {shown_extents(array.shape)}" if tiler.wrap else ""
    yield f"{array.name}[{terms}]{wrap}" if array.shape else array.name
    yield "  ".join(tiler_parts(tiler))
    indices = list(islice(product(*map(range, extents)), _ELEMENTS))
    more = " ..." if prod(extents) > len(indices) else ""
    for at in islice(
        product(*(range(_REPETITIONS if extent is None else extent) for extent in repetition)), _REPETITIONS
    ):
        elements = " ".join(shown_point(access.element(at, index)) for index in indices)
        yield f"repetition {shown_point(at)}: {elements}{more}"


def _formula(origin: int, paving: Sequence[int], fitting: Sequence[int]) -> str:
    """One coordinate: `4 r1 + f0 - 1`, with r for the repetition and f for the pattern's index."""
    factors = [
        (factor, f"{name}{axis}") for name, row in (("r", paving), ("f", fitting)) for axis, factor in enumerate(row)
    ]
    terms = [(factor, f"{abs(factor)} {name}" if abs(factor) != 1 else name) for factor, name in factors if factor]
    terms += [(origin, str(abs(origin)))] if origin or not terms else []
    first, *others = terms
    text = f"{'-' if first[0] < 0 else ''}{first[1]}"
    return text + "".join(f" {'-' if factor < 0 else '+'} {term}" for factor, term in others)
