"""Functions that the language defines on words (arrayol/operators/words.py) as circuits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arrayol.operators.words import Definition
from hwmodel.datapath.operators.nets import literal
from hwmodel.emit.verilog.datapaths.floats.arithmetic import product
from hwmodel.emit.verilog.datapaths.floats.formats import Format, normalised
from hwmodel.emit.verilog.datapaths.floats.netlist import LUT, Circuit, Value, adder


@dataclass(frozen=True, slots=True)
class Constant:
    """A word that is no wire, and so waits for nothing."""

    width: int
    value: int


@dataclass(frozen=True, slots=True)
class CircuitWords:
    """Words on the wires of a circuit."""

    circuit: Circuit

    def _let(self, width: int, text: str, *words: Value | Constant, ns: float = LUT) -> Value:
        values = [word for word in words if isinstance(word, Value)]
        places = [
            f"{{{values.index(word)}}}" if isinstance(word, Value) else literal(word.value, word.width)
            for word in words
        ]
        return self.circuit.let(width, text.format(*places), *values, ns=ns)

    def constant(self, width: int, value: int) -> Constant:
        return Constant(width, value)

    def bits(self, word: Value, high: int, low: int) -> Value:
        return self.circuit.bits(word, high, low)

    def joined(self, high: Value | Constant, low: Value | Constant) -> Value:
        return self._let(high.width + low.width, "{{{{{0}, {1}}}}}", high, low, ns=0.0)

    def total(self, width: int, left: Value | Constant, right: Value | Constant) -> Value:
        return self._let(width, "{0} + {1}", left, right, ns=adder(width))

    def difference(self, width: int, left: Value | Constant, right: Value | Constant) -> Value:
        return self._let(width, "{0} - {1}", left, right, ns=adder(width))

    def product(self, left: Value, right: Value | Constant) -> Value:
        wire = (
            right
            if isinstance(right, Value)
            else self._let(right.width, literal(right.value, right.width), left, ns=0.0)
        )
        return product(self.circuit, left, wire)

    def chosen(self, condition: Value, yes: Value | Constant, no: Value | Constant) -> Value:
        return self._let(yes.width, "{0} ? {1} : {2}", condition, yes, no)

    def is_below(self, left: Value | Constant, right: Value | Constant) -> Value:
        return self._let(1, "{0} < {1}", left, right, ns=adder(max(left.width, right.width)))

    def moved_right(self, word: Value, amount: Value) -> Value:
        for power in reversed(range(amount.width)):
            moved = f"{{1}} >> {1 << power}" if 1 << power < word.width else f"{word.width}'d0"
            word = self._let(word.width, f"{{0}}[{power}] ? {moved} : {{1}}", amount, word)
        return word

    def normalised(self, word: Value) -> tuple[Value, Value]:
        return normalised(self.circuit, word)

    def entry(self, width: int, table: Sequence[int], index: Value) -> Value:
        return self.circuit.entry(width, table, index, ns=LUT * 2)


def defined(circuit: Circuit, form: Format, *, definition: Definition) -> None:
    """A function by its definition."""
    circuit.result(definition(CircuitWords(circuit), circuit.operand("a", form.width)))
