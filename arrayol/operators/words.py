"""Functions of f32 that the language defines to the bit: operations on words without a sign, of at most 64 bits.

A definition is written once, for whatever computes with words: arrays of NumPy (`ArrayWords`), statements of C
(`CWords`), or a circuit (`hwmodel/emit/verilog/datapaths/floats/words.py`). So all of them give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar


class Word(Protocol):
    """A number from 0 to 2**width - 1."""

    @property
    def width(self) -> int: ...


W = TypeVar("W", bound=Word)


class Words(Protocol[W]):
    """Operations on words; results of so many bits are modulo 2**width, and an operand may be narrower."""

    def constant(self, width: int, value: int) -> W:
        """A constant."""

    def bits(self, word: W, high: int, low: int) -> W:
        """The bits of a word from `low` to `high`."""

    def joined(self, high: W, low: W) -> W:
        """Two words side by side."""

    def total(self, width: int, left: W, right: W) -> W:
        """The sum."""

    def difference(self, width: int, left: W, right: W) -> W:
        """The difference."""

    def product(self, left: W, right: W) -> W:
        """The whole product, of the bits of both operands together."""

    def chosen(self, condition: W, yes: W, no: W) -> W:
        """One of two words of the same bits."""

    def is_below(self, left: W, right: W) -> W:
        """Whether the first word is the lesser: 1 or 0."""

    def moved_right(self, word: W, amount: W) -> W:
        """The word without so many of its low bits; 0 where the amount is its width or more."""

    def normalised(self, word: W) -> tuple[W, W]:
        """The word moved left until its highest bit is set, and how far; of 0 the second is any amount."""

    def entry(self, width: int, table: Sequence[int], index: W) -> W:
        """The entry of a table of 2**index.width numbers."""


Definition = Callable[[Words[Any], Any], Any]  # from the word of an f32 to that of the result


@dataclass(frozen=True, slots=True)
class ArrayWord:
    """Words in an array of uint64."""

    values: Any
    width: int


@dataclass(frozen=True, slots=True)
class ArrayWords:
    """Words in arrays, by NumPy's module."""

    numpy: Any

    def _kept(self, width: int, values: Any) -> ArrayWord:
        return ArrayWord(values & self.numpy.uint64((1 << width) - 1), width)

    def constant(self, width: int, value: int) -> ArrayWord:
        return ArrayWord(self.numpy.uint64(value), width)

    def bits(self, word: ArrayWord, high: int, low: int) -> ArrayWord:
        return self._kept(high - low + 1, word.values >> self.numpy.uint64(low))

    def joined(self, high: ArrayWord, low: ArrayWord) -> ArrayWord:
        return ArrayWord(high.values << self.numpy.uint64(low.width) | low.values, high.width + low.width)

    def total(self, width: int, left: ArrayWord, right: ArrayWord) -> ArrayWord:
        return self._kept(width, left.values + right.values)

    def difference(self, width: int, left: ArrayWord, right: ArrayWord) -> ArrayWord:
        return self._kept(width, self.numpy.subtract(left.values, right.values))

    def product(self, left: ArrayWord, right: ArrayWord) -> ArrayWord:
        return ArrayWord(left.values * right.values, left.width + right.width)

    def chosen(self, condition: ArrayWord, yes: ArrayWord, no: ArrayWord) -> ArrayWord:
        return ArrayWord(self.numpy.where(condition.values, yes.values, no.values), yes.width)

    def is_below(self, left: ArrayWord, right: ArrayWord) -> ArrayWord:
        return ArrayWord((left.values < right.values).astype("u8"), 1)

    def moved_right(self, word: ArrayWord, amount: ArrayWord) -> ArrayWord:
        return ArrayWord(word.values >> self.numpy.minimum(amount.values, self.numpy.uint64(word.width)), word.width)

    def normalised(self, word: ArrayWord) -> tuple[ArrayWord, ArrayWord]:
        values, places = word.values, self.numpy.uint64(0)
        for step in steps_of(word.width):
            empty = values >> self.numpy.uint64(word.width - step) == 0
            values = self.numpy.where(empty, values << self.numpy.uint64(step), values)
            places = places * self.numpy.uint64(2) + empty.astype("u8")
        return self._kept(word.width, values), ArrayWord(places, len(steps_of(word.width)))

    def entry(self, width: int, table: Sequence[int], index: ArrayWord) -> ArrayWord:
        return ArrayWord(self.numpy.array(table, "u8")[index.values], width)


def steps_of(width: int) -> tuple[int, ...]:
    """The powers of two by which a word of so many bits is moved to normalise it, the greatest first."""
    return tuple(1 << power for power in reversed(range((width - 1).bit_length())))


@dataclass(frozen=True, slots=True)
class CWord:
    """A word in a variable of C, or a constant."""

    text: str
    width: int


@dataclass(slots=True)
class CWords:
    """Words in variables of type uint64_t, and the statements that set them."""

    lines: list[str] = field(default_factory=list)

    def _set(self, width: int, text: str, *, cut: bool = True) -> CWord:
        name = f"v{len(self.lines)}"
        value = f"({text}) & {_constant((1 << width) - 1)}" if cut and width < 64 else text
        self.lines.append(f"const uint64_t {name} = {value};")
        return CWord(name, width)

    def constant(self, width: int, value: int) -> CWord:
        return CWord(_constant(value), width)

    def bits(self, word: CWord, high: int, low: int) -> CWord:
        return self._set(high - low + 1, f"{word.text} >> {low}" if low else word.text, cut=high < word.width - 1)

    def joined(self, high: CWord, low: CWord) -> CWord:
        return self._set(high.width + low.width, f"{high.text} << {low.width} | {low.text}", cut=False)

    def total(self, width: int, left: CWord, right: CWord) -> CWord:
        return self._set(width, f"{left.text} + {right.text}")

    def difference(self, width: int, left: CWord, right: CWord) -> CWord:
        return self._set(width, f"{left.text} - {right.text}")

    def product(self, left: CWord, right: CWord) -> CWord:
        return self._set(left.width + right.width, f"{left.text} * {right.text}", cut=False)

    def chosen(self, condition: CWord, yes: CWord, no: CWord) -> CWord:
        return self._set(yes.width, f"{condition.text} ? {yes.text} : {no.text}", cut=False)

    def is_below(self, left: CWord, right: CWord) -> CWord:
        return self._set(1, f"{left.text} < {right.text}", cut=False)

    def moved_right(self, word: CWord, amount: CWord) -> CWord:
        return self._set(
            word.width, f"{amount.text} < {word.width} ? {word.text} >> {amount.text} : UINT64_C(0)", cut=False
        )

    def normalised(self, word: CWord) -> tuple[CWord, CWord]:
        width, places = word.width, ""
        for step in steps_of(width):
            empty = self._set(1, f"{word.text} >> {width - step} == 0", cut=False)
            word = self._set(width, f"{word.text} << {empty.text} * {step}")
            places = f"({places}) << 1 | {empty.text}" if places else empty.text
        return word, self._set(len(steps_of(width)), places, cut=False)

    def entry(self, width: int, table: Sequence[int], index: CWord) -> CWord:
        name = f"table{len(self.lines)}"
        self.lines.append(f"static const uint64_t {name}[{len(table)}] = {{{', '.join(map(_constant, table))}}};")
        return self._set(width, f"{name}[{index.text}]", cut=False)


def _constant(value: int) -> str:
    return f"UINT64_C({value:#x})"


def on_arrays(definition: Definition, numpy: Any) -> Callable[[Any], Any]:
    """A function of arrays of f32, by its definition."""

    def apply(values: Any) -> Any:
        words = numpy.ascontiguousarray(values, "f4").view("u4").astype("u8")
        with numpy.errstate(over="ignore"):  # differences of scalars are modulo 2**64, as those of arrays are
            result = definition(ArrayWords(numpy), ArrayWord(words, 32))
        return numpy.asarray(result.values).astype("u4").view("f4").reshape(numpy.shape(values))

    return apply


def in_c(definition: Definition) -> list[str]:
    """The statements of a function of C that returns it of a float `a`."""
    words = CWords()
    result = definition(words, CWord("word", 32))
    return [
        "uint32_t bits;",
        "memcpy(&bits, &a, sizeof bits);",
        "const uint64_t word = bits;",
        *words.lines,
        f"bits = (uint32_t){result.text};",
        "float result;",
        "memcpy(&result, &bits, sizeof result);",
        "return result;",
    ]
