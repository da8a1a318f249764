"""Lines of C: blocks, loops, functions, arrays and their elements, sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arrayol.ir.types import ValueType
from hwmodel.emit.c.helpers import c_type
from hwmodel.emit.c.names import identifiers

Lines = list[str]


def indented(lines: Iterable[str]) -> Lines:
    """The lines one level further inside; those of the preprocessor stay where they are."""
    return [line if line.startswith("#") or not line else f"  {line}" for line in lines]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function: its name, and its declaration."""

    name: str
    text: str


def function(head: str, parameters: Sequence[Parameter], lines: Sequence[str]) -> Lines:
    """A function; parameters that its lines leave alone are said to be unused, which compilers may ask for."""
    used = identifiers(lines)
    unused = [f"(void){parameter.name};" for parameter in parameters if parameter.name not in used]
    texts = ", ".join(parameter.text for parameter in parameters) or "void"
    return block(f"{head}({texts})", [*unused, *lines])


def coordinates(names: Sequence[str]) -> list[Parameter]:
    """Parameters that are subscripts or coordinates."""
    return [Parameter(name, f"int64_t {name}") for name in names]


def array_parameter(name: str, kind: ValueType, shape: Sequence[int], *, constant: bool) -> Parameter:
    """A parameter that is an array, `constant` where the function only reads it."""
    return Parameter(name, f"{'const ' if constant else ''}{declared(name, kind, shape)}")


def constant_argument(name: str, kind: ValueType, shape: Sequence[int]) -> str:
    """An array as the argument of a constant parameter; C before 2023 wants a cast from two dimensions on."""
    if len(shape) < 2:
        return name
    return f"(const {c_type(kind)} (*){''.join(f'[{length}]' for length in _positive(shape[1:]))}){name}"


def block(head: str, lines: Iterable[str]) -> Lines:
    """`head { ... }`."""
    return [f"{head} {{", *indented(lines), "}"]


def loop(name: str, low: str, high: str, lines: Sequence[str]) -> Lines:
    """A loop over low <= name < high; one statement needs no braces."""
    head = f"for (int64_t {name} = {low}; {name} < {high}; ++{name})"
    if len(lines) == 1 or (lines and _is_one_loop(lines)):
        return [head, *indented(lines)]
    return block(head, lines)


def loops(names: Sequence[str], shape: Sequence[int], lines: Sequence[str]) -> Lines:
    """Nested loops over all indices of a shape, the last one innermost."""
    nested = list(lines)
    for name, length in reversed(list(zip(names, shape, strict=True))):
        nested = loop(name, "0", str(length), nested)
    return nested


def _is_one_loop(lines: Sequence[str]) -> bool:
    """Whether lines are one `for` with all else inside it."""
    return lines[0].startswith("for ") and all(line.startswith(("  ", "}")) for line in lines[1:])


def declared(name: str, kind: ValueType, shape: Sequence[int]) -> str:
    """An array as C declares it; a scalar is an array of one element."""
    return f"{c_type(kind)} {name}" + "".join(f"[{length}]" for length in _positive(shape) or (1,))


def _positive(shape: Sequence[int]) -> list[int]:
    """The lengths of an array in C, which has none of zero."""
    return [max(1, length) for length in shape]


def element(name: str, subscripts: Sequence[str]) -> str:
    """An element of an array as C declares it."""
    return name + "".join(f"[{one}]" for one in subscripts or ("0",))


def sum_text(offset: int, factors: Sequence[int], names: Sequence[str]) -> str:
    """A sum of an offset and multiples of names, as people write it."""
    terms = [(factor, name) for factor, name in zip(factors, names, strict=True) if factor]
    parts: list[str] = [str(offset)] if offset or not terms else []
    for factor, name in terms:
        term = name if abs(factor) == 1 else f"{abs(factor)} * {name}"
        parts.append(f"{'-' if factor < 0 else '+'} {term}" if parts else f"{'-' if factor < 0 else ''}{term}")
    return " ".join(parts)
