"""Borders: what an array holds beyond its ends, where a link reads it there.

Along an axis of extent s, a coordinate e below 0, or of s and above, becomes an element f e + g s + c inside: an affine
piece before the array, one after it, no modulo. A constant stands for no element at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

CONSTANT = "constant"
FAR = 1 << 62  # coordinates beyond it are in no file, and not in 64 bits


class BorderPiece(NamedTuple):
    """The element f e + g s + c that a coordinate e beyond an axis of extent s stands for."""

    coordinate: int  # f
    extent: int  # g
    constant: int  # c

    def at(self, coordinate: int, extent: int) -> int:
        """The element of one coordinate."""
        return self.coordinate * coordinate + self.extent * extent + self.constant

    def text(self, coordinate: str, extent: str) -> str:
        """The element as an expression of isl or C, without what is multiplied by 0."""
        scaled = [f"{factor} * ({part})" for factor, part in zip(self[:2], (coordinate, extent), strict=True) if factor]
        return " + ".join([*scaled, str(self.constant)])


_PIECES = {
    "nearest": (BorderPiece(0, 0, 0), BorderPiece(0, 1, -1)),
    "reflect": (BorderPiece(-1, 0, -1), BorderPiece(-1, 2, -1)),
    "mirror": (BorderPiece(-1, 0, 0), BorderPiece(-1, 2, -2)),
}
BORDER_MODES = tuple(_PIECES)


@dataclass(frozen=True, slots=True)
class Border:
    """`nearest`, `reflect`, `mirror`, or a constant `value`."""

    mode: str
    value: int | float | bool = 0

    @property
    def is_constant(self) -> bool:
        return self.mode == CONSTANT

    @property
    def pieces(self) -> tuple[BorderPiece, BorderPiece] | None:
        """What stands before and after an axis; None where that is no element."""
        return _PIECES.get(self.mode)

    def limits(self, extent: int) -> tuple[int, int]:
        """The least and greatest coordinate that may be read along an axis."""
        if self.mode not in ("reflect", "mirror"):
            return -FAR, FAR
        beyond = extent if self.mode == "reflect" else extent - 1
        return -beyond, extent - 1 + beyond

    def element(self, coordinate: int, extent: int) -> int:
        """The element that a coordinate stands for; beyond the ends of a constant border the coordinate itself."""
        if self.pieces is None or 0 <= coordinate < extent:
            return coordinate
        return self.pieces[coordinate >= 0].at(coordinate, extent)

    def cases(self, element: str, coordinate: str, extent: str) -> str:
        """That `element` is what `coordinate` stands for, as a condition of isl: at most three affine pieces."""
        cases = [f"(0 <= {coordinate} < {extent} and {element} = {coordinate})"]
        if self.pieces is not None:
            before, after = (piece.text(coordinate, extent) for piece in self.pieces)
            cases.insert(0, f"({coordinate} < 0 and {element} = {before})")
            cases.append(f"({coordinate} >= {extent} and {element} = {after})")
        return f"(0 <= {element} < {extent} and ({' or '.join(cases)}))"
