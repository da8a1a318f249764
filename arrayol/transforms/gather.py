"""An elementary that gathers one array from several, by plain copies of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arrayol.ir.spec import ConstValue, Elementary, Port
from arrayol.ir.types import ElementType
from arrayol.language.loader import load_source
from arrayol.language.shapes import shown_port
from arrayol.source import SourceFile
from arrayol.transforms.naming import Names


@dataclass(frozen=True, slots=True)
class Piece:
    """target[x] = source[x + moves] for `bounds` on x, from below and above; without a source `value` fills it."""

    bounds: tuple[tuple[int, int], ...]
    moves: tuple[int, ...]
    source: Port | None
    value: ConstValue


def gathering(name: str, target: Port, pieces: Sequence[Piece], names: Names) -> Elementary:
    """The elementary `name` with output `target`; what no piece fills, and so nothing reads, is zero.

    It is read from its own text, so that it is what the language makes of it.
    """
    sources = {piece.source.name: piece.source for piece in pieces if piece.source}
    used = [target.name, *sources]
    indices: list[str] = []
    for axis in range(len(target.shape)):
        indices.append(names.local(f"i{axis}", [*used, *indices]))
    whole = Piece(
        tuple((0, extent or 0) for extent in target.shape), (0,) * len(target.shape), None, _zero(target.type)
    )
    filled = sum(_size(piece) for piece in pieces) == _size(whole)
    lines = [_statement(target.name, piece, indices) for piece in (*(() if filled else (whole,)), *pieces)]
    inputs = ", ".join(map(shown_port, sources.values()))
    text = f"elementary {name}({inputs}) -> ({shown_port(target)}) {{\n{chr(10).join(lines)}\n}}\n"
    loaded = load_source(SourceFile(f"what '{name}' gathers", text))
    found = loaded.spec.components[name]
    assert isinstance(found, Elementary), loaded.diagnostics
    return found


def _statement(target: str, piece: Piece, indices: Sequence[str]) -> str:
    value = str(piece.value).lower()
    if piece.source is not None:
        value = f"{piece.source.name}[{', '.join(map(_moved, indices, piece.moves))}]"
    ranges = ", ".join(f"{name} in {low}..{high}" for name, (low, high) in zip(indices, piece.bounds, strict=True))
    return f"  {target}[{', '.join(indices)}] = {value} for {ranges}"


def _moved(index: str, move: int) -> str:
    return f"{index} {'-' if move < 0 else '+'} {abs(move)}" if move else index


def _zero(kind: ElementType) -> ConstValue:
    return False if kind is ElementType.BOOL else 0


def _size(piece: Piece) -> int:
    size = 1
    for low, high in piece.bounds:
        size *= high - low
    return size
