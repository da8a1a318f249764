"""Expressions of C drawn at random, as engineers write them: types, conversions, macros, pointers, choices.

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
SAME = {  # other names of these types
    "int8_t": "signed char",
    "uint8_t": "unsigned char",
    "int16_t": "short",
    "uint16_t": "unsigned short",
    "int32_t": "int",
    "uint32_t": "unsigned",
    "int64_t": "long",
    "uint64_t": "unsigned long",
    "size_t": "unsigned long",
    "ptrdiff_t": "long",
    "char": "signed char",
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
#include <stddef.h>
#include <math.h>
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
static inline int16_t saturated(int32_t v) { return v > 32767 ? 32767 : v < -32768 ? -32768 : (int16_t)v; }
static int found(const int *from, int wanted) {
  for (int i = 0; i < 4; i++) if (from[i] == wanted) return i;
  return -1;
}
static int kind_of(int v) {
  switch (v & 3) {
    case 0: return 7;
    case 1: v += 2;
    case 2: return v * 3;
    default: break;
  }
  return v;
}
static void ordered(int *a, int *b) { if (*a > *b) { int t = *a; *a = *b; *b = t; } }
typedef struct { int low; float mean; uint8_t last[2]; } summary_t;
static void widen(summary_t *s, int v) { if (v < s->low) s->low = v; s->mean += v * 0.5f; s->last[v & 1] = v; }
static pair_t swapped(pair_t p) { pair_t r = {p.im, .im = p.re}; return r; }
#define SUM(first, ...) ((first) + (__VA_ARGS__))
static const uint8_t lut[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
"""


class Expressions:
    """Expressions, and the features that they have."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.features: Counter[str] = Counter()
        self.scalars: dict[str, str] = {}  # that have a value: C type
        self.iterators: dict[str, tuple[int, int]] = {}
        self.count = 0

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
            return self._at_border(name, low, high)
        self._has("masked subscript")
        return f"{name} & 7" if low >= 0 else str(self.rng.randrange(SIZE))

    def _at_border(self, name: str, low: int, high: int) -> str:
        """A subscript that is clamped, mirrored or wrapped behind the last element."""
        if low < -1:
            return name
        last = SIZE - 1
        clamped = f"{name} + 1 > {last} ? {last} : {name} + 1"
        if high > SIZE:
            return clamped
        return self.rng.choice(
            [
                clamped,
                f"{name} + 1 > {last} ? {2 * last} - ({name} + 1) : {name} + 1",
                f"{name} + 1 > {last} ? 0 : {name} + 1",
                f"({name} + 1) % {SIZE}",
            ]
        )

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
        if self.rng.random() < 0.2:
            self._has("table of bytes")
            return f"lut[b[{self._place()}] >> 4]"
        if self.rng.random() < 0.4:
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
        kind = self.rng.choice([*INTEGERS, *SAME, "word_t", "pixel_t", "bool"])
        if self.rng.random() < 0.15:
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
        feature, text = self.rng.choice(
            [
                ("helper", f"clamped((int)({self.integer(depth)}), -100, 1000)"),
                ("helper that saturates", f"saturated((int)({self.integer(depth)}))"),
                ("helper with a switch", f"kind_of((int)({self.integer(depth)}))"),
                ("helper with a return in a loop", f"found(walk + {self.rng.randrange(8)}, x[{self._place()}])"),
                ("macro with arguments", f"MAXIMUM({self.integer(depth - 1)}, {self.integer(depth - 1)})"),
                ("macro of any arguments", f"SUM({self.integer(depth - 1)}, {self.integer(depth - 1)})"),
                ("sizeof", f"(int)(sizeof({self.rng.choice(['int', 'x[0]', 'uint16_t'])}) * {self.integer(0)})"),
            ]
        )
        self._has(feature)
        return text

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
            name = self.rng.choice(["fabs", "fabsf", "floor", "ceilf"])
            return f"{name}({self.number(depth - 1)})"
        sign = self.rng.choice("+-*/")
        other = f"({self.number(depth - 1)} * 0 + 3)" if sign == "/" else self.number(depth - 1)
        return f"({self.number(depth - 1)} {sign} {other})"
