"""Rows of a technology table from what was measured."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

PATH_NS = 1.03  # clock to q, set-up and one wire, as in the table
_BITS = r"\.(8|16|32)$"
Measured = Mapping[str, Sequence[Mapping[str, Any]]]

# Two operators that are one circuit, but for a sign or an operand that is known.
SAME = {"sub": "add", "mulc": "mul"}
# pJ in 45 nm: Horowitz's for add and mul of f32; of f64 four times a product, twice a sum (its area grows so); the
# others by their LUTs beside the adder's, and their multipliers beside the four of a product.
PJ = {"add.f32": "14*0.9", "mul.f32": "7*3.7", "add.f64": "14*1.8", "mul.f64": "7*14.8"}


BEGIN = "# Measured by benchmarks/float_operators.py, which writes these lines."
END = "# End of what is measured."


def written(table: str, measured: Measured) -> str:
    """A technology table with the rows between BEGIN and END made anew."""
    before, _, rest = table.partition(BEGIN)
    _, _, after = rest.partition(END)
    return "\n".join([before + BEGIN, *rows(measured), END + after])


MARKS = ("<!-- measured -->", "<!-- end -->")


def shown(page: str, measured: Measured) -> str:
    """A page with the table of all that was measured between its marks."""
    before, _, rest = page.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    return "\n".join([before + MARKS[0], *_markdown(measured), MARKS[1] + after])


def _markdown(measured: Measured) -> Iterator[str]:
    yield "| operator | stages | every | LUT | FF | DSP | MHz | placements |"
    yield "|---|---|---|---|---|---|---|---|"
    for name in sorted(measured, key=lambda name: (_order(re.sub(_BITS, "", name)), len(name), name)):
        title = re.sub(_BITS, " (\\1 bits)", name)
        for row in sorted(measured[name], key=lambda row: (row["every"] > 1, row["cycles"])):
            runs = ", ".join(f"{run:.0f}" for run in row.get("runs", [row["mhz"]]))  # of before placements were three
            cells = [row["cycles"], row["every"], row["lut"], row["ff"], row["dsp"], f"{row['mhz']:.0f}", runs]
            yield f"| {title} | " + " | ".join(str(cell) for cell in cells) + " |"


def rows(measured: Measured) -> Iterator[str]:
    """Lines of TOML, an operator after the other."""
    names = sorted({re.sub(_BITS, "", name) for name in measured}, key=_order)
    for name in names:
        operator, _, kind = name.partition(".")
        lines = _lines(name, measured)
        for key in [name, *(f"{same}.{kind}" for same, other in SAME.items() if other == operator)]:
            yield from _table(key, lines)


def _order(name: str) -> tuple[bool, int, str]:
    operators = (
        "add",
        "mul",
        "div",
        "sqrt",
        "lt",
        "eq",
        "min",
        "max",
        "fscale",
        "fpos0",
        "floor",
        "ceil",
        "exp",
        "log",
        "cvt",
    )
    return name.endswith("f64") or name == "cvt.f64.i", operators.index(name.split(".", maxsplit=1)[0]), name


def _table(key: str, lines: Sequence[str]) -> Iterator[str]:
    if len(lines) == 1:
        yield f'"{key}" = {lines[0]}'
        return
    yield f'"{key}" = ['
    yield from (f"  {line}," for line in lines)
    yield "]"


def _lines(name: str, measured: Measured) -> list[str]:
    if name not in measured:
        return [_fitted(name, measured)]
    found, pj = measured[name], f'"{_energy(name, measured)}"'
    first = found[0]
    if len(found) == 1:
        return [f"{{ ns = {_ns(first):.1f}, lut = {first['lut']}, pj = {pj} }}"]
    kept: list[str] = []
    for row in _pareto(found):
        time = f"ns = {_ns(row):.1f}" if row["cycles"] == 1 else f"cycles = {row['cycles']}"
        every = f", every = {row['every']}" if row["every"] > 1 else ""
        registers = f", ff = {row['ff']}" if row["cycles"] > 1 else ""
        dsp = f", dsp = {row['dsp']}" if row["dsp"] else ""
        kept.append(f"{{ max_mhz = {int(row['mhz'])}, {time}{every}, lut = {row['lut']}{registers}{dsp}, pj = {pj} }}")
    return kept


def _pareto(found: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows by their stages, each faster than those before; the pipelined ones where there are any."""
    kept: list[Mapping[str, Any]] = []
    for row in sorted((row for row in found if row["every"] == 1), key=lambda row: int(row["cycles"])) or sorted(
        found, key=lambda row: float(row["mhz"])
    ):
        if not kept or int(row["mhz"]) > int(kept[-1]["mhz"]):
            kept.append(row)
    return kept


def _ns(row: Mapping[str, Any]) -> float:
    return 1000 / float(row["mhz"]) - PATH_NS


def _energy(name: str, measured: Measured) -> str:
    """PJ of one operation.

    Of a recurrence all digits count: as the LUTs of the pipelined form in f32; f64 has (53/24)**2 times the work.
    """
    if name in PJ:
        return PJ[name]
    longer = 1.0
    if name in ("div.f64", "sqrt.f64"):
        name, longer = name.replace("64", "32"), (53 / 24) ** 2
    least = min((row for row in measured[name] if row["every"] == 1), key=lambda row: int(row["lut"]))
    multipliers = f" + 7*{3.7 * least['dsp'] / 4:.2g}" if least["dsp"] else ""
    return f"14*{0.9 * longer * least['lut'] / measured['add.f32'][0]['lut']:.2g}{multipliers}"


def _fitted(name: str, measured: Measured) -> str:
    """A line through an operator's widths: of the integer operand, or of the integer result."""
    variable = "a" if name.startswith("cvt.i.") else "n"
    widths = [8, 16, 32]
    found = [measured[f"{name}.{width}"][0] for width in widths]
    ns_slope, ns = np.polyfit(widths, [_ns(row) for row in found], 1)
    lut_slope, lut = np.polyfit(widths, [row["lut"] for row in found], 1)
    adder = measured["add.f32"][0]["lut"]
    luts = f"max({variable}, {lut_slope:.2f}*{variable} {'+' if lut > 0 else '-'} {abs(lut):.0f})"
    pj = f"14*{0.9 / adder:.2g}*{luts}"
    return f'{{ ns = "{ns:.1f} + {ns_slope:.3f}*{variable}", lut = "{luts}", pj = "{pj}" }}'
