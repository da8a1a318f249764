"""Constraints as text: a figure, a relation and a number, as `internal_memory_bits <= 65536`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

_FORM = re.compile(r"\s*([A-Za-z_]\w*)\s*(<=|<|>=|>)\s*([0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*")


@dataclass(frozen=True, slots=True)
class Constraint:
    """`figure relation bound`; only figures that grow as they get better (frames per second) take > and >=."""

    figure: str
    relation: str
    bound: Fraction
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def is_upper(self) -> bool:
        """Whether it bounds the figure from above."""
        return self.relation.startswith("<")


def parse_constraint(text: str) -> Constraint:
    """A constraint of its text. Raises ValueError where it has another form than `FIGURE <= NUMBER`."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(text)
    figure, relation, number = found.groups()
    bound = Fraction(number.replace("_", ""))
    return Constraint(figure, relation, bound, f"{figure} {relation} {number}")
