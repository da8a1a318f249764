"""Functions of C drawn at random, as engineers write them: types, conversions, macros, state, pointers, choices.

None does what C leaves undefined: divisors are not 0, shifts stay below the width, floats that become integers small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

SIZE = 12
INTEGERS = {
    "signed char": "i1",
    "unsigned char": "u1",
    "short": "i2",
    "unsigned short": "u2",
    "int": "i4",
    "unsigned": "u4",
    "long": "i8",
    "unsigned long": "u8",
}
FLOATS = {"float": "f4", "double": "f8"}
TYPES = {**INTEGERS, **FLOATS}
ARRAYS = {
    "c": "signed char",
    "b": "unsigned char",
    "s": "short",
    "x": "int",
    "u": "unsigned",
    "w": "long",
    "h": "float",
    "g": "double",
}

HEAD = """\
#include <stdint.h>
#include <stdbool.h>
#include <string.h>
#define SIZE 12
#define THREE 2 + 1
#define MINUS -2
#define HEX 0x1F
#define OCTAL 017
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))
#define SWAP(a, b) { int swap_ = a; a = b; b = swap_; }
#define WIDE 3000000000
#define HALF 0.5f
typedef int word_t;
typedef unsigned char pixel_t;
typedef struct { short re, im; } pair_t;
enum { RED, GREEN = 5, BLUE };
static const int taps[4] = {1, -2, 3, 0x10};
static const float weights[2][2] = {{0.25f, 1.5f}, {-2.0f, 3.0f}};
static int clamped(int value, int low, int high) {
  if (value < low) return low;
  if (value > high) return high;
  return value;
}
static void twice(const int *from, int *to) { to[0] = from[0] + from[1]; }
"""


class Program:
    """One function: `text`, and the features that it has."""

    def __init__(self, name: str, rng: Random) -> None:
        self.name, self.rng = name, rng
        self.features: Counter[str] = Counter()
        self.scalars: dict[str, str] = {}  # that have a value: C type
        self.iterators: dict[str, tuple[int, int]] = {}
        self.lines: list[str] = []
        self.returns = "void"
        self.count = 0
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

    def _has(self, feature: str) -> None:
        self.features[feature] += 1

    def _fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # Expressions: `integer` gives one of an integer type, `number` any.

    def integer(self, depth: int) -> str:
        """An integer expression."""
        if depth <= 0 or self.rng.random() < 0.15:
            return self._leaf()
        make: Callable[[int], str] = self.rng.choice(
            [
                self._sum,
                self._sum,
                self._product,
                self._bits,
                self._quotient,
                self._shift,
                self._unary,
                self._choice,
                self._cast,
                self._compare,
                self._call,
            ]
        )
        return make(depth - 1)

    def _leaf(self) -> str:
        options: list[Callable[[], str]] = [self._literal, self._element, self._element]
        if self.scalars:
            options.append(self._scalar)
        if self.iterators:
            options += [lambda: self.rng.choice(list(self.iterators)), self._table]
        return self.rng.choice(options)()

    def _literal(self) -> str:
        feature, text = self.rng.choice(
            [
                ("decimal", str(self.rng.randrange(300))),
                ("hex", hex(self.rng.randrange(1 << 16))),
                ("octal", "0" + oct(self.rng.randrange(1, 512))[2:]),
                ("character", self.rng.choice(["'a'", "'\\n'", "'\\\\'", "'\\x41'", "'\\377'"])),
                ("unsigned literal", f"{self.rng.randrange(100)}u"),
                ("long literal", f"{self.rng.randrange(100)}L"),
                ("macro of text", self.rng.choice(["THREE", "MINUS", "HEX", "OCTAL"])),
                ("enumerator", self.rng.choice(["RED", "GREEN", "BLUE"])),
                ("wide literal", self.rng.choice(["WIDE", "0xFFFFFFFF", "2147483648"])),
            ]
        )
        self._has(feature)
        return text

    def _place(self) -> str:
        """A subscript in 0..SIZE."""
        if not self.iterators:
            return str(self.rng.randrange(SIZE))
        name = self.rng.choice(list(self.iterators))
        low, high = self.iterators[name]
        kind = self.rng.random()
        if kind < 0.6:
            shift = self.rng.randint(-low, SIZE - high)
            return name if shift == 0 else f"{name} {'+' if shift > 0 else '-'} {abs(shift)}"
        if kind < 0.7:
            self._has("mirrored subscript")
            return f"{high - 1} - {name}" if low >= 0 and high <= SIZE else name
        if kind < 0.8:
            self._has("halved subscript")
            return f"{name} / 2" if low >= 0 else str(self.rng.randrange(SIZE))
        if kind < 0.9:
            self._has("clamped subscript")
            return f"{name} + 1 > {SIZE - 1} ? {SIZE - 1} : {name} + 1" if low >= -1 else name
        self._has("masked subscript")
        return f"{name} & 7" if low >= 0 else str(self.rng.randrange(SIZE))

    def _element(self) -> str:
        kind = self.rng.random()
        if kind < 0.1:
            self._has("struct")
            return f"pairs[{self._place()}].{self.rng.choice(['re', 'im'])}"
        if kind < 0.2:
            self._has("pointer")
            return f"*(walk + ({self._place()}))"
        if kind < 0.3:
            self._has("flat array")
            return f"flat[{self.rng.randrange(6)} * SIZE + ({self._place()})]"
        if kind < 0.4:
            self._has("guarded read")
            name = self.rng.choice(list(self.iterators)) if self.iterators else None
            if name is not None and self.iterators[name][1] <= SIZE and self.iterators[name][0] >= 0:
                return f"({name} > 0 ? x[{name} - 1] : {self.rng.randrange(9)})"
        return f"{self.rng.choice('cbsxuw')}[{self._place()}]"

    def _table(self) -> str:
        self._has("table")
        if self.rng.random() < 0.3:
            self._has("subscript from data")
            return f"taps[{self.rng.choice('cbsxu')}[{self._place()}] & 3]"
        return f"taps[{self.rng.randrange(4)}]"

    def _scalar(self) -> str:
        names = [name for name, kind in self.scalars.items() if kind in INTEGERS or kind == "bool"]
        return self.rng.choice(names) if names else self._literal()

    def _sum(self, depth: int) -> str:
        return f"({self.integer(depth)} {self.rng.choice('+-')} {self.integer(depth)})"

    def _product(self, depth: int) -> str:
        return f"({self.integer(depth)} * {self.integer(depth - 1)})"

    def _bits(self, depth: int) -> str:
        self._has("bits")
        return f"({self.integer(depth)} {self.rng.choice('&|^')} {self.integer(depth)})"

    def _quotient(self, depth: int) -> str:
        sign = self.rng.choice("/%")
        self._has("quotient" if sign == "/" else "rest")
        divisor = self.rng.choice(["3", "-5", "16", "7u", "(b[1] + 1)", "((x[2] & 7) + 1)", "(-3 - (x[1] & 3))"])
        return f"({self.integer(depth)} {sign} {divisor})"

    def _shift(self, depth: int) -> str:
        sign = self.rng.choice(["<<", ">>"])
        self._has("shift")
        return f"({self.integer(depth)} {sign} {self.rng.choice(['1', '3', '7', '(x[3] & 7)', '2u'])})"

    def _unary(self, depth: int) -> str:
        sign = self.rng.choice("-~!+")
        self._has(f"unary {sign}")
        return f"{sign}({self.integer(depth)})"

    def _choice(self, depth: int) -> str:
        self._has("choice")
        return f"({self.condition(depth)} ? {self.integer(depth)} : {self.integer(depth)})"

    def _cast(self, depth: int) -> str:
        self._has("cast")
        kind = self.rng.choice([*INTEGERS, "uint16_t", "int64_t", "word_t", "pixel_t", "bool"])
        if self.rng.random() < 0.1:
            self._has("float to integer")
            return f"({kind if kind != 'bool' else 'int'})(b[{self._place()}] * 0.3f)"
        return f"({kind})({self.integer(depth)})"

    def _compare(self, depth: int) -> str:
        return f"({self.condition(depth)})"

    def condition(self, depth: int) -> str:
        """A truth value."""
        kind = self.rng.random()
        if depth > 0 and kind < 0.2:
            self._has("and or")
            return f"({self.condition(depth - 1)} {self.rng.choice(['&&', '||'])} {self.condition(depth - 1)})"
        if self.iterators and kind < 0.4:
            self._has("condition on an iterator")
            name = self.rng.choice(list(self.iterators))
            return self.rng.choice([f"{name} > 3", f"{name} == 2", f"{name} % 3 == 0", f"{name} != 5", f"({name} & 1)"])
        return f"{self.integer(depth)} {self.rng.choice(['<', '<=', '>', '>=', '==', '!='])} {self.integer(depth)}"

    def _call(self, depth: int) -> str:
        if self.rng.random() < 0.5:
            self._has("helper")
            return f"clamped((int)({self.integer(depth)}), -100, 1000)"
        self._has("macro with arguments")
        return f"MAXIMUM({self.integer(depth - 1)}, {self.integer(depth - 1)})"

    def number(self, depth: int) -> str:
        """A float expression."""
        if depth <= 0 or self.rng.random() < 0.2:
            leaf = self.rng.random()
            if leaf < 0.3:
                self._has("float literal")
                return self.rng.choice(["0.5f", "1.25", ".1f", "3.", "0x1.8p1", "HALF", "1e-3", "n1", "weights[1][0]"])
            if leaf < 0.6:
                return f"{self.rng.choice('hg')}[{self._place()}]"
            return f"({self.rng.choice(['float', 'double'])})({self.integer(depth - 1)})"
        if self.rng.random() < 0.15:
            self._has("float choice")
            return f"({self.condition(depth - 1)} ? {self.number(depth - 1)} : {self.number(depth - 1)})"
        if self.rng.random() < 0.1:
            self._has("float function")
            return f"__builtin_fabs({self.number(depth - 1)})".replace("__builtin_", "")
        sign = self.rng.choice("+-*/")
        other = f"({self.number(depth - 1)} * 0 + 3)" if sign == "/" else self.number(depth - 1)
        return f"({self.number(depth - 1)} {sign} {other})"

    # Statements.

    def _body(self) -> None:
        rng = self.rng
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
        if rng.random() < 0.2:
            self._has("returned value")
            self.returns = rng.choice(list(INTEGERS))
            self.lines.append(f"return {self.integer(2)};")

    def _declare(self, lines: list[str]) -> None:
        kind = self.rng.choice([*INTEGERS, "float", "double", "bool", "uint8_t"])
        name = self._fresh("v")
        value = self.number(2) if kind in FLOATS else self.integer(2)
        lines.append(f"{kind} {name} = {value};")
        self.scalars[name] = {"uint8_t": "unsigned char"}.get(kind, kind)

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
            self._shadow,
            self._swap,
            self._walk,
            self._two,
            self._pointer_call,
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
        if self.rng.random() < 0.5:
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


def program(name: str, seed: int) -> Program:
    """The function of that number."""
    return Program(name, Random(seed))
