"""Functions of C drawn at random, as engineers write them: loops, choices, jumps, state, pointers, structs."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from drawn_expressions import ARRAYS, FLOATS, INTEGERS, SAME, SIZE, Expressions


class Program(Expressions):
    """One function: `text`, and the features that it has."""

    def __init__(self, name: str, rng: Random) -> None:
        super().__init__(rng)
        self.name = name
        self.lines: list[str] = []
        self.returns = "void"
        self._body()

    @property
    def text(self) -> str:
        """The function."""
        inputs = [f"const {kind} {name}[SIZE]" for name, kind in ARRAYS.items()]
        inputs += ["int n0", "float n1", "const pair_t pairs[SIZE]", "const int *walk"]
        outputs = [f"{kind} out_{name}[SIZE]" for name, kind in ARRAYS.items()] + [
            "int grid[6][SIZE]",
            "int flat[6 * SIZE]",
        ]
        head = f"{self.returns} {self.name}({', '.join([*inputs, *outputs])})"
        return "\n".join([head, "{", *(f"  {line}" for line in self.lines), "}", ""])

    def _body(self) -> None:
        rng = self.rng
        if rng.random() < 0.15:
            self._has("static array")
            name = self._fresh("line")
            lines = [f"static int {name}[3];", f"{name}[2] = {name}[1];", f"{name}[1] = {name}[0];"]
            self.lines += [*lines, f"{name}[0] = x[{rng.randrange(SIZE)}];", f"out_x[0] = {name}[2] - {name}[1];"]
        if rng.random() < 0.3:
            self._has("static state")
            name = self._fresh("kept")
            self.lines.append(f"static int {name} = {rng.randrange(9)};")
            self.scalars[name] = "int"
        for _ in range(rng.randint(1, 3)):
            self._declare(self.lines)
        for _ in range(rng.randint(1, 3)):
            self._loop(self.lines, 2)
        if rng.random() < 0.2:
            self._has("memcpy")
            self.lines.append("memcpy(out_x, x, sizeof(int) * SIZE);")
        if rng.random() < 0.15:
            self._has("memset")
            self.lines.append("memset(out_b, 7, SIZE); memset(out_g, 0, sizeof(double) * SIZE);")
        if rng.random() < 0.15:
            self._ping_pong(self.lines)
        if rng.random() < 0.2:
            self._has("returned value")
            self.returns = rng.choice(list(INTEGERS))
            self.lines.append(f"return {self.integer(2)};")

    def _declare(self, lines: list[str]) -> None:
        kind = self.rng.choice([*INTEGERS, "float", "double", "bool", *SAME])
        name = self._fresh("v")
        value = self.number(2) if kind in FLOATS else self.integer(2)
        word = "volatile " if self.rng.random() < 0.1 else ""
        if word:
            self._has("volatile")
        lines.append(f"{word}{kind} {name} = {value};")
        self.scalars[name] = SAME.get(kind, kind)

    def _loop(self, lines: list[str], depth: int) -> None:
        rng = self.rng
        name = self._fresh("i")
        head, ends, feature = rng.choice(
            [
                (f"int {name} = 0; {name} < SIZE; {name}++", (0, SIZE), "plain loop"),
                (f"int {name} = 1; {name} <= SIZE - 2; ++{name}", (1, SIZE - 1), "plain loop"),
                (f"int {name} = 0; {name} < SIZE; {name} += 2", (0, SIZE), "strided loop"),
                (f"int {name} = SIZE - 1; {name} >= 0; {name}--", (0, SIZE), "loop downwards"),
                (f"unsigned {name} = 0; {name} < SIZE; {name}++", (0, SIZE), "unsigned iterator"),
                (f"long {name} = 2; {name} < SIZE; {name}++", (2, SIZE), "long iterator"),
                (f"unsigned char {name} = 0; {name} < 10; {name}++", (0, 10), "small iterator"),
                (f"int {name} = 0; {name} != 6; {name}++", (0, 6), "loop until equal"),
                (f"size_t {name} = 0; {name} < 8; {name} = {name} + 1", (0, 8), "unsigned iterator"),
            ]
        )
        self._has(feature)
        lines.append(
            ("rows: " if rng.random() < 0.05 and depth == 2 and "rows: " not in "".join(lines) else "")
            + f"for ({head}) {{"
        )
        outer, scalars = dict(self.iterators), dict(self.scalars)
        self.iterators[name] = ends
        inner: list[str] = []
        for _ in range(rng.randint(1, 3)):
            self._statement(inner, depth - 1)
        lines += [f"  {line}" for line in inner]
        lines.append("}")
        self.iterators, self.scalars = outer, scalars

    def _statement(self, lines: list[str], depth: int) -> None:
        options: list[Callable[[list[str], int], None]] = [
            self._store,
            self._store,
            self._store,
            self._update,
            self._if,
            self._if,
            self._shadow,
            self._swap,
            self._walk,
            self._two,
            self._pointer_call,
            self._continue,
            self._break,
            self._switch,
            self._while,
            self._do,
            self._do,
            self._histogram,
            self._largest,
            self._summary,
            self._pair,
            self._window,
            self._rows,
            self._doubling,
            self._out_pointer,
        ]
        if depth > 0:
            options += [self._nested, self._nested]
        self.rng.choice(options)(lines, depth)

    def _nested(self, lines: list[str], depth: int) -> None:
        self._has("nested loop")
        self._loop(lines, depth)

    def _own_place(self) -> str:
        """A subscript for a store."""
        return self.rng.choice(list(self.iterators))

    def _store(self, lines: list[str], depth: int) -> None:
        del depth
        letter = self.rng.choice(list(ARRAYS))
        value = self.number(3) if letter in "hg" else self.integer(3)
        place = self._own_place()
        if self.rng.random() < 0.25:
            self._has("compound assignment")
            sign = self.rng.choice(
                ["+=", "-=", "*="] if letter in "hg" else ["+=", "-=", "*=", "|=", "&=", "^=", "<<=", ">>="]
            )
            value = "3" if sign in {"<<=", ">>="} else value
            lines.append(f"out_{letter}[{place}] {sign} {value};")
        else:
            lines.append(f"out_{letter}[{place}] = {value};")

    def _update(self, lines: list[str], depth: int) -> None:
        del depth
        names = [name for name, kind in self.scalars.items() if kind != "bool"]
        if not names:
            return
        self._has("carried scalar")
        name = self.rng.choice(names)
        if self.scalars[name] in FLOATS:
            lines.append(f"{name} = {name} * 0.5f + {self.number(1)};")
            lines.append(f"out_{'h' if self.scalars[name] == 'float' else 'g'}[{self._own_place()}] = {name};")
            return
        lines.append(
            self.rng.choice(
                [
                    f"{name} += {self.integer(2)};",
                    f"{name}++;",
                    f"{name} = {name} * 3 + {self.integer(1)};",
                    f"if ({self.condition(1)}) {name} = {self.integer(1)};",
                ]
            )
        )
        lines.append(f"out_x[{self._own_place()}] = {name};")

    def _if(self, lines: list[str], depth: int) -> None:
        self._has("if")
        lines.append(f"if ({self.condition(2)}) {{")
        inner: list[str] = []
        self._store(inner, depth)
        if self.rng.random() < 0.7:
            self._has("else")
            inner.append("} else {")
            self._store(inner, depth)
        lines += [f"  {line}" if line != "} else {" else line for line in inner]
        lines.append("}")

    def _shadow(self, lines: list[str], depth: int) -> None:
        del depth
        if not self.scalars:
            return
        self._has("shadowing")
        name = self.rng.choice(list(self.scalars))
        kind = self.scalars.pop(name)
        value = self.integer(1)
        self.scalars[name] = kind
        lines.append(f"{{ int {name} = {value}; out_x[{self._own_place()}] = {name} + 1; }}")

    def _swap(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("swap")
        place = self._own_place()
        name = place if isinstance(place, str) else str(place)
        low, high = self.iterators[name]
        if high <= SIZE - 1 or low >= 1:
            other = f"{name} + 1" if high <= SIZE - 1 else f"{name} - 1"
            lines.append(f"if (out_x[{name}] > out_x[{other}]) SWAP(out_x[{name}], out_x[{other}])")
        else:
            lines.append(f"if (x[{name}] > 3) SWAP(out_x[{name}], grid[0][{name}])")

    def _walk(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("walking pointer")
        name, count = self._fresh("p"), self._fresh("k")
        lines.append(f"const int *{name} = walk; int {count} = 0;")
        inner = self._fresh("j")
        lines.append(f"for (int {inner} = 0; {inner} < 3; {inner}++) {{ {count} += *{name}++; {name} += 2; }}")
        lines.append(f"out_x[{self._own_place()}] += {count};")

    def _two(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("two dimensions")
        row = self._fresh("r")
        place = self._own_place()
        value = self.integer(2)
        if self.rng.random() < 0.5:
            self._has("flat store")
            lines.append(f"for (int {row} = 0; {row} < 6; {row}++) flat[{row} * SIZE + {place}] = {value} + {row};")
        else:
            lines.append(f"for (int {row} = 0; {row} < 6; {row}++) grid[{row}][{place}] = {value} - {row};")

    def _pointer_call(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("helper with pointers")
        name = self._own_place()
        low, high = self.iterators[name]
        del low
        if high <= SIZE - 1:
            lines.append(f"twice(x + {name}, &out_x[{name}]);")

    # Jumps.

    def _continue(self, lines: list[str], depth: int) -> None:
        self._has("continue")
        lines.append(f"if ({self.condition(1)}) {{ out_x[{self._own_place()}] = {self.integer(1)}; continue; }}")
        self._store(lines, depth)

    def _break(self, lines: list[str], depth: int) -> None:
        self._has("break")
        lines.append(f"if ({self.condition(1)}) break;")
        self._store(lines, depth)

    def _switch(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("switch")
        place = self._own_place()
        lines.append(f"switch ({self.integer(1)} & 3) {{")
        for label in self.rng.sample(["case 0:", "case 1: case 3:", "case 2:", "default:"], self.rng.randint(2, 4)):
            leaves = self.rng.choice([" break;", " break;", "", f" if ({self.condition(0)}) break; out_u[{place}]++;"])
            lines.append(f"  {label} out_x[{place}] {self.rng.choice(['=', '+='])} {self.integer(1)};{leaves}")
        lines.append("}")

    def _while(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("while")
        name = self._fresh("n")
        step = self.rng.choice([f"{name}++", f"{name} += 2"])
        lines.append(f"int {name} = 0; while ({name} < 5) {{ out_s[{name}] += {self.integer(1)}; {step}; }}")

    def _do(self, lines: list[str], depth: int) -> None:
        del depth
        name, place = self._fresh("n"), self._own_place()
        if self.rng.random() < 0.5:
            self._has("do once")
            lines.append(f"do {{ if ({self.condition(1)}) break; out_w[{place}] = {self.integer(1)}; }} while (0);")
        else:
            self._has("do")
            lines.append(
                f"int {name} = 1; do {{ out_w[{place}] += {self.integer(1)}; {name} += 2; }} while ({name} < 8);"
            )

    def _doubling(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("doubling step")
        name, place = self._fresh("d"), self._own_place()
        lines.append(
            f"for (int {name} = 1; {name} < SIZE; {name} *= 2) out_x[{place}] += x[{name}] * {self.integer(0)};"
        )

    # What kernels do.

    def _histogram(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("histogram")
        guard = f"if ({self.condition(1)}) " if self.rng.random() < 0.5 else ""
        lines.append(f"{guard}out_u[b[{self._own_place()}] % SIZE] += {self.rng.choice(['1', 'x[1]'])};")

    def _largest(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("largest and its place")
        best, at, name = self._fresh("best"), self._fresh("at"), self._fresh("j")
        lines.append(f"int {best} = x[0], {at} = 0;")
        lines.append(f"for (int {name} = 1; {name} < SIZE; {name}++)")
        lines.append(f"  if (x[{name}] > {best}) {{ {best} = x[{name}]; {at} = {name}; }}")
        lines.append(f"out_x[{self._own_place()}] = {best} - {at};")

    def _summary(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("struct by pointer")
        name, inner, place = self._fresh("sum"), self._fresh("j"), self._own_place()
        lines.append(f"summary_t {name}; {name}.low = 100; {name}.mean = 0.5f; {name}.last[0] = {name}.last[1] = 1;")
        lines.append(f"for (int {inner} = 0; {inner} < 4; {inner}++) widen(&{name}, x[{inner} + 2] + {place});")
        lines.append(f"out_x[{place}] = {name}.low + {name}.last[1]; out_h[{place}] = {name}.mean;")

    def _pair(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("struct by value")
        name, place = self._fresh("pair"), self._own_place()
        source = self.rng.choice([f"pairs[{self._place()}]", f"(pair_t){{{self.integer(1)}, {self.integer(0)}}}"])
        lines.append(f"pair_t {name} = swapped({source}); out_s[{place}] = {name}.re * 3 - {name}.im;")

    def _window(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("shift register")
        name, inner = self._fresh("reg"), self._fresh("j")
        lines.append(f"int {name}[3] = {{0}};")
        lines.append(
            f"for (int {inner} = 0; {inner} < SIZE; {inner}++) {{ {name}[2] = {name}[1]; {name}[1] = {name}[0]; "
            f"{name}[0] = x[{inner}]; "
            f"out_x[{inner}] {self.rng.choice(['=', '+='])} {name}[0] - {name}[2] * {self.integer(0)}; }}"
        )

    def _rows(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("array of rows")
        name, inner, place = self._fresh("rows"), self._fresh("j"), self._own_place()
        lines.append(f"int {name}[3][4];")
        lines.append(
            f"for (int {inner} = 0; {inner} < SIZE; {inner}++) {name}[{inner} / 4][{inner} % 4] = x[{inner}] + {place};"
        )
        lines.append(f"out_x[{place}] = {name}[2][1] - {name}[0][3];")

    def _out_pointer(self, lines: list[str], depth: int) -> None:
        del depth
        self._has("pointers to scalars")
        one, two, place = self._fresh("a"), self._fresh("a"), self._own_place()
        lines.append(f"int {one} = {self.integer(1)}, {two} = {self.integer(1)}; ordered(&{one}, &{two});")
        lines.append(f"out_x[{place}] = {one}; out_u[{place}] = {two};")

    def _ping_pong(self, lines: list[str]) -> None:
        self._has("pointers that change places")
        time, inner = self._fresh("t"), self._fresh("j")
        lines.append(f"int *{time}_p = out_x; int *{time}_q = grid[1];")
        lines.append(f"for (int {time} = 0; {time} < 3; {time}++) {{")
        lines.append(
            f"  for (int {inner} = 1; {inner} < SIZE - 1; {inner}++) "
            f"{time}_q[{inner}] = {time}_p[{inner} - 1] / 2 + {time}_p[{inner} + 1] / 3;"
        )
        lines.append(f"  int *swap = {time}_p; {time}_p = {time}_q; {time}_q = swap;")
        lines.append("}")


def program(name: str, seed: int) -> Program:
    """The function of that number."""
    return Program(name, Random(seed))
