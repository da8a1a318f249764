"""Programs that use memory again: pictures that are changed in place, and rows that pointers rotate through."""

from __future__ import annotations

from random import Random

TYPES = {"int": "i4", "int16_t": "i2", "uint8_t": "u1"}
HEAD = "#include <stdint.h>\n"


def program(seed: int) -> tuple[str, str]:
    """A function `f` of C, and its parameters as `name:type:extents`."""
    rng = Random(seed)
    return rotated_rows(rng) if seed % 2 else changed_in_place(rng)


def changed_in_place(rng: Random) -> tuple[str, str]:
    """Statements that change elements of one or two pictures which come later, as error diffusion does."""
    kind = rng.choice(list(TYPES))
    rows, columns = rng.choice([6, 9, 12, 70]), rng.choice([6, 8, 11])
    names = ["a", "b"][: rng.choice([1, 1, 2])]
    body = [f"{kind} v = {rng.choice(names)}[y][x];", f"{kind} e = {rng.choice(['v > 60 ? v - 99 : v', 'v / 2 + x'])};"]
    for _ in range(rng.randint(1, 5)):
        if rng.random() < 0.25:
            place, where = _neighbour(rng, rng.choice(names), [(0, -1), (-1, -1), (-1, 0), (-1, 1)], (rows, columns))
            body.append(f"{where}e += {place};")
        later = [(0, 1), (0, 2), (1, -2), (1, -1), (1, 0), (1, 1), (2, 0), (0, -1)]
        place, where = _neighbour(rng, rng.choice(names), later, (rows, columns))
        value = rng.choice(["e * 7 / 16", "e >> 1", "e", "v + 1", "2", "e / 4"])
        body.append(f"{where}{place} {rng.choice(['+=', '+=', '-=', '=', '^='])} {value};")
    if rng.random() < 0.6:
        body.insert(rng.randint(2, len(body)), f"{rng.choice(names)}[y][x] = {rng.choice(['e', 'v', '3'])};")
    body.append(f"out[y][x] = {rng.choice(['e', *(f'{name}[y][x]' for name in names)])};")
    along = [f"x = 0; x < {columns}; x++"] * 4 + [f"x = {columns - 1}; x >= 0; x--", f"x = 0; x < {columns}; x += 2"]
    down = [f"y = 0; y < {rows}; y++"] * 4 + [f"y = {rows - 1}; y >= 0; y--", f"y = 1; y < {rows}; y += 2"]
    parameters = [*names, "out"]
    text = (
        f"void f({', '.join(f'{kind} {name}[{rows}][{columns}]' for name in parameters)}) {{\n"
        f"  for (int {rng.choice(down)})\n    for (int {rng.choice(along)}) {{\n"
        + "".join(f"      {one}\n" for one in body)
        + "    }\n}\n"
    )
    return HEAD + text, " ".join(f"{name}:{TYPES[kind]}:{rows},{columns}" for name in parameters)


def _neighbour(rng: Random, name: str, steps: list[tuple[int, int]], extents: tuple[int, int]) -> tuple[str, str]:
    """An element near that of an iteration, and the condition that it is there."""
    step = rng.choice(steps)
    subscripts, conditions = [], []
    for index, distance, extent in zip("yx", step, extents, strict=True):
        subscripts.append(f"[{index} + {distance}]" if distance else f"[{index}]")
        if distance > 0:
            conditions.append(f"{index} + {distance} < {extent}")
        elif distance:
            conditions.append(f"{index} >= {-distance}")
    if rng.random() < 0.15:
        conditions.append(rng.choice(["y % 2", "x > y", "v > 5"]))
    return name + "".join(subscripts), f"if ({' && '.join(conditions)}) " if conditions else ""


def rotated_rows(rng: Random) -> tuple[str, str]:
    """Rows that pointers change, of which each takes the place of the next one after a line."""
    kind = rng.choice(list(TYPES))
    count, lines, columns = rng.choice([2, 2, 3, 3, 4]), rng.choice([65, 70, 81]), rng.choice([5, 6, 9])
    pointers, rows = "pqrs"[:count], "ABCD"[:count]
    if rng.random() < 0.6:
        memory = [f"{kind} {row}[{columns}] = {{0}};" for row in rows]
        starts = list(rows)
    else:
        memory, starts = [f"{kind} A[{count}][{columns}] = {{{{0}}}};"], [f"A[{place}]" for place in range(count)]

    def value(index: str) -> str:
        pointer = rng.choice(pointers)
        one = rng.choice([f"x[n][{index}]", f"{pointer}[{index}]", f"{pointer}[{columns - 1} - {index}]"])
        return f"({one} {rng.choice('+-^')} {rng.choice(pointers)}[{index}])" if rng.random() < 0.5 else one

    body = []
    for _ in range(rng.randint(1, 3)):
        head = f"for (int i = {rng.choice([0, 1])}; i < {columns}; i++)"
        body.append(f"{head} {rng.choice(pointers)}[i] {rng.choice(['=', '+='])} {value('i')};")
    body.insert(rng.randint(0, len(body)), f"for (int i = 0; i < {columns}; i++) y[n][i] = {value('i')};")
    order = pointers if rng.random() < 0.5 else pointers[::-1]
    moves = [f"{one} = {two};" for one, two in zip(order, [*order[1:], "t"], strict=True)]
    turn = f"{kind} *t = {order[0]}; {' '.join(moves)}"
    body.insert(rng.choice([0, len(body), len(body), len(body)]), turn)
    declared = [f"{kind} *{pointer} = {start};" for pointer, start in zip(pointers, starts, strict=True)]
    last = f"  for (int i = 0; i < {columns}; i++) z[i] = {rng.choice(pointers)}[i];\n"
    text = (
        f"void f({kind} x[{lines}][{columns}], {kind} y[{lines}][{columns}], {kind} z[{columns}]) {{\n"
        + "".join(f"  {one}\n" for one in (*memory, *declared))
        + f"  for (int n = 0; n < {lines}; n++) {{\n"
        + "".join(f"    {one}\n" for one in body)
        + f"  }}\n{last}}}\n"
    )
    code = TYPES[kind]
    return HEAD + text, f"x:{code}:{lines},{columns} y:{code}:{lines},{columns} z:{code}:{columns}"
