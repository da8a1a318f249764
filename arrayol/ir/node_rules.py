"""What nodes must be that somebody builds in Python, or gives as JSON: rules that the grammar holds for text.

What needs other definitions, as a tiler the ranks of its array, is found when the specification is loaded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from arrayol.ir import syntax
from arrayol.ir.borders import BORDER_MODES
from arrayol.ir.placed import PlacedTruth
from arrayol.ir.spec import MAXIMUM_RANK
from arrayol.ir.types import is_type, is_width
from arrayol.operators.registry import INFIX, PREFIX
from arrayol.source import UNSEEN
from arrayol.text import counted, listed

NAME = r"[A-Za-z_][A-Za-z_0-9]*"
TYPE = rf"({NAME}|[iu][0-9]+\.[0-9]+)"  # fixed-point types have a point
MAXIMUM_DIGITS = 400
_NO_TEXT = re.compile('["\n\ud800-\udfff]')
_TOO_LONG = 10**MAXIMUM_DIGITS


Steps = tuple[str | int, ...]  # keys and numbers that lead into a node


class BrokenRuleError(ValueError):
    """A value that breaks a rule, as a diagnostic says it; without a message: what the value must be is `needed`.

    `at` leads from a node to the part of it that is wrong.
    """

    def __init__(
        self, code: str, message: str = "", hint: str | None = None, *, needed: str = "", at: Steps = ()
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.needed, self.at = code, message, hint, needed, at


def needed(what: str, hint: str | None = None) -> BrokenRuleError:
    """The error of a value of another kind than `what`."""
    return BrokenRuleError("bad-value", hint=hint, needed=what)


# Values that are no nodes.


def text(value: object) -> str:
    """A text as quotation marks hold it in a specification."""
    if not isinstance(value, str) or _NO_TEXT.search(value) or UNSEEN.search(value):
        raise needed('a text without ", line ends and what cannot be seen')
    return str(value)


def flag(value: object) -> bool:
    """`true` or `false`."""
    if isinstance(value, PlacedTruth):
        return value.value
    if not isinstance(value, bool):
        raise needed("true or false")
    return value


def content(value: object) -> bytes:
    """The bytes of a data file."""
    if not isinstance(value, bytes):
        raise needed("bytes")
    return value


def word(value: object) -> str:
    """A name, or that of a fixed-point type."""
    if not isinstance(value, str) or not re.fullmatch(TYPE, value):
        raise needed("a name (letters, digits and _, the first no digit)")
    if value in syntax.KEYWORDS:
        raise BrokenRuleError("bad-value", f"'{value}' is a word of the language", "choose another name")
    return str(value)


def amount(value: object) -> int | float:
    """A number as it is written, without a sign."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise needed("a number")
    if isinstance(value, int) and abs(value) >= _TOO_LONG:
        message, hint = f"a number of more than {MAXIMUM_DIGITS} digits", "write a number that hardware can hold"
        raise BrokenRuleError("number-too-long", message, hint)
    if not math.isfinite(value):
        message = f"{value} is beyond f64, whose greatest value is about 1.8e308"
        raise BrokenRuleError("number-too-large", message, "write a finite number")
    if math.copysign(1, value) < 0:
        raise needed("a number of at least 0", "the operator '-' makes it negative")
    return float(value) if isinstance(value, float) else int(value)


def word_check(words: Sequence[str], what: str) -> Callable[[object], str]:
    """A check that a value is one of these words."""

    def check(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise needed(f"{what} ({' '.join(words)})")
        return str(value)

    return check


unary, binary = (
    word_check(tuple(PREFIX), "an operator with one operand"),
    word_check(tuple(INFIX), "an operator with two operands"),
)
mode = word_check(BORDER_MODES, "a border")


# Rules of nodes, by their class.


def _checked_list(items: Sequence[object] | None, what: str) -> None:
    if items is not None and not items:
        raise BrokenRuleError("bad-value", f"{what} is empty", "at least one entry is needed")


def _distinct(names: Mapping[Steps, syntax.Name], what: str) -> None:
    """No name stands at two places."""
    seen = set[str]()
    for at, name in names.items():
        if name.text in seen:
            raise BrokenRuleError("defined-twice", f"two {what}s are named '{name.text}'", "rename one of them", at=at)
        seen.add(name.text)


def plain_names(node: Any) -> None:
    """Only types, which stand in conversions and calls too, have a point in their names."""
    for part in fields(node):
        value = getattr(node, part.name)
        free = part.name in ("type", "function") or (isinstance(node, syntax.Ref) and not node.subscripts)
        for name in value if part.name == "parameters" else (value,):
            if isinstance(name, syntax.Name) and "." in name.text and not free:
                message = f"'{name.text}' is the name of a type"
                raise BrokenRuleError("bad-value", message, "choose another name", at=(part.name,))


def _sizes(shape: Sequence[syntax.Dim]) -> None:
    """Dimensions that are numbers: what consts give is known when they are evaluated."""
    if len(shape) > MAXIMUM_RANK:
        message = f"{len(shape)} dimensions; at most {MAXIMUM_RANK} are allowed"
        raise BrokenRuleError("too-many-dimensions", message, "make one dimension of several", at=("shape",))
    for place, dim in enumerate(shape):
        value, at = _number(dim), ("shape", place)
        if isinstance(value, float):
            raise BrokenRuleError("not-an-integer", f"a dimension must be an integer, not {value}", at=at)
        if isinstance(dim, syntax.Truth):
            raise BrokenRuleError("not-an-integer", "a dimension must be an integer, not a truth value", at=at)
        if value is not None and value < 1:
            raise BrokenRuleError("empty-dimension", f"a dimension must be at least 1, not {value}", at=at)
        if value is not None and value >= 1 << 63:
            raise BrokenRuleError("huge-dimension", "a dimension must be below 2**63", at=at)


def _number(node: object) -> int | float | None:
    if isinstance(node, syntax.Unary) and node.operator == "-" and isinstance(node.operand, syntax.Number):
        return -node.operand.value
    return node.value if isinstance(node, syntax.Number) else None


def _type(name: syntax.Name, at: Steps, parameters: Sequence[syntax.Name] = ()) -> None:
    if is_type(name.text) or any(name.text == known.text for known in parameters):
        return
    hint = "types are bool, integers as u8 or i12, fixed point as i4.12, floats f32 and f64, complex c64 and c128"
    code = "bad-width" if is_width(name.text) else "unknown-type"
    raise BrokenRuleError(code, f"no element type is named '{name.text}'", hint, at=at)


def _array(node: syntax.Array) -> None:
    _checked_list(node.shape, "the shape of an array")
    _sizes(node.shape)


def _table(node: syntax.Table) -> None:
    _checked_list(node.rows, "a table")
    for row in node.rows:
        _checked_list(row, "a row of a table")
    if node.ranges and (len(node.rows), len(node.rows[0])) != (1, 1):
        raise BrokenRuleError("bad-value", "a table with ranges has one formula", "write it as rows with one entry")


def _const_array(node: syntax.ConstArray) -> None:
    _sizes(node.shape)
    _type(node.type, ("type",))


def _matrix(node: syntax.Matrix) -> None:
    lengths = [len(row) for row in node.rows]
    ragged = next((number for number, length in enumerate(lengths) if length != lengths[0]), None)
    if ragged is not None:
        entries = counted(lengths[ragged], "entry", "entries")
        message = f"row {ragged + 1} has {entries}, row 1 has {lengths[0]}"
        raise BrokenRuleError("ragged-matrix", message, "rows of a matrix are of one length")
    if lengths and not lengths[0]:
        raise BrokenRuleError("bad-value", "a matrix has rows without entries", "one without entries is []")


def _tiler(node: syntax.Tiler) -> None:
    rank = len(node.origin.items)
    for role, matrix in (("paving", node.paving), ("fitting", node.fitting)):
        rows = len(matrix.rows)
        if rows not in (0, rank):
            message = f"the origin has {counted(rank, 'entry', 'entries')}, the {role} {counted(rows, 'row')}"
            raise BrokenRuleError("rank-mismatch", message, "each has one for every dimension of the array")


def _ports(node: syntax.Signature) -> dict[Steps, syntax.Port]:
    """The ports by their place."""
    sides = (("inputs", node.inputs), ("outputs", node.outputs))
    return {(side, place): port for side, ports in sides for place, port in enumerate(ports)}


def _signature(node: syntax.Signature) -> None:
    _distinct({(*at, "name"): port.name for at, port in _ports(node).items()}, "port")


def _component(node: syntax.Elementary | syntax.Task) -> None:
    _distinct({("parameters", place): name for place, name in enumerate(node.parameters)}, "parameter")
    for at, port in _ports(node.signature).items():
        _type(port.type, ("signature", *at, "type"), node.parameters)


def _elementary(node: syntax.Elementary) -> None:
    _component(node)
    if node.body is not None and node.extern is not None:
        raise BrokenRuleError("bad-value", "an elementary has a body or an extern callable, not both")


def _task(node: syntax.Task) -> None:
    _component(node)
    if isinstance(node.content, tuple):
        _checked_list(node.content, "the content of a task")


def _repeat(node: syntax.Repeat) -> None:
    _checked_list(node.shape, "a repetition space")
    _sizes(node.shape)
    _checked_list(node.values, "the list of values of parameters")
    for place, link in enumerate(node.links):
        field = "vector" if isinstance(link, syntax.DelayLink) else "delay"
        vector: syntax.Vector | None = getattr(link, field, None)
        if vector is not None and len(vector.items) != len(node.shape):
            message = f"a delay of rank {len(vector.items)} in a repetition space of rank {len(node.shape)}"
            hint = "a delay has one entry per repetition dimension"
            raise BrokenRuleError("rank-mismatch", message, hint, at=("links", place, field))


def _call(node: syntax.Call) -> None:
    _checked_list(node.results, "the list of results of a call")
    _checked_list(node.values, "the list of values of parameters")


def _specification(node: syntax.Specification) -> None:
    named = ((place, item) for place, item in enumerate(node.definitions) if not isinstance(item, syntax.Import))
    _distinct({("definitions", place, "name"): item.name for place, item in named}, "definition")


RULES: dict[type, Callable[[Any], None]] = {
    syntax.Apply: lambda node: _checked_list(node.arguments, f"the list of arguments of '{node.function.text}'"),
    syntax.ConstArray: _const_array,
    syntax.Table: _table,
    syntax.Matrix: _matrix,
    syntax.Tiler: _tiler,
    syntax.Port: lambda node: _sizes(node.shape),
    syntax.Local: lambda node: _sizes(node.shape),
    syntax.Array: _array,
    syntax.Loop: lambda node: _checked_list(node.ranges, "the list of ranges of a loop"),
    syntax.Signature: _signature,
    syntax.Elementary: _elementary,
    syntax.Task: _task,
    syntax.Repeat: _repeat,
    syntax.Call: _call,
    syntax.Specification: _specification,
}

# The words by which JSON tells nodes apart that may stand in the same place.

KINDS: dict[type, str] = {
    syntax.Import: "import",
    syntax.Const: "const",
    syntax.ConstArray: "const_array",
    syntax.TilerDef: "tiler",
    syntax.Elementary: "elementary",
    syntax.Task: "task",
    syntax.Assign: "assign",
    syntax.Loop: "loop",
    syntax.Local: "local",
    syntax.InputLink: "input",
    syntax.OutputLink: "output",
    syntax.DelayLink: "delay",
    syntax.Call: "call",
    syntax.Array: "array",
}

# What stands for a node: the field that takes a text or a list in the node's place.

SHORT: dict[type, tuple[type | tuple[type, ...], str, str]] = {
    syntax.Name: (str, "text", "a name"),
    syntax.Ref: (str, "name", "a name, or an element of an array"),
    syntax.Part: (str, "name", "a name, or a part of an array"),
    syntax.BorderMode: (str, "mode", "a border"),
    syntax.Vector: ((list, tuple), "items", "a list of integers"),
    syntax.Matrix: ((list, tuple), "rows", "a list of rows"),
}
SIGNS: dict[type, str] = {syntax.Infinite: "*", syntax.Whole: ".."}
OBJECTS = (syntax.Ref, syntax.Part)  # that are written in full too


def kinds_text(classes: Iterable[type]) -> str:
    """What nodes of several kinds must be, for messages."""
    return f"an object whose 'kind' is {listed([KINDS[cls] for cls in classes], 'or')}"
