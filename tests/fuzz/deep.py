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


def _parts(count: int, rng: Random) -> str:
    """Many writers of one array, or parts of parts of parts."""
    head = "elementary e(x: u8) -> (y: u8) { y = x + 1 }\n"
    if rng.random() < 0.5:
        calls = "\n".join(f"  b[{place}] = e(a[{rng.choice((place, 0, count - 1))}])" for place in range(count))
        return f"{head}task t(a: u8[{count}]) -> (b: u8[{count}]) {{\n{calls}\n}}\n"
    step = rng.choice((1, 1, 2))
    sizes = [step * level + 1 for level in range(count)]
    slices = rng.choice((f"{step}..SIZE", "0..BEFORE", f"{step}..SIZE", ".."))
    tasks = (
        f"task t{level}(a: u8[{sizes[level]}]) -> (b: u8[1]) {{ b = t{level - 1}(a[{slices}]) }}\n".replace(
            "SIZE", str(sizes[level])
        ).replace("BEFORE", str(sizes[level - 1]))
        for level in range(1, count)
    )
    return f"{head}task t0(a: u8[1]) -> (b: u8[1]) {{ b[0] = e(a[0]) }}\n{''.join(tasks)}"


def _exits(count: int, rng: Random) -> str:
    """Many exits of one repetition, or one across many dimensions."""
    if rng.random() < 0.5:
        shape, ones = ", ".join(["2"] * min(count, 40)), ", ".join(["1"] * min(count, 40))
        return (
            "elementary e(x: u8, p: u8) -> (y: u8) { y = x + p }\n"
            f"task t(a: u8[1]) -> (b: u8) {{\n  repeat [{shape}] of e {{\n"
            f"    x <- a at origin [0] paving [{shape.replace('2', '0')}] fitting []\n"
            f"    p <- y delay [{ones}] else 0\n    y delay [{ones}] -> b\n  }}\n}}\n"
        )
    outputs = ", ".join(f"y{number}: u8" for number in range(count))
    body = "\n".join(f"  y{number} = x + {number % 200}" for number in range(count))
    arrays = ", ".join(f"b{number}: u8[{min(number + 1, 8)}]" for number in range(count))
    links = "\n".join(
        f"    y{number} delay [{number + 1}] -> b{number} at origin [{min(0, number - 7)}] paving [1] fitting []"
        for number in range(count)
    )
    return (
        f"elementary e(x: u8) -> ({outputs}) {{\n{body}\n}}\n"
        f"task t(a: u8[8]) -> ({arrays}) {{\n  repeat [8] of e {{\n    x <- a\n{links}\n  }}\n}}\n"
    )


def _parameters(count: int, rng: Random) -> str:
    """Many parameters, definitions that hand theirs on, or many copies."""
    match rng.randrange(3):
        case 0:
            names = ", ".join(f"N{number}" for number in range(count))
            numbers = ", ".join(rng.choice(("1", "2", "-1", "0.5", "u8")) for _ in range(count))
            terms = " + ".join(f"N{number}" for number in range(count))
            return (
                f"elementary e[{names}](x: f32) -> (y: f32) {{ y = x * ({terms}) }}\n"
                f"task t(a: f32) -> (b: f32) {{ b = e[{numbers}](a) }}\n"
            )
        case 1:
            tasks = "".join(
                f"task t{level}[N, T](a: T[N]) -> (b: T) {{ b = t{level - 1}{rng.choice(('[N, T]', ''))}(a) }}\n"
                for level in range(1, count)
            )
            end = "elementary t0[N, T](x: T[N]) -> (y: T) { y = x[N - 1] }\n"
            return f"{end}{tasks}task top(x: u8[4]) -> (y: u8) {{ y = t{count - 1}(x) }}\n"
    calls = "\n".join(f"  a{number + 1} = e[{number}](a{number})" for number in range(count))
    return f"elementary e[N](x: i16) -> (y: i16) {{ y = x + N }}\ntask t(a0: i16) -> (a{count}: i16) {{\n{calls}\n}}\n"


def _widths(count: int, rng: Random) -> str:
    """Fixed formats and odd widths: long products, sums of many formats, conversions inside of conversions."""
    formats = [rng.choice(("i4.12", "u0.8", "i1.7", "u12", "i5", "i20.12", "u1", "i33")) for _ in range(count)]
    match rng.randrange(3):
        case 0:
            text = rng.choice((" * ", " + ", " - ")).join(["x"] * count)
        case 1:
            text = "x"
            for name in formats:
                text = rng.choice(
                    (f"{name}({text})", f"sat({name}, {text})", f"round({text}, {rng.choice((0, 3, 12))})")
                )
        case _:
            text = rng.choice((" + ", " * ")).join(f"a{number}" for number in range(count))
    locals_ = "".join(f"  a{number}: {name} = {name}(x)\n" for number, name in enumerate(formats))
    source, target = rng.choice(("i4.12", "u1.1", "i5")), rng.choice(("i4.12", "i1.15", "u12"))
    return f"elementary e(x: {source}) -> (y: {target}) {{\n{locals_}  y = sat({target}, {text})\n}}\n"


_KINDS = (
    _loops, _ranges, _tables, _rank, _repetition, _terms, _choices, _lookups, _consts, _chain, _hierarchy, _ports,
    _delays, *(_parts, _exits, _parameters, _widths) * 2,
)  # fmt: skip
