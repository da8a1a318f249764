"""Values of a JSON document that know where they stand in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arrayol.ir.syntax import NOWHERE
from arrayol.source import Span


class PlacedText(str):
    """A text; its place is that between the quotation marks."""

    __slots__ = ("span",)
    span: Span


class PlacedInteger(int):
    """A whole number."""

    span: Span


class PlacedFloat(float):
    """A number with a point or an exponent."""

    __slots__ = ("span",)
    span: Span


@dataclass(frozen=True, slots=True)
class PlacedTruth:
    """`true` or `false`."""

    value: bool
    span: Span


class PlacedList(list[Any]):
    """A list."""

    __slots__ = ("span",)
    span: Span


class PlacedObject(dict[str, Any]):
    """An object, and where its keys stand."""

    __slots__ = ("keys_at", "span")
    span: Span
    keys_at: dict[str, Span]


def place_of(value: object) -> Span:
    """Where a value stands; that of one which comes from elsewhere is nowhere."""
    place: Span = getattr(value, "span", NOWHERE)
    return place
