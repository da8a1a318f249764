"""Which bits of integer nodes take logic: those that something needs, and that are not the bits of an operand.

What only wires take that drop bits needs no more than these leave; sums, products and bit operations need no higher
bits of their operands than something needs of them. And where an operand of a sum ends in zeros, the other's low bits
are those of the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hwmodel.datapath.graph.numbers import Number

SHIFT, RESIZE, CONSTANT = "shift", "resize", "constant"
_RING = frozenset({"add", "sub", "neg", "mul", "mulc", "shl"})  # no bit depends on higher ones of the operands
_BITWISE = frozenset({"and", "or", "xor", "not"})
_PARTIAL = _RING | _BITWISE | {SHIFT, RESIZE, "mux"}  # of which some bits may need some bits of the operands only

Range = tuple[int, int]  # bits from the first to before the last


def needed_ranges(
    operators: Sequence[str],
    operands: Sequence[tuple[int, ...]],
    numbers: Sequence[Number],
    details: Sequence[object],
    outputs: Sequence[int],
) -> list[Range]:
    """For each node the bits that something needs."""
    if SHIFT not in operators and RESIZE not in operators:
        return [(0, number.bits) for number in numbers]
    bits = [number.bits for number in numbers]
    low, high = list(bits), [0] * len(numbers)
    for node in outputs:
        low[node], high[node] = 0, bits[node]
    known: dict[tuple[object, ...], list[Range]] = {}  # what equal nodes take of their operands
    codes = [id(number) for number in numbers]
    for node in range(len(numbers) - 1, -1, -1):
        own, operator = operands[node], operators[node]
        if operator not in _PARTIAL:
            for operand in own:
                low[operand], high[operand] = 0, bits[operand]
            continue
        detail = details[node] if operator == SHIFT else None
        key = (operator, low[node], high[node], detail, *map(codes.__getitem__, own))
        ranges = known.get(key)
        if ranges is None:
            wanted = low[node], high[node]
            ranges = known[key] = [
                _taken(operator, position, detail, wanted, numbers[operand]) for position, operand in enumerate(own)
            ]
        for operand, (first, last) in zip(own, ranges, strict=True):
            if first < low[operand]:  # noqa: PLR1730  a call takes longer, and there are many operands
                low[operand] = first
            if last > high[operand]:  # noqa: PLR1730
                high[operand] = last
    return [(min(first, last), last) for first, last in zip(low, high, strict=True)]


def _taken(operator: str, position: int, detail: object, needed: Range, number: Number) -> Range:
    """The bits of an operand that a node takes of which some are needed."""
    if operator in _RING and not (operator == "shl" and position):
        return 0, min(number.bits, max(1, needed[1]))
    if operator in (SHIFT, RESIZE) or operator in _BITWISE or (operator == "mux" and position):
        distance = detail if operator == SHIFT and isinstance(detail, int) else 0
        first, last = needed[0] - distance, max(1, needed[1] - distance)
        if last > number.bits and number.is_signed:
            last = number.bits  # the sign is repeated
        last = min(last, number.bits)
        return min(max(0, first), last - 1), last
    return 0, number.bits


def zeros_at_the_end(operator: str, detail: object, inner: Callable[[], int]) -> int:
    """How many of its low bits are always zero, of a node; `inner` says that of its first operand."""
    if operator == CONSTANT and isinstance(detail, int):
        return (detail & -detail).bit_length() - 1 if detail else 64
    if operator == SHIFT and isinstance(detail, int):
        return detail + inner() if detail > 0 else max(0, inner() + detail)
    if operator == "mulc" and isinstance(detail, int):
        return (detail & -detail).bit_length() - 1 + inner()
    return 0


def logic_bits(operator: str, needed: Range, operands: Sequence[Number], zeros: Sequence[int]) -> int:
    """The bits of a sum or a bit operation that take logic; `zeros` are those at the operands' ends."""
    passed = zeros[-1] if operator in ("sub", "neg", "not") else max(zeros)
    last = needed[1]
    if operator in _BITWISE:
        passed = max(passed, needed[0])
        narrow = [number.bits for number in operands if not number.is_signed]
        last = min([last, *narrow])
    return max(0, last - passed)
