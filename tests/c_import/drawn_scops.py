"""Scops drawn at random, in C and in Python: the same loops on arrays of one and two dimensions, and on a scalar."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZE = 9
ARRAYS = {"A": 2, "B": 2, "x": 1, "y": 1, "T": 2, "s": 0}  # T and s live in the function only
OUTSIDE = ("A", "B", "x", "y")


@dataclass
class Drawn:
    """One scop in both languages."""

    rng: Random
    c: list[str] = field(default_factory=list)
    python: list[str] = field(default_factory=list)

    def line(self, depth: int, c: str, python: str) -> None:
        """A line of each."""
        self.c.append("  " * (depth + 1) + c)
        self.python.append("    " * depth + python)

    def text(self) -> str:
        """The C file."""
        ports = ", ".join(f"double {name}{'[N]' * ARRAYS[name]}" for name in OUTSIDE)
        head = ["#define N 9", f"void drawn({ports}, double p)", "{", "  double T[N][N], s;", "#pragma scop"]
        start = [
            "  for (int i = 0; i < N; i++)",
            "    for (int j = 0; j < N; j++)",
            "      T[i][j] = 0.5;",
            "  s = 0.25;",
        ]
        return "\n".join([*head, *start, *self.c, "#pragma endscop", "}", ""])

    def run(self, arrays: dict[str, NDArray[Any]]) -> None:
        """The loops on these arrays, in place."""
        known: dict[str, Any] = {**arrays, "T": np.full((SIZE, SIZE), 0.5), "s": np.full((), 0.25)}
        exec("\n".join(self.python), {"__builtins__": {"range": range}}, known)


def draw(seed: int) -> Drawn:
    """The scop of a number; in some a loop in time stands around the others."""
    made = Drawn(Random(seed))
    timed = made.rng.random() < 0.4
    if timed:
        made.line(0, "for (int t = 0; t < 3; t++) {", "for t in range(3):")
    for _ in range(made.rng.choice((1, 1, 2, 3))):
        (_sweep if made.rng.random() < 0.3 else _block)(made, int(timed), [])
    if timed:
        made.c.append("  }")
    return made


Iterator = tuple[str, int, int]  # its name, its least and greatest values: subscripts stay in their arrays


def _block(made: Drawn, depth: int, around: list[Iterator]) -> None:
    rng = made.rng
    if len(around) == 3 or (around and rng.random() < 0.3):
        _statement(made, depth, around)
        return
    name, (low, high) = "ijk"[len(around)], rng.choice(((0, 8), (1, 7), (0, 7), (2, 8)))
    first, last = str(low), str(high)
    if around and rng.random() < 0.35:
        other, least, most = around[-1]
        if rng.random() < 0.5 and least < high:
            first, last, low, high = f"{other} + 1", str(SIZE - 1), least + 1, SIZE - 1
        else:
            first, last, low, high = "0", other, 0, most
    upwards = f"for (int {name} = {first}; {name} <= {last}; {name}++) {{", f"for {name} in range({first}, {last} + 1):"
    downwards = (
        f"for (int {name} = {last}; {name} >= {first}; {name}--) {{",
        f"for {name} in range({last}, {first} - 1, -1):",
    )
    made.line(depth, *(upwards if rng.random() < 0.75 else downwards))
    for _ in range(rng.choice((1, 1, 2, 3) if len(around) < 2 else (1, 2))):
        _block(made, depth + 1, [*around, (name, low, high)])
    made.c.append("  " * (depth + 1) + "}")


def _sweep(made: Drawn, depth: int, around: list[Iterator]) -> None:
    """Two loops in some directions, and in them a mean of neighbours, of which some may be new."""
    rng = made.rng
    for place, name in enumerate("ij"):
        upwards = f"for (int {name} = 1; {name} <= 7; {name}++) {{", f"for {name} in range(1, 8):"
        downwards = f"for (int {name} = 7; {name} >= 1; {name}--) {{", f"for {name} in range(7, 0, -1):"
        made.line(depth + place, *(upwards if rng.random() < 0.7 else downwards))
    inside: list[Iterator] = [*around, ("i", 1, 7), ("j", 1, 7)]
    name = rng.choice(("A", "B", "T"))
    terms = [
        f"{name}[{_moved(rng, inside[0], 0.7)}][{_moved(rng, inside[1], 0.7)}]" for _ in range(rng.choice((1, 2, 3)))
    ]
    value = " + ".join([*terms, _term(rng, inside, 0.5)])
    made.line(depth + 2, f"{name}[i][j] = 0.25 * {value};", f"{name}[i, j] = 0.25 * {_python(value)}")
    made.c += ["  " * (depth + 2) + "}", "  " * (depth + 1) + "}"]


def _statement(made: Drawn, depth: int, around: list[Iterator]) -> None:
    rng = made.rng
    tidy = rng.random() < 0.5  # elements lie beside one of the iterators' own
    target = _element(rng, around, 0.0) if tidy else _element(rng, around, None)
    value = _term(rng, around, 0.5 if tidy else None)
    for _ in range(rng.choice((0, 1, 1, 2))):
        value += f" {rng.choice('+-*')} {_term(rng, around, 0.5 if tidy else None)}"
    operator, guards = rng.choice(("=", "=", "=", "+=", "-=", "*=")), ("", "")
    if around and rng.random() < 0.2:
        left, right = rng.choice(around)[0], rng.choice((*[name for name, *_ in around], "3"))
        guards = f"if ({left} <= {right}) ", f"if {left} <= {right}: "
    python = f"{guards[1]}{_python(target)} {operator} {_python(value)}"
    made.line(depth, f"{guards[0]}{target} {operator} {value};", python)


def _python(text: str) -> str:
    """The same in Python: subscripts together, the scalar as an array without dimensions."""
    return " ".join("s[()]" if word == "s" else word.replace("][", ", ") for word in text.split(" "))


def _term(rng: Random, around: list[Iterator], beside: float | None) -> str:
    return rng.choice(("0.5", "p")) if rng.random() < 0.15 else _element(rng, around, beside)


def _element(rng: Random, around: list[Iterator], beside: float | None) -> str:
    """An element anywhere; or one of the iterators in their order, each moved with the probability `beside`."""
    name = rng.choice(tuple(ARRAYS))
    if beside is None or ARRAYS[name] > len(around):
        return name + "".join(f"[{_subscript(rng, around)}]" for _ in range(ARRAYS[name]))
    return name + "".join(f"[{_moved(rng, one, beside)}]" for one in around[: ARRAYS[name]])


def _subscript(rng: Random, around: list[Iterator]) -> str:
    if not around or rng.random() < 0.1:
        return str(rng.randrange(SIZE))
    iterator = rng.choice(around)
    return f"{SIZE - 1}-{iterator[0]}" if rng.random() < 0.1 else _moved(rng, iterator, 0.4)


def _moved(rng: Random, iterator: Iterator, probability: float) -> str:
    name, low, high = iterator
    step = rng.choice((-1, 1)) if rng.random() < probability else 0
    return f"{name}{step:+d}" if step and low + step >= 0 and high + step < SIZE else name
