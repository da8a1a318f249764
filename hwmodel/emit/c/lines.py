"""Lines of C and their indentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arrayol.ir.types import ElementType
from hwmodel.emit.c.types import c_type

Lines = list[str]


def indented(lines: Iterable[str]) -> Lines:
    """The lines one level further inside."""
    return [f"  {line}" if line else line for line in lines]


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
    found = list(lines)
    for name, length in reversed(list(zip(names, shape, strict=True))):
        found = loop(name, "0", str(length), found)
    return found


def _is_one_loop(lines: Sequence[str]) -> bool:
    """Whether lines are one `for` with all else inside it."""
    return lines[0].startswith("for ") and all(line.startswith(("  ", "}")) for line in lines[1:])


def declared(name: str, kind: ElementType, shape: Sequence[int]) -> str:
    """An array as C declares it; a scalar is an array of one element."""
    return f"{c_type(kind)} {name}" + "".join(f"[{length}]" for length in shape or (1,))


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
