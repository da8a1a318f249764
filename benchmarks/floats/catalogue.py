"""Which operators are measured, at how many stages, and what NumPy says that each gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arrayol.operators.registry import FUNCTIONS
from hwmodel.emit.verilog.datapaths.floats import arithmetic, comparisons, conversions, digits
from hwmodel.emit.verilog.datapaths.floats.formats import F32, F64, Format
from hwmodel.emit.verilog.datapaths.floats.netlist import Circuit, shortest_periods
from hwmodel.emit.verilog.datapaths.floats.words import defined

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Entry:
    """An operator of a technology table.

    `stages`: the pipelines that are measured, by their register stages; `steps`: digits a cycle of the forms that are
    not pipelined. Without both it is measured combinational. `bits` of the integer of a conversion.
    """

    key: str
    form: Format
    printer: Callable[..., None]
    reference: Callable[..., Array]
    stages: Sequence[int] = ()
    steps: Sequence[int] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    bits: int | None = None
    integer_operand: bool = False

    @property
    def name(self) -> str:
        exponent = self.options.get("exponent", -1)
        return f"{self.key}.{self.bits}" if self.bits else self.key if exponent == -1 else f"{self.key}.{exponent:+}"

    def circuit(self, period: float, steps: int = 0) -> Circuit:
        """The operator cut for a period in ns."""
        circuit = Circuit("op", period)
        options = {**self.options, **({"steps": steps} if steps else {}), **({"bits": self.bits} if self.bits else {})}
        self.printer(circuit, self.form, **options)
        return circuit

    def pipelines(self) -> dict[int, Circuit]:
        """For each number of stages that is wanted the pipeline of the shortest period."""
        periods = shortest_periods(self.circuit)
        return {cycles: self.circuit(period) for cycles, period in periods.items() if cycles in self.stages}


STEP = 4.9  # ns of one digit of a recurrence
_DEFINED = {"exp": (3, 7, 14, 17), "log": (5, 15)}  # functions of f32, with their stages


def _float_entries(form: Format, dtype: str) -> list[Entry]:
    name = form.name
    small = form is F32
    kind = np.dtype(dtype).type
    return [
        Entry(f"lt.{name}", form, comparisons.lt, np.less),
        Entry(f"eq.{name}", form, comparisons.eq, np.equal),
        Entry(f"min.{name}", form, comparisons.least, np.minimum),
        Entry(f"max.{name}", form, comparisons.least, np.maximum, options={"largest": True}),
        Entry(f"fpos0.{name}", form, comparisons.positive_zero, lambda x: x + kind(0)),
        Entry(f"fscale.{name}", form, comparisons.scale, lambda x: x * kind(0.5), options={"exponent": -1}),
        Entry(f"add.{name}", form, arithmetic.add, np.add, (1, 2, 3, 4, 5, 6, 7, 8) if small else (3, 4, 6, 8)),
        Entry(
            f"mul.{name}",
            form,
            arithmetic.mul,
            np.multiply,
            (1, 2, 3, 4, 5, 6, 7, 8, 9) if small else (4, 5, 6, 7, 10, 12),
        ),
        Entry(
            f"div.{name}",
            form,
            digits.div,
            np.divide,
            (6, 8, 9, 12, 14, 18, 24) if small else (),
            () if small else (1, 2, 3),
        ),
        Entry(
            f"sqrt.{name}",
            form,
            digits.sqrt,
            np.sqrt,
            (6, 8, 11, 14, 16, 19) if small else (),
            () if small else (1, 2, 3),
        ),
        Entry(f"floor.{name}", form, comparisons.floor, np.floor),
        Entry(f"ceil.{name}", form, comparisons.floor, np.ceil, options={"up": True}),
        _other_format(form),
        *(_from_integer(form, dtype, bits) for bits in (8, 16, 32)),
        *(_to_integer(form, bits) for bits in (8, 16, 32)),
    ]


def _from_integer(form: Format, dtype: str, bits: int) -> Entry:
    read, name = _read(bits, dtype), f"cvt.i.{form.name}"
    return Entry(name, form, conversions.from_integer, read, bits=bits, integer_operand=True)


def _to_integer(form: Format, bits: int) -> Entry:
    return Entry(f"cvt.{form.name}.i", form, conversions.to_integer, _cut(bits), bits=bits)


def _other_format(form: Format) -> Entry:
    if form is F32:
        return Entry("cvt.f32.f64", F32, conversions.widen, lambda x: x.astype("f8"), options={"wider": F64})
    return Entry("cvt.f64.f32", F64, conversions.narrow, lambda x: x.astype("f4"), options={"narrower": F32})


def _read(bits: int, dtype: str) -> Callable[[Array], Array]:
    shift = 64 - bits
    return lambda words: ((words << np.uint64(shift)).view("i8") >> shift).astype(dtype)


def _cut(bits: int) -> Callable[[Array], Array]:
    return lambda values: values.astype("i8").view("u8") & np.uint64((1 << bits) - 1)


def variants() -> list[Entry]:
    """Operators that datapaths have and nobody measures: other powers of two, integers of other widths."""
    scaled = [
        Entry(f"fscale.{form.name}", form, comparisons.scale, _scaled(exponent), options={"exponent": exponent})
        for form, most in ((F32, 149), (F64, 1074))
        for exponent in (-most, -60, -25, -24, -7, -2, 1, 2, 7, 22, 23, 60, most)
    ]
    converted = [
        entry
        for form, dtype in ((F32, "f4"), (F64, "f8"))
        for entry in (
            *(_from_integer(form, dtype, bits) for bits in (2, 9, 24, 25, 26, 33, 54, 64)),
            *(_to_integer(form, bits) for bits in (2, 17, 33, 64)),
        )
    ]
    return scaled + converted


def _scaled(exponent: int) -> Callable[[Array], Array]:
    return lambda values: np.ldexp(values, exponent)


def entries() -> list[Entry]:
    """All, those that most bodies need first. Division and root of f32 are tried digit by digit too."""
    found = _float_entries(F32, "f4") + _float_entries(F64, "f8")
    serial = [
        Entry("div.f32", F32, digits.div, np.divide, steps=(1, 2, 3)),
        Entry("sqrt.f32", F32, digits.sqrt, np.sqrt, steps=(1, 2, 3)),
    ]
    return [*found, *serial, *(_defined(name, stages) for name, stages in _DEFINED.items())]


def _defined(name: str, stages: Sequence[int]) -> Entry:
    """A function of f32 that the language defines; its reference is the definition on arrays."""
    function = FUNCTIONS[name]
    options = {"definition": function.single}
    return Entry(f"{name}.f32", F32, defined, function.arrays(np), stages, options=options)
