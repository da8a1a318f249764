"""Specifications that nest deeply or have many of something, as a program may write them."""

from __future__ import annotations

from random import Random

COUNTS = (1, 2, 5, 12, 30, 60, 99, 101, 300)


def deep(rng: Random) -> str:
    """One of many kinds, with a count that is often beyond what people write."""
    return rng.choice(_KINDS)(rng.choice(COUNTS), rng)


def _loops(count: int, _: Random) -> str:
    opened = "".join(f"loop i{level} in 0..1 {{ " for level in range(count))
    return f"elementary e(x: i32) -> (y: i32) {{\n{opened}y = x{' }' * count}\n}}\n"


def _ranges(count: int, rng: Random) -> str:
    ranges = ", ".join(
        f"k{number} in {rng.choice(('0', f'k{number - 1}' if number else '0'))}..1" for number in range(count)
    )
    return f"elementary e(x: i32) -> (y: i32) {{\n  y = 0\n  y += x for {ranges}\n}}\n"


def _tables(count: int, rng: Random) -> str:
    names = [f"k{number}" for number in range(count)]
    lows = ["0", *names] if rng.random() < 0.5 else ["0"] * count
    ranges = ", ".join(f"{name} in {low}..{low} + 1" for name, low in zip(names, lows, strict=False))
    rows = "; ".join(["1, 2"] * count)
    return f"const K: i32[1] = [{' + '.join(names)} for {ranges}]\nconst L: i8[{count}, 2] = [{rows}]\n"


def _rank(count: int, _: Random) -> str:
    ones = ", ".join(["1"] * count)
    zeros = "; ".join(["0"] * count)
    return (
        "elementary e(x: u8) -> (y: u8) { y = x }\n"
        f"task t(a: u8[{ones}]) -> (b: u8[{ones}]) {{\n  repeat [1] of e {{\n"
        f"    x <- a at origin [{zeros.replace(';', ',')}] paving [{zeros}] fitting []\n"
        f"    y -> b at origin [{zeros.replace(';', ',')}] paving [{zeros}] fitting []\n  }}\n}}\n"
    )


def _repetition(count: int, _: Random) -> str:
    ones, zeros = ", ".join(["1"] * count), ", ".join(["0"] * count)
    return (
        "elementary e(x: u8) -> (y: u8) { y = x }\n"
        f"task t(a: u8[1]) -> (b: u8[1]) {{\n  repeat [{ones}] of e {{\n"
        f"    x <- a at origin [0] paving [{zeros}] fitting []\n"
        f"    y -> b at origin [0] paving [{zeros}] fitting []\n  }}\n}}\n"
    )


def _terms(count: int, rng: Random) -> str:
    sign = rng.choice((" + ", " * ", " // ", " - ", " and ", " < "))
    return f"elementary e(x: i32) -> (y: i32) {{\n  y = {sign.join(['x'] * (10 * count))}\n}}\n"


def _choices(count: int, rng: Random) -> str:
    shape = rng.choice(("x if x > 0 else ({})", "abs({})", "x + ({})", "({}) + x", "-({})", "min(x, {})"))
    text = "x"
    for _ in range(count):
        text = shape.format(text)
    return f"elementary e(x: i32) -> (y: i32) {{\n  y = {text}\n}}\n"


def _lookups(count: int, _: Random) -> str:
    return f"elementary e(x: i32[4]) -> (y: i32) {{\n  y = {'x[' * count}0{']' * count}\n}}\n"


def _consts(count: int, rng: Random) -> str:
    sign = rng.choice(("+", "*", "<<", "//", "%", "-"))
    lines = [f"const C{number} = C{number - 1} {sign} C{number - 1}" for number in range(1, count)]
    return "\n".join(
        [
            f"const C0 = {rng.choice((2, 3, 10**9))}",
            *lines,
            f"elementary e(x: u8[C{count - 1}]) -> (y: u8) {{ y = x[0] }}\n",
        ]
    )


def _chain(count: int, _: Random) -> str:
    steps = "\n".join(f"  a{number + 1} = e(a{number})" for number in range(count))
    return f"elementary e(x: u8) -> (y: u8) {{ y = x + 1 }}\ntask t(a0: u8) -> (a{count}: u8) {{\n{steps}\n}}\n"


def _hierarchy(count: int, _: Random) -> str:
    tasks = "".join(
        f"task t{level}(a: u8) -> (b: u8) {{ b = {f't{level - 1}' if level else 'e'}(a) }}\n" for level in range(count)
    )
    return f"elementary e(x: u8) -> (y: u8) {{ y = x + 1 }}\n{tasks}"


def _ports(count: int, _: Random) -> str:
    inputs = ", ".join(f"x{number}: u8" for number in range(count))
    outputs = ", ".join(f"y{number}: u8" for number in range(count))
    body = "\n".join(f"  y{number} = x{number}" for number in range(count))
    return f"elementary e({inputs}) -> ({outputs}) {{\n{body}\n}}\n"


def _delays(count: int, _: Random) -> str:
    ports = ", ".join(f"p{number}: i32" for number in range(count))
    sums = " + ".join(["x", *(f"p{number}" for number in range(count))])
    links = "\n".join(f"    p{number} <- y delay [{number + 1}] else 0" for number in range(count))
    return (
        f"elementary e(x: i32, {ports}) -> (y: i32) {{ y = {sums} }}\n"
        "task t(a: i32[8]) -> (b: i32[8]) {\n  repeat [8] of e {\n    x <- a at origin [0] paving [1] fitting []\n"
        f"{links}\n    y -> b at origin [0] paving [1] fitting []\n  }}\n}}\n"
    )


_KINDS = (
    _loops, _ranges, _tables, _rank, _repetition, _terms, _choices, _lookups, _consts, _chain, _hierarchy, _ports,
    _delays,
)  # fmt: skip
