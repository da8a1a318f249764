"""Array-OL's meaning, one element at a time: slow, obvious, and the measure of the reference execution.

Integers are Python's, wrapped by hand; floats are NumPy scalars; nothing of arrayol.execute is used.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from oracle_exact import Exact, Refused, applied, converted, from_stored, is_exact, operated

from arrayol.ir.expressions import (
    Assign,
    Constant,
    Convert,
    Expr,
    Function,
    Index,
    Loop,
    Operation,
    Range,
    Read,
    Select,
    operands_of,
)
from arrayol.ir.spec import CompoundTask, Elementary, Port, RepetitiveTask, Spec, TiledDefault, Tiler, port_named
from arrayol.ir.types import ElementType, ValueType, Weak

Arrays = dict[str, NDArray[Any]]


def dtype_of(element: ElementType) -> np.dtype[Any]:
    if element is ElementType.BOOL:
        return np.dtype(bool)
    if is_exact(element):
        return next(np.dtype(f"{element[0]}{size}") for size in (1, 2, 4, 8) if element.bits <= 8 * size)
    return np.dtype({"i": "i", "u": "u", "f": "f", "c": "c"}[element[0]] + str(element.bits // 8))


def interpret(spec: Spec, name: str, inputs: Mapping[str, NDArray[Any]]) -> Arrays:
    """The outputs of a component of finite shapes."""
    component = spec.components[name]
    with np.errstate(all="ignore"):
        if isinstance(component, Elementary):
            return Body(component, inputs).run()
        if isinstance(component, CompoundTask):
            return _compose(spec, component, inputs)
        return _repeat(spec, component, inputs)


def _compose(spec: Spec, task: CompoundTask, inputs: Mapping[str, NDArray[Any]]) -> Arrays:
    arrays = dict(inputs)
    for call in task.calls:
        callee = spec.components[call.callee]
        formals = [port.name for port in callee.inputs]
        results = interpret(
            spec, call.callee, dict(zip(formals, (arrays[name] for name in call.arguments), strict=True))
        )
        arrays.update(zip(call.results, (results[port.name] for port in callee.outputs), strict=True))
    return {port.name: arrays[port.name] for port in task.outputs}


def _repeat(spec: Spec, task: RepetitiveTask, inputs: Mapping[str, NDArray[Any]]) -> Arrays:
    callee = spec.components[task.callee]
    arrays = dict(inputs) | {port.name: np.zeros(port.shape, dtype_of(port.type)) for port in task.outputs}
    done: dict[tuple[int, ...], Arrays] = {}
    waiting = list(product(*map(range, task.repetition)))
    while waiting:
        for r in list(waiting):
            sources = {delay.port: tuple(np.subtract(r, delay.vector).tolist()) for delay in task.delays}
            inside = {port: _inside(source, task.repetition) for port, source in sources.items()}
            if any(inside[port] and source not in done for port, source in sources.items()):
                continue
            patterns = {
                link.port: _pattern(arrays[link.array], link.tiler, r, port_named(callee.inputs, link.port))
                for link in task.input_links
            }
            for delay in task.delays:
                port = port_named(callee.inputs, delay.port)
                if inside[delay.port]:
                    patterns[delay.port] = done[sources[delay.port]][delay.output]
                elif isinstance(delay.default, TiledDefault):
                    patterns[delay.port] = _pattern(arrays[delay.default.array], delay.default.tiler, r, port)
                else:
                    patterns[delay.port] = np.full(port.shape, _held(delay.default, port.type), dtype_of(port.type))
            done[r] = interpret(spec, task.callee, patterns)
            waiting.remove(r)
            for link in task.output_links:
                if link.exit and _inside(np.add(r, link.exit).tolist(), task.repetition):
                    continue
                values = done[r][link.port]
                for f in product(*map(range, values.shape)):
                    arrays[link.array][_element(link.tiler, r, f, arrays[link.array].shape)] = values[f]
    return {port.name: arrays[port.name] for port in task.outputs}


def _held(value: Any, kind: ElementType) -> Any:
    return int(Fraction(value) * 2**kind.fraction) if is_exact(kind) else value


def _inside(r: Sequence[int], shape: Sequence[int | None]) -> bool:
    return all(0 <= index < (length or 0) for index, length in zip(r, shape, strict=True))


def _pattern(array: NDArray[Any], tiler: Tiler, r: Sequence[int], port: Port) -> NDArray[Any]:
    values = np.zeros(port.shape, array.dtype)
    for f in product(*(range(length or 0) for length in port.shape)):
        element = _element(tiler, r, f, array.shape)
        outside = element is None and tiler.border
        values[f] = _held(tiler.border.value, port.type) if outside else array[element]
    return values


def _element(tiler: Tiler, r: Sequence[int], f: Sequence[int], shape: Sequence[int]) -> tuple[int, ...] | None:
    found = []
    for origin, paving, fitting, length in zip(tiler.origin, tiler.paving, tiler.fitting, shape, strict=True):
        index = origin + sum(map(operator.mul, paving, r)) + sum(map(operator.mul, fitting, f))
        if tiler.border and not 0 <= index < length:
            if tiler.border.is_constant:
                return None
            index = _beyond(tiler.border.mode, index, length)
        assert tiler.wrap or 0 <= index < length
        found.append(index % length)
    return tuple(found)


def _beyond(mode: str, index: int, length: int) -> int:
    """By steps over the ends, one after another."""
    if mode == "nearest":
        return 0 if index < 0 else length - 1
    step, place = (1, 0) if index > 0 else (-1, 0)
    for _ in range(abs(index)):
        if 0 <= place + step < length:
            place += step
        else:
            step = -step
            place += step if mode == "mirror" else 0
    return place


class Body:
    def __init__(self, elementary: Elementary, inputs: Mapping[str, NDArray[Any]]) -> None:
        self.elementary = elementary
        self.arrays = dict(inputs)
        for port in elementary.outputs:
            self.arrays[port.name] = np.zeros(port.shape, dtype_of(port.type))
        self.written: dict[str, set[tuple[int, ...]]] = {port.name: set() for port in elementary.outputs}
        self.indices: dict[str, int] = {}
        self.locals = {local.name: local for local in elementary.locals}

    def run(self) -> Arrays:
        assert self.elementary.body is not None
        self._statements(self.elementary.body, 0)
        outputs = [port.name for port in self.elementary.outputs]
        for name in outputs:
            if len(self.written[name]) != self.arrays[name].size:
                raise Refused("output-not-written")
        return {name: self.arrays[name] for name in outputs}

    def _statements(self, statements: Sequence[Assign | Loop], depth: int) -> None:
        """Statements inside so many ranges. Any local that lives there begins anew: none of another block is alive."""
        for local in self.locals.values():
            if len(local.around) == depth:
                self.arrays[local.name] = np.zeros(local.shape, dtype_of(local.type))
                self.written[local.name] = set()
        for statement in statements:
            for _ in self._each(statement.ranges):
                if isinstance(statement, Loop):
                    self._statements(statement.body, depth + len(statement.ranges))
                elif statement.condition is None or self.value(statement.condition):
                    self._assign(statement)

    def _each(self, ranges: Sequence[Range]) -> Iterator[None]:
        if not ranges:
            yield
            return
        first, *rest = ranges
        for index in range(self.value(first.low), self.value(first.high)):
            self.indices[first.name] = index
            yield from self._each(rest)

    def _assign(self, statement: Assign) -> None:
        value = self.value(statement.value)
        array = self.arrays[statement.port]
        place = self._place(statement.port, statement.subscripts[statement.around :])
        kind = statement.value.type
        if statement.accumulate:
            before = array[place] if place in self.written[statement.port] else array.dtype.type(0)
            exact = is_exact(kind) and isinstance(kind, ElementType)
            value = operated("+", [from_stored(before, kind), value], kind) if exact else _binary("+", before, value)
        array[place] = value.stored if isinstance(value, Exact) else value
        self.written[statement.port].add(place)

    def _place(self, port: str, subscripts: Sequence[Expr]) -> tuple[int, ...]:
        place = tuple(int(self.value(subscript)) for subscript in subscripts)
        if not _inside(place, self.arrays[port].shape):
            raise Refused("subscript-out-of-range")
        return place

    def value(self, node: Expr) -> Any:  # noqa: C901, PLR0911, PLR0912  one case for each node
        match node:
            case Constant():
                if isinstance(node.type, ElementType) and is_exact(node.type):
                    return from_stored(int(node.value), node.type)
                return node.value if isinstance(node.type, Weak) else dtype_of(node.type).type(node.value)
            case Index():
                return self.indices[node.name]
            case Read():
                place = self._place(node.port, node.subscripts[node.around :])
                if place not in self.written.get(node.port, {place}):
                    raise Refused("read-before-write")
                found = self.arrays[node.port][place]
                assert isinstance(node.type, ElementType)
                return from_stored(found, node.type) if is_exact(node.type) else found
            case Select():
                return self.value(node.then if self.value(node.condition) else node.otherwise)
            case Convert():
                value = self.value(node.operand)
                if isinstance(value, Exact) or is_exact(node.type):
                    return converted(value, node.type)
                return _convert(value, node.type)
            case Function() | Operation() if any(is_exact(part.type) for part in (node, *operands_of(node))):
                return self._exact(node)
            case Function(name="sat"):
                return _saturated(self.value(node.arguments[0]), node.type)
            case Function():
                return _function(node.name, [self.value(argument) for argument in node.arguments])
            case Operation(operator="and"):
                return self.value(node.operands[0]) and self.value(node.operands[1])
            case Operation(operator="or"):
                return self.value(node.operands[0]) or self.value(node.operands[1])
            case Operation(operands=(operand,)):
                return _unary(node.operator, self.value(operand))
            case Operation(operands=(left, right)):
                return _binary(node.operator, self.value(left), self.value(right))
        raise AssertionError(node)

    def _exact(self, node: Function | Operation) -> Any:
        if isinstance(node, Operation):
            return operated(node.operator, [self.value(operand) for operand in node.operands], node.type)
        values = [self.value(argument) for argument in node.arguments]
        assert isinstance(node.type, ElementType)
        return applied(node.name, values, node.type)


def _wrapped(value: int, like: Any) -> Any:
    """An exact integer in the type of `like`, around its range."""
    if not isinstance(like, np.integer):
        return value
    bits = 8 * like.dtype.itemsize
    value %= 1 << bits
    if like.dtype.kind == "i" and value >= 1 << (bits - 1):
        value -= 1 << bits
    return like.dtype.type(value)


_COMPARISONS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt}
_INTEGERS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
_BITS = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_REALS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": np.true_divide}


def _binary(sign: str, a: Any, b: Any) -> Any:  # noqa: PLR0911
    if sign in _COMPARISONS:
        return bool(_COMPARISONS[sign](a, b))
    if sign == ">=":
        return bool(a >= b)
    if sign in _BITS:
        return _BITS[sign](a, b) if isinstance(a, (bool, np.bool_)) else _wrapped(_BITS[sign](int(a), int(b)), a)
    if isinstance(a, (int, np.integer)) and isinstance(b, (int, np.integer)):
        if sign in ("//", "%") and b == 0:
            raise Refused("division-by-zero")
        bits = 8 * a.dtype.itemsize if isinstance(a, np.integer) else 64
        if sign in ("<<", ">>") and not 0 <= b < bits:
            raise Refused("shift-out-of-range")
        return _wrapped(_INTEGERS[sign](int(a), int(b)), a)
    if isinstance(a, np.complexfloating):
        return _complex(sign, a, b)
    if sign in ("//", "%"):
        return (np.floor_divide if sign == "//" else np.remainder)(a, b)
    return _REALS[sign](a, b)


def _complex(sign: str, x: Any, y: Any) -> Any:
    a, b, c, d = x.real, x.imag, y.real, y.imag
    norm = c * c + d * d
    parts = {
        "+": lambda: (a + c, b + d),
        "-": lambda: (a - c, b - d),
        "*": lambda: (a * c - b * d, a * d + b * c),
        "/": lambda: ((a * c + b * d) / norm, (b * c - a * d) / norm),
    }[sign]()
    result = np.zeros((), x.dtype)
    result.real, result.imag = parts
    return result[()]


def _unary(sign: str, a: Any) -> Any:
    if sign == "not" or (sign == "~" and isinstance(a, (bool, np.bool_))):
        return not a
    if isinstance(a, (int, np.integer)):
        return _wrapped(-int(a) if sign == "-" else ~int(a), a)
    return -a


def _convert(value: Any, target: ElementType) -> Any:
    dtype = dtype_of(target)
    if target is ElementType.BOOL:
        return dtype.type(value != 0)
    if not target.is_integer:
        return dtype.type(value) if not isinstance(value, np.integer) else value.astype(dtype)
    low, high = target.integer_range
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value) or not low <= math.trunc(float(value)) <= high:
            raise Refused("conversion-out-of-range")
        return dtype.type(math.trunc(float(value)))
    if isinstance(value, int) and not isinstance(value, bool) and not low <= value <= high:
        raise Refused("constant-does-not-fit")
    return _wrapped(int(value), dtype.type(0))


def _saturated(value: Any, target: ValueType) -> Any:
    assert isinstance(target, ElementType)
    low, high = target.integer_range
    if math.isnan(value):
        raise Refused("conversion-out-of-range")
    whole = int(value) if math.isfinite(value) else (high if value > 0 else low)
    return dtype_of(target).type(min(max(whole, low), high))


def _rounded(value: Any, bits: int) -> Any:
    """The exact fraction, rounded, in the type of the float."""
    if not isinstance(value, (float, np.floating)) or not math.isfinite(value):
        return value
    nearest = Fraction(math.floor(Fraction(float(value)) * 2**bits + Fraction(1, 2)), 2**bits)
    return type(value)(float(nearest))


def _function(name: str, values: list[Any]) -> Any:  # noqa: PLR0911  one case for each function
    if name == "round":
        return _rounded(*values)
    if name in ("real", "imag", "conj"):
        return values[0].conjugate() if name == "conj" else getattr(values[0], name)
    if name in ("c64", "c128"):
        result = np.zeros((), name.replace("c64", "c8").replace("c128", "c16"))
        result.real, result.imag = values
        return result[()]
    if isinstance(values[0], int) and name in ("abs", "min", "max"):
        return abs(values[0]) if name == "abs" else (min if name == "min" else max)(values)
    if isinstance(values[0], np.integer):
        exact = [int(value) for value in values]
        return _wrapped(abs(exact[0]) if name == "abs" else (min if name == "min" else max)(exact), values[0])
    if name == "abs" and isinstance(values[0], np.complexfloating):
        return np.sqrt(values[0].real * values[0].real + values[0].imag * values[0].imag)
    if name not in ("min", "max"):
        return getattr(np, name)(values[0])
    result = values[0]
    for value in values[1:]:
        result = (np.minimum if name == "min" else np.maximum)(result, value)
    return result
