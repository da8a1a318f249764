"""Operations of integers, bools and stored fixed-point numbers as nodes: exact, with the least widths.

An operation has a type, the number in which the language computes it. If the exact result always fits, the node has the
least number for its interval; if not, the node wraps in the type. Constants are folded; products and quotients by
powers of two, and masks, are wires.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hwmodel.datapath.graph.graph import RESIZE, SHIFT
from hwmodel.datapath.graph.nodes import Nodes
from hwmodel.datapath.graph.ones import Ones
from hwmodel.datapath.numbers import BOOL, SIGNED, number_of, range_of, recoded, wrapped


@dataclass(slots=True)
class Integers:
    """Builds integer nodes. `code` is that of an operation's type (numbers.py)."""

    nodes: Nodes
    ones: Ones = field(init=False)

    def __post_init__(self) -> None:
        self.ones = Ones(self.nodes)

    # Sums.

    def add(self, a: int, b: int, code: int) -> int:
        low, high = self.nodes.low, self.nodes.high
        if low[a] == 0 == high[a]:
            return b
        if low[b] == 0 == high[b]:
            return a
        if a > b:
            a, b = b, a
        least, most = low[a] + low[b], high[a] + high[b]
        if self.ones.are_disjoint(a, b):  # bits side by side
            both = self.ones.of(a) | self.ones.of(b)
            return self.ring("or", (a, b), code, (least, min(most, both) if both >= 0 else most))
        return self.ring("add", (a, b), code, (least, most))

    def sub(self, a: int, b: int, code: int) -> int:
        low, high = self.nodes.low, self.nodes.high
        if low[b] == 0 == high[b]:
            return a
        if a == b:
            return self.nodes.constant(0)
        if low[a] == 0 == high[a]:
            return self.neg(b, code)
        return self.ring("sub", (a, b), code, (low[a] - high[b], high[a] - low[b]))

    def neg(self, a: int, code: int) -> int:
        return self.ring("neg", (a,), code, (-self.nodes.high[a], -self.nodes.low[a]))

    def abs(self, a: int, code: int) -> int:
        low, high = self.nodes.low[a], self.nodes.high[a]
        if low >= 0:
            return a
        if high <= 0:
            return self.neg(a, code)
        return self.ring("abs", (a,), code, (0, max(-low, high)))

    def ring(
        self, operator: str, operands: tuple[int, ...], code: int, interval: tuple[int, int], detail: object = None
    ) -> int:
        """The node of an operation that wraps in its type, unless the interval of its exact result fits."""
        nodes = self.nodes
        low, high = interval
        least, most = range_of(code)
        if low == high:
            return nodes.constant(wrapped(low, code))
        if low >= least and high <= most:
            return nodes.typed(operator, operands, number_of(low, high), interval, detail)
        node = nodes.typed(operator, operands, code, (least, most), detail)
        nodes.wrapping.add(node)
        return node

    def resize(self, a: int, code: int) -> int:
        """The low bits of a node as a number, or the node itself if it fits: wires."""
        low, high = self.nodes.low[a], self.nodes.high[a]
        least, most = range_of(code)
        if least <= low and high <= most:
            return a
        if low == high:
            return self.nodes.constant(wrapped(low, code))
        return self.nodes.typed(RESIZE, (a,), code, (least, most))

    def shifted(self, a: int, places: int, code: int) -> int:
        """A node times 2**places, rounded down and wrapped: wires."""
        low, high = self.nodes.low[a], self.nodes.high[a]
        if places == 0:
            return self.resize(a, code)
        if places > 0:
            if places >= (code - SIGNED if code > SIGNED else code):
                return self.nodes.constant(0)
            return self.ring(SHIFT, (a,), code, (low << places, high << places), places)
        interval = (low >> -places, high >> -places)
        if interval[0] == interval[1]:
            return self.resize(self.nodes.constant(interval[0]), code)
        return self.resize(self.nodes.integer(SHIFT, (a,), interval, places), code)

    # Products.

    def mul(self, a: int, b: int, code: int) -> int:
        low, high = self.nodes.low, self.nodes.high
        if low[a] == high[a]:
            return self.times(b, low[a], code)
        if low[b] == high[b]:
            return self.times(a, low[b], code)
        corners = (low[a] * low[b], low[a] * high[b], high[a] * low[b], high[a] * high[b])
        interval = (0, max(corners)) if a == b and low[a] < 0 < high[a] else (min(corners), max(corners))
        return self.ring("mul", (a, b) if a <= b else (b, a), code, interval)

    def times(self, a: int, constant: int, code: int) -> int:
        """A product with a constant: shifts and adders for its signed digits."""
        low, high = self.nodes.low[a], self.nodes.high[a]
        if constant == 0 or low == high:
            return self.nodes.constant(wrapped(constant * low if constant else 0, code))
        if constant == 1:
            return self.resize(a, code)
        if constant < 0 and 1 not in recoded(constant):  # no digit to start from: a negative at the end
            least, most = -constant * low, -constant * high
            return self.neg(self.times(a, -constant, number_of(least, most) if fits(least, most) else code), code)
        ends = sorted((constant * low, constant * high))
        if constant & (constant - 1) == 0:
            return self.shifted(a, constant.bit_length() - 1, code)
        return self.ring("mulc", (a,), code, (ends[0], ends[1]), constant)

    # Quotients. Of negative dividends x: floor(x / c) = ~(floor(~x / c)).

    def div(self, a: int, b: int, code: int) -> int:
        """A quotient rounded down."""
        low, high = self.nodes.low, self.nodes.high
        if low[b] == high[b] != 0:
            known = self._over_constant(a, low[b], code)
            if known is not None:
                return known
        if low[a] == high[a] and low[b] == high[b]:
            return self.nodes.constant(0)  # by zero: `run` refuses to
        size = max(abs(low[a]), abs(high[a])) + (low[a] < 0 or low[b] < 0)
        interval = (-size, size) if low[a] < 0 or low[b] < 0 else (0, high[a])
        return self.ring("div", (a, b), code, interval)

    def _over_constant(self, a: int, divisor: int, code: int) -> int | None:
        low, high = self.nodes.low[a], self.nodes.high[a]
        if low == high:
            return self.nodes.constant(wrapped(low // divisor, code))
        if divisor < 0:
            if divisor == -1:
                return self.neg(a, code)
            negative = self._exact_negative(a)
            return None if negative is None else self._over_constant(negative, -divisor, code)
        even = (divisor & -divisor).bit_length() - 1
        if even:
            a, divisor = self.shifted(a, -even, self.nodes.code(a)), divisor >> even
        if divisor == 1:
            return self.resize(a, code)
        return self.resize(self._quotient(a, divisor), code)

    def _exact_negative(self, a: int) -> int | None:
        low, high = -self.nodes.high[a], -self.nodes.low[a]
        return self.neg(a, number_of(low, high)) if fits(low, high) else None

    def _quotient(self, a: int, divisor: int) -> int:
        """floor(a / divisor) for a divisor above 1 that is odd."""
        nodes = self.nodes
        low, high = nodes.low[a], nodes.high[a]
        interval = (low // divisor, high // divisor)
        if interval[0] == interval[1]:
            return nodes.constant(interval[0])
        if low >= 0:
            return nodes.integer("divc", (a,), interval, divisor)
        if high < 0:
            inverse = nodes.integer("not", (a,), (~high, ~low))
            return nodes.integer("not", (self._quotient(inverse, divisor),), interval)
        sign = nodes.typed(SHIFT, (a,), number_of(-1, 0), (-1, 0), 1 - number_bits(nodes.code(a)))
        largest = max(high, ~low)
        if largest < divisor:
            return sign
        magnitude = nodes.integer("xor", (a, sign), (0, largest))
        quotient = nodes.integer("divc", (magnitude,), (0, largest // divisor), divisor)
        return nodes.integer("xor", (quotient, sign), interval)

    def mod(self, a: int, b: int, code: int) -> int:
        """The remainder of a quotient rounded down: it has the sign of the divisor."""
        low, high = self.nodes.low, self.nodes.high
        if low[b] == high[b] != 0:
            known = self._remainder(a, low[b], code)
            if known is not None:
                return known
        if low[a] == high[a] and low[b] == high[b]:
            return self.nodes.constant(0)
        interval = (min(0, low[b] + 1), max(0, high[b] - 1))
        if low[a] >= 0 and low[b] >= 0:
            interval = (0, min(interval[1], high[a]))
        return self.ring("mod", (a, b), code, interval)

    def _remainder(self, a: int, divisor: int, code: int) -> int | None:
        nodes = self.nodes
        low, high = nodes.low[a], nodes.high[a]
        if low == high:
            return nodes.constant(wrapped(low % divisor, code))
        if divisor < 0:
            negative = self._exact_negative(a)
            rest = None if negative is None else self._remainder(negative, -divisor, nodes.code(a))
            return None if rest is None else self.neg(rest, code)
        if divisor == 1:
            return nodes.constant(0)
        if low >= 0 and high < divisor:
            return a
        if divisor & (divisor - 1) == 0:
            return self.resize(a, divisor.bit_length() - 1)
        even, bits = (divisor & -divisor).bit_length() - 1, (divisor - 1).bit_length()
        whole = self._quotient(self.shifted(a, -even, nodes.code(a)), divisor >> even)
        back = self.times(self.resize(whole, bits), divisor, bits)  # the low bits of x - q c are all of it
        rest = nodes.integer("sub", (self.resize(a, bits), back), (0, divisor - 1))
        nodes.wrapping.add(rest)
        return rest

    # Bits.

    def bit(self, operator: str, a: int, b: int, code: int) -> int:
        """The operation and, or, xor on numbers of one type."""
        nodes = self.nodes
        low, high = nodes.low, nodes.high
        if low[a] == high[a]:
            a, b = b, a
        if low[b] == high[b]:
            known = self._bit_constant(operator, a, low[b], code)
            if known is not None:
                return known
        if a == b:
            return nodes.constant(0) if operator == "xor" else a
        return nodes.integer(operator, (min(a, b), max(a, b)), self._bit_interval(operator, a, b))

    def _bit_constant(self, operator: str, a: int, constant: int, code: int) -> int | None:
        low, high = self.nodes.low[a], self.nodes.high[a]
        if low == high:
            return self.nodes.constant(_BITS[operator](low, constant))
        if operator == "and":
            if constant >= 0 and constant & (constant + 1) == 0:  # a mask 2**k - 1
                return self.resize(a, constant.bit_length()) if constant else self.nodes.constant(0)
            return a if constant == -1 else None
        if constant == 0:
            return a
        if constant == (-1 if code > SIGNED else range_of(code)[1]):
            return self.nodes.constant(constant) if operator == "or" else self.invert(a, code)
        return None

    def _bit_interval(self, operator: str, a: int, b: int) -> tuple[int, int]:
        low, high = self.nodes.low, self.nodes.high
        negative = (low[a] < 0, low[b] < 0)
        size = max(max(abs(high[i]), abs(~low[i] if low[i] < 0 else low[i])) for i in (a, b))
        whole = (1 << size.bit_length()) - 1
        if operator == "and" and not all(negative):
            return 0, min(high[i] for i, below in ((a, negative[0]), (b, negative[1])) if not below)
        return (-1 - whole if any(negative) else 0), whole

    def invert(self, a: int, code: int) -> int:
        """All bits of a number of a type inverted."""
        nodes = self.nodes
        operator, operands, own, _, _ = nodes.records[a]
        if operator == "not" and (own == code or (own > SIGNED and code > SIGNED)):
            return operands[0]
        low, high = ~nodes.high[a], ~nodes.low[a]
        if code <= SIGNED:
            low, high = low + (1 << code), high + (1 << code)
            return nodes.constant(low) if low == high else nodes.typed("not", (a,), code, (low, high))
        return nodes.integer("not", (a,), (low, high))

    def shift_by(self, operator: str, a: int, amount: int, code: int) -> int:
        """The operator shl or shr with a distance that is a node."""
        nodes = self.nodes
        least, most = nodes.low[amount], nodes.high[amount]
        bits = code - SIGNED if code > SIGNED else code
        if least == most:
            if not 0 <= least < bits:
                return nodes.constant(0)  # `run` refuses to
            return self.shifted(a, least if operator == "shl" else -least, code)
        least, most = max(0, least), min(bits - 1, max(0, most))
        low, high = nodes.low[a], nodes.high[a]
        if operator == "shl":
            ends = (low << least, low << most, high << least, high << most)
        else:
            ends = (low >> least, low >> most, high >> least, high >> most)
        return self.ring(operator, (a, amount), code, (min(ends), max(ends)))

    # Decisions.

    def less(self, a: int, b: int) -> int:  # noqa: PLR0911  a case per kind of operand
        nodes = self.nodes
        low, high = nodes.low, nodes.high
        if high[a] < low[b]:
            return nodes.constant(1)
        if low[a] >= high[b] or a == b:
            return nodes.constant(0)
        if low[a] == high[a] and low[a] & 1:  # c < x where not x < c + 1, an even number: fewer bits
            return self.opposite(self.less(b, nodes.constant(low[a] + 1)))
        if low[b] == high[b] != 0:
            zeros = (low[b] & -low[b]).bit_length() - 1
            if zeros:  # x < c 2**k where x // 2**k < c
                return self.less(self.shifted(a, -zeros, nodes.code(a)), nodes.constant(low[b] >> zeros))
            if low[b] == 1 and low[a] == 0:
                return self.equal(a, nodes.constant(0))
        if low[b] == high[b] == 0:  # the sign is a wire
            places = number_bits(nodes.code(a)) - 1
            sign = nodes.typed(SHIFT, (a,), number_of(-1, 0), (-1, 0), -places) if places else a
            return nodes.typed(RESIZE, (sign,), BOOL, (0, 1))
        return nodes.typed("lt", (a, b), BOOL, (0, 1))

    def equal(self, a: int, b: int) -> int:
        nodes = self.nodes
        low, high = nodes.low, nodes.high
        if a == b:
            return nodes.constant(1)
        if high[a] < low[b] or high[b] < low[a]:
            return nodes.constant(0)
        if low[a] == high[a]:
            if low[b] == high[b]:
                return nodes.constant(int(low[a] == low[b]))
            a, b = b, a
        if low[b] == high[b] and low[a] == 0 and high[a] == 1:
            return a if low[b] else self.invert(a, BOOL)
        if a > b and low[b] != high[b]:
            a, b = b, a
        return nodes.typed("eq", (a, b), BOOL, (0, 1))

    def opposite(self, condition: int) -> int:
        return self.bit("xor", condition, self.nodes.constant(1), BOOL)

    def extreme(self, operator: str, a: int, b: int) -> int:
        """The operator min or max."""
        nodes = self.nodes
        low, high = nodes.low, nodes.high
        if a == b:
            return a
        choose: Callable[[int, int], int] = min if operator == "min" else max
        if high[a] <= low[b]:
            return a if operator == "min" else b
        if high[b] <= low[a]:
            return b if operator == "min" else a
        if low[a] == high[a] or low[b] == high[b]:
            return self._limited(operator, a, b) if low[b] == high[b] else self._limited(operator, b, a)
        interval = (choose(low[a], low[b]), choose(high[a], high[b]))
        return nodes.integer(operator, (a, b) if a < b else (b, a), interval)

    def _limited(self, operator: str, a: int, limit: int) -> int:
        """The min or max of a node and a constant c: x < c and x < c + 1 choose alike, one of them from fewer bits."""
        constant = self.nodes.low[limit]
        below = self.less(a, self.nodes.constant(constant + (constant & 1)))
        node = self.mux(below, a, limit) if operator == "min" else self.mux(below, limit, a)
        low, high = self.nodes.low[a], self.nodes.high[a]
        ends = (low, constant) if operator == "min" else (constant, high)
        return self._within(node, ends)

    def _within(self, node: int, interval: tuple[int, int]) -> int:
        """Narrow the interval of a multiplexer's value."""
        operator, operands, _, _, _ = self.nodes.records[node]
        return self.nodes.integer("mux", operands, interval) if operator == "mux" else node

    def mux(self, condition: int, then: int, otherwise: int) -> int:
        """The value `then` if the condition holds, else `otherwise`; both integers or both floats."""
        nodes = self.nodes
        if nodes.low[condition] == nodes.high[condition]:
            return then if nodes.low[condition] else otherwise
        if then == otherwise:
            return then
        if nodes.records[condition][0] == "not":
            return self.mux(nodes.records[condition][1][0], otherwise, then)
        if nodes.is_float(then):
            positive = nodes.positive_zero[then] and nodes.positive_zero[otherwise]
            return nodes.real("mux", (condition, then, otherwise), nodes.code(then), positive=positive)
        low = min(nodes.low[then], nodes.low[otherwise])
        high = max(nodes.high[then], nodes.high[otherwise])
        known = None
        if (low, high) == (0, 1):
            known = self._mux_of_bools(condition, then, otherwise)
        elif nodes.is_constant(then) and nodes.is_constant(otherwise):
            known = self._mux_of_constants(condition, nodes.low[then], nodes.low[otherwise])
        if known is not None:
            return known
        return nodes.integer("mux", (condition, then, otherwise), (low, high))

    def _mux_of_constants(self, condition: int, then: int, otherwise: int) -> int | None:
        """A choice between 0 and a run of ones (as 1 << k or 255): the condition on some wires."""
        if otherwise:
            condition, then, otherwise = self.opposite(condition), otherwise, then
        zeros = (then & -then).bit_length() - 1
        ones = then >> zeros
        if otherwise or ones & (ones + 1):
            return None
        if then < 0:
            every = self.nodes.typed(RESIZE, (condition,), number_of(-1, 0), (-1, 0))
            return self.shifted(every, zeros, number_of(then, 0))
        bits = ones.bit_length()
        if bits > 1:
            every = self.nodes.typed(RESIZE, (condition,), number_of(-1, 0), (-1, 0))
            condition = self.nodes.typed(RESIZE, (every,), bits, (0, ones))
        return self.shifted(condition, zeros, number_of(0, then))

    def _mux_of_bools(self, condition: int, then: int, otherwise: int) -> int | None:
        nodes = self.nodes
        if nodes.is_constant(then):
            if nodes.is_constant(otherwise):
                return condition if nodes.low[then] else self.opposite(condition)
            if nodes.low[then]:
                return self.bit("or", condition, otherwise, BOOL)
        elif nodes.is_constant(otherwise) and not nodes.low[otherwise]:
            return self.bit("and", condition, then, BOOL)
        return None

    def select(self, index: int, first: int, values: list[int]) -> int:
        """The value at an index; values are numbered from `first` on."""
        nodes = self.nodes
        low, high = max(nodes.low[index], first), min(nodes.high[index], first + len(values) - 1)
        chosen = values[low - first : high - first + 1]
        if not chosen:
            return values[0]  # out of range: `run` refuses to
        if len(set(chosen)) == 1:
            return chosen[0]
        if len(chosen) == 2:
            odd = self.resize(index, BOOL) if nodes.low[index] < 0 or nodes.high[index] > 1 else index
            return self.mux(odd, chosen[1 - (low & 1)], chosen[low & 1])
        operands = (index, *chosen)
        if nodes.is_float(chosen[0]):
            positive = all(nodes.positive_zero[value] for value in chosen)
            return nodes.real("select", operands, nodes.code(chosen[0]), positive=positive, detail=low)
        interval = (min(nodes.low[value] for value in chosen), max(nodes.high[value] for value in chosen))
        return nodes.integer("select", operands, interval, low)


_BITS: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def number_bits(code: int) -> int:
    """The bits of an integer number."""
    return code - SIGNED if code > SIGNED else code


def fits(low: int, high: int) -> bool:
    """Whether a number of 64 bits has all integers low..high."""
    return low >= -(1 << 63) and high < (1 << 63 if low < 0 else 1 << 64)
