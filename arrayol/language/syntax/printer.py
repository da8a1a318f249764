"""Canonical text: one definition, link, call or statement a line, two blanks an indent, links in columns.

Printing and parsing again gives an equal tree; printing that gives the same text. Comments and single blank lines of
the source stay where they were.
"""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from arrayol.ir import syntax
from arrayol.ir.borders import BORDER_MODES
from arrayol.language.syntax.parser import Comment, Parsed
from arrayol.language.syntax.tree import chain_of
from arrayol.operators.record import CALLED
from arrayol.operators.registry import INFIX, PREFIX, WORDS

# Expressions as text, with just the parentheses that their structure needs.

# How tightly what is no operator binds. An operand that binds less tightly than its place asks for has parentheses.
_CONDITIONAL, _ATOM = 0, CALLED


def expression(expr: syntax.Expr) -> str:
    """The text of an expression."""
    return _text(expr, _CONDITIONAL)


def _text(expr: syntax.Expr, least: int) -> str:
    """The text of an expression where at least the binding `least` is asked for."""
    text, binding = _chain(expr) if isinstance(expr, syntax.Binary) else _single(expr)
    return text if binding >= least else f"({text})"


def _chain(expr: syntax.Binary) -> tuple[str, int]:
    left, chain = chain_of(expr)
    text, binding = _single(left)
    parts = [text]
    for node in chain:
        operator = INFIX[node.operator]
        own = operator.binding
        if binding < own + operator.is_comparison:  # comparisons do not chain
            parts = ["(", *parts, ")"]
        parts += [f" {node.operator} ", _text(node.right, own + 1)]
        binding = own
    return "".join(parts), binding


def _single(expr: syntax.Expr) -> tuple[str, int]:
    """The text of an expression that is no chain, and how tightly it binds."""
    match expr:
        case syntax.Unary():
            binding, blank = PREFIX[expr.operator].binding, " " if expr.operator in WORDS else ""
            return f"{expr.operator}{blank}{_text(expr.operand, binding)}", binding
        case syntax.Conditional():
            then, condition = _text(expr.then, 1), _text(expr.condition, 1)
            return f"{then} if {condition} else {expression(expr.otherwise)}", _CONDITIONAL
        case _:
            return _atom(expr), _ATOM


def _atom(expr: syntax.Expr) -> str:
    match expr:
        case syntax.Number():
            return repr(expr.value)
        case syntax.Truth():
            return str(expr.value).lower()
        case syntax.Ref():
            return expr.name.text + (f"[{', '.join(map(expression, expr.subscripts))}]" if expr.subscripts else "")
        case syntax.Apply():
            return f"{expr.function.text}({', '.join(map(expression, expr.arguments))})"
        case _:
            raise TypeError(f"no text for {type(expr).__name__}")


INDENT = "  "


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line, and the offset in the source of what it prints; `cells` are columns to align."""

    depth: int
    cells: tuple[str, ...]
    start: int
    closes: bool = False
    trailing: str = ""

    def text(self, widths: Sequence[int] = ()) -> str:
        """The line, its columns padded to the given widths."""
        padded = [cell.ljust(width) for cell, width in zip(self.cells[:-1], widths, strict=False)]
        body = " ".join([*padded, self.cells[-1]])
        return f"{INDENT * self.depth}{body}{f'  {self.trailing}' if self.trailing else ''}"


def print_file(parsed: Parsed) -> str:
    """The canonical text of a file that parsed without mistakes."""
    places = [comment.start for comment in parsed.comments]
    lines = [line for item in parsed.tree.definitions for line in _item(item, places)]
    return _assemble(_with_comments(lines, parsed.comments, parsed.tree.span.file.text), parsed.tree.span.file.text)


def _assemble(lines: Sequence[Line], source: str) -> str:
    """Aligned runs of lines, with the source's blank lines between them."""
    texts: list[str] = []
    for run in _runs(lines, source):
        widths = [
            max(len(line.cells[column]) for line in run if len(line.cells) > column + 1)
            for column in range(max(len(line.cells) for line in run) - 1)
        ]
        for place, line in enumerate(run):
            parted = place == 0 and texts and _blank_before(source, line.start)
            if parted and not line.closes and not _opened(texts[-1]):
                texts.append("")
            texts.append(line.text(widths))
    return "".join(f"{text}\n" for text in texts)


def _opened(text: str) -> bool:
    return text.partition("  #")[0].endswith(("{", "["))


def _runs(lines: Sequence[Line], source: str) -> Iterator[list[Line]]:
    """Neighbouring lines that share columns: no blank line, no other line between them."""
    run: list[Line] = []
    for line in lines:
        joins = run and len(line.cells) > 1 and len(run[-1].cells) > 1 and run[-1].depth == line.depth
        if run and not (joins and not _blank_before(source, line.start)):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _blank_before(source: str, start: int) -> bool:
    between = source[:start]
    gap = between[len(between.rstrip()) :]
    return gap.count("\n") > 1


def _with_comments(lines: Sequence[Line], comments: Sequence[Comment], source: str) -> list[Line]:
    """The lines with each comment behind the line it stood behind, or above the line it stood above."""
    result, own = list(lines), []
    behind: dict[int, list[Comment]] = {}
    for comment in comments:
        before = source[source.rfind("\n", 0, comment.start) + 1 : comment.start]
        place = sum(line.start < comment.start for line in lines)
        if before.strip() and place:
            behind.setdefault(place - 1, []).append(comment)
        else:
            own.append((place, comment))
    for place, group in behind.items():
        result[place] = replace(result[place], trailing=group[-1].text.rstrip())
        own += [(place, comment) for comment in group[:-1]]
    inserted: list[Line] = []
    own.sort(key=lambda pair: (pair[0], pair[1].start))
    for place in range(len(lines) + 1):
        depth = result[place].depth + result[place].closes if place < len(lines) else 0
        inserted += [Line(depth, (comment.text.rstrip(),), comment.start) for at, comment in own if at == place]
        inserted += result[place : place + 1]
    return inserted


def _item(item: syntax.Item, comments: Sequence[int]) -> Iterator[Line]:
    start = item.span.start
    match item:
        case syntax.Import():
            yield Line(0, (f'import "{item.path}"',), start)
        case syntax.Const():
            yield Line(0, (f"const {item.name.text} = {expression(item.value)}",), start)
        case syntax.ConstArray():
            yield from _const_array(item, comments)
        case syntax.TilerDef():
            yield Line(0, (f"tiler {item.name.text}", *_tiler(item.tiler, "= ")), start)
        case syntax.Elementary():
            yield from _elementary(item)
        case syntax.Task():
            yield from _task(item)


_WIDTH = 120  # columns that a table on one line may take


def _const_array(item: syntax.ConstArray, comments: Sequence[int]) -> Iterator[Line]:
    """A const array: a table that is long, or has comments inside, over several lines, each row in lines of its own."""
    head, table = f"const {port_text(item)} =", item.value
    line = Line(0, (f"{head} {_array_value(table)}",), item.span.start)
    if not isinstance(table, syntax.Table) or table.ranges:
        yield line
        return
    first = bisect(comments, table.span.start)
    if len(line.cells[0]) <= _WIDTH and bisect_left(comments, table.span.end) == first:
        yield line
        return
    yield Line(0, (f"{head} [",), item.span.start)
    for row in table.rows:
        yield from _filled(row, ";" if row is not table.rows[-1] else "")
    yield Line(0, ("]",), table.span.end - 1, closes=True)


def _filled(row: Sequence[syntax.Expr], end: str) -> Iterator[Line]:
    """The elements of a row in lines that are full."""
    line, start = "", row[0].span.start
    for place, element in enumerate(row):
        text = expression(element) + ("," if place < len(row) - 1 else end)
        if line and len(INDENT) + len(line) + 1 + len(text) > _WIDTH:
            yield Line(1, (line,), start)
            line, start = "", element.span.start
        line = f"{line} {text}" if line else text
    yield Line(1, (line,), start)


def _array_value(value: syntax.Expr | syntax.Table | syntax.DataFile) -> str:
    if isinstance(value, syntax.DataFile):
        return f'"{value.path}"'
    if not isinstance(value, syntax.Table):
        return expression(value)
    ranges = f" for {_ranges(value.ranges)}" if value.ranges else ""
    return f"[{'; '.join(', '.join(map(expression, row)) for row in value.rows)}{ranges}]"


def _elementary(item: syntax.Elementary) -> Iterator[Line]:
    head = head_text(item)
    if item.extern is not None:
        yield Line(0, (f'{head} extern "{item.extern}"',), item.span.start)
    elif item.body is None:
        yield Line(0, (head,), item.span.start)
    else:
        yield Line(0, (f"{head} {{",), item.span.start)
        yield from _statements(item.body, 1)
        yield Line(0, ("}",), item.span.end - 1, closes=True)


def _statements(statements: Iterable[syntax.Statement], depth: int) -> Iterator[Line]:
    for statement in statements:
        if isinstance(statement, syntax.Loop):
            yield Line(depth, (f"loop {_ranges(statement.ranges)} {{",), statement.span.start)
            yield from _statements(statement.body, depth + 1)
            yield Line(depth, ("}",), statement.span.end - 1, closes=True)
        elif isinstance(statement, syntax.Local):
            initial = f" = {expression(statement.initial)}" if statement.initial else ""
            yield Line(depth, (f"{port_text(statement)}{initial}",), statement.span.start)
        else:
            sign = "+=" if statement.accumulate else "="
            cells = [f"{expression(statement.target)} {sign} {expression(statement.value)}"]
            cells += [f" for {_ranges(statement.ranges)}"] if statement.ranges else []
            cells += [f" where {expression(statement.condition)}"] if statement.condition else []
            yield Line(depth, tuple(cells), statement.span.start)


def _ranges(ranges: Iterable[syntax.Range]) -> str:
    return ", ".join(f"{item.name.text} in {expression(item.low)}..{expression(item.high)}" for item in ranges)


def _task(item: syntax.Task) -> Iterator[Line]:
    yield Line(0, (f"{head_text(item)} {{",), item.span.start)
    if isinstance(item.content, syntax.Repeat):
        repeat = item.content
        head = f"repeat {_dims(repeat.shape)} of {repeat.callee.text}{_values(repeat)} {{"
        yield Line(1, (head,), repeat.span.start)
        yield from (_link(link) for link in repeat.links)
        yield Line(1, ("}",), repeat.span.end - 1, closes=True)
    else:
        for node in item.content:
            yield _call(node) if isinstance(node, syntax.Call) else Line(1, (port_text(node),), node.span.start)
    yield Line(0, ("}",), item.span.end - 1, closes=True)


def _link(link: syntax.Link) -> Line:
    if isinstance(link, syntax.DelayLink):
        default = link.default
        source = (
            " ".join([default.array.text, *_reference(default.tiler)])
            if isinstance(default, syntax.TiledDefault)
            else expression(default)
        )
        cells: tuple[str, ...] = (
            link.port.text,
            f"<- {link.output.text}",
            f"delay {_vector(link.vector)} else {source}",
        )
    else:
        reads = isinstance(link, syntax.InputLink)
        port, arrow = link.port.text, "<-" if reads else "->"
        if isinstance(link, syntax.OutputLink) and link.delay is not None:
            port = f"{port} delay {_vector(link.delay)}"
        cells = (port, f"{arrow} {link.array.text}", *(_reference(link.tiler) if link.tiler else ()))
        if isinstance(link, syntax.InputLink) and link.border is not None:
            cells = (*cells[:-1], f"{cells[-1]} else {_border(link.border)}")
    return Line(2, cells, link.span.start)


def _border(border: syntax.Border) -> str:
    if isinstance(border, syntax.BorderMode):
        return border.mode
    text = expression(border)
    return f"({text})" if text in BORDER_MODES else text


def _call(call: syntax.Call) -> Line:
    parts = [part(item) for item in call.results]
    results = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
    arguments = ", ".join(part(item) for item in call.arguments)
    return Line(1, (results, f"= {call.callee.text}{_values(call)}({arguments})"), call.span.start)


def part(written: syntax.Part) -> str:
    """The text of an array or a part of it."""
    return written.name.text + (f"[{', '.join(map(_slice, written.slices))}]" if written.slices else "")


def _slice(piece: syntax.Slice) -> str:
    match piece:
        case syntax.Whole():
            return ".."
        case syntax.Strided():
            step = f" : {expression(piece.step)}" if piece.step is not None else ""
            return f"{expression(piece.low)}..{expression(piece.high)}{step}"
        case _:
            return expression(piece)


def head_text(item: syntax.Elementary | syntax.Task) -> str:
    """The text of a definition up to its ports: `task rows(src: f32[H, 8]) -> (dst: f32[H])`."""
    word = "task" if isinstance(item, syntax.Task) else "elementary"
    return f"{word} {item.name.text}{_parameters(item)}{_signature(item.signature)}"


def _parameters(item: syntax.Elementary | syntax.Task) -> str:
    return f"[{', '.join(name.text for name in item.parameters)}]" if item.parameters else ""


def _values(use: syntax.Repeat | syntax.Call) -> str:
    return f"[{', '.join(map(expression, use.values))}]" if use.values is not None else ""


def _signature(signature: syntax.Signature) -> str:
    inputs, outputs = (", ".join(map(port_text, ports)) for ports in (signature.inputs, signature.outputs))
    return f"({inputs}) -> ({outputs})"


def port_text(port: syntax.Port | syntax.Local | syntax.ConstArray | syntax.Array) -> str:
    """The text of a declaration: `src: f32[H, 8]`."""
    return f"{port.name.text}: {port.type.text}{_dims(port.shape) if port.shape else ''}"


def _dims(dims: Iterable[syntax.Dim]) -> str:
    return f"[{', '.join('*' if isinstance(dim, syntax.Infinite) else expression(dim) for dim in dims)}]"


def _reference(reference: syntax.TilerRef) -> tuple[str, ...]:
    return (f"at {reference.text}",) if isinstance(reference, syntax.Name) else _tiler(reference, "at ")


def _tiler(tiler: syntax.Tiler, lead: str) -> tuple[str, str, str]:
    """Origin, paving and fitting in columns two blanks apart."""
    wrap = " wrap" if tiler.wrap else ""
    return (
        f"{lead}origin {_vector(tiler.origin)}",
        f" paving {_matrix(tiler.paving)}",
        f" fitting {_matrix(tiler.fitting)}{wrap}",
    )


def _vector(vector: syntax.Vector) -> str:
    return f"[{', '.join(map(expression, vector.items))}]"


def _matrix(matrix: syntax.Matrix) -> str:
    return f"[{'; '.join(', '.join(map(expression, row)) for row in matrix.rows)}]"
