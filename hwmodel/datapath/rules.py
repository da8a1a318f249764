"""Rules over several keys of a platform's entries and costs, on the document as it was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from pydantic.config import JsonDict

from arrayol.language.syntax.diagnose import did_you_mean
from hwmodel.datapath.technology.rows import COSTS
from hwmodel.figures import MODEL_FIGURES
from hwmodel.toml_model import BrokenRule, KeyPath, shown_path

FIGURES = frozenset(  # what every design has, and how results call where it goes: no cost may be called so
    {
        *MODEL_FIGURES,
        *("energy_pj", "cycles", "memory_bits", "memory_data", "live_bits", "addressed_bits"),
    }
)
COST_NAMES: JsonDict = {  # `_broken_costs` for JSON Schema
    "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "not": {"enum": [*sorted(FIGURES)]}}
}


def broken_entries(values: Mapping[str, Any]) -> Iterator[BrokenRule]:
    """The rules that a platform file's tables of datapaths and costs break; `values` may contain other mistakes."""
    elementary, bits = values.get("elementary"), values.get("cost")
    yield from _broken_costs(elementary, bits)
    yield from _unknown_bit_costs(elementary, bits, derived="technology" in values)
    yield from _too_slow(elementary, values.get("clock_mhz"))
    yield from _measured_twice(elementary)


def _tables(elementary: object) -> Iterator[tuple[KeyPath, Mapping[Any, Any]]]:
    """The tables of elementaries, each followed by those of its measurements."""
    for name, entry in elementary.items() if isinstance(elementary, Mapping) else ():
        if isinstance(entry, Mapping):
            yield ("elementary", str(name)), entry
            measured = entry.get("measured")
            for number, one in enumerate(measured if isinstance(measured, list | tuple) else ()):
                if isinstance(one, Mapping):
                    yield ("elementary", str(name), "measured", str(number)), one


def _tables_of_costs(elementary: object, bits: object) -> Iterator[tuple[KeyPath, Mapping[Any, Any]]]:
    for path, table in _tables(elementary):
        if isinstance(table.get("cost"), Mapping):
            yield (*path, "cost"), table["cost"]
    if isinstance(bits, Mapping):
        yield from ((("cost", str(key)), cost) for key, cost in bits.items() if isinstance(cost, Mapping))


def _broken_costs(elementary: object, bits: object) -> Iterator[BrokenRule]:
    """Costs with invalid names: each must be an identifier, and not the name of a figure.

    Both costs and figures occur in bounds and objectives.
    """
    for table, cost in _tables_of_costs(elementary, bits):
        for word in cost:
            place, what = (*table, word), f"'{shown_path(table)}' has the name {word!r}"
            if word in FIGURES:
                yield BrokenRule("bad-value", place, f"{what}, which is a figure of every design", "take another name")
            elif not (word.isascii() and word.isidentifier()):
                hint = "take letters, digits and _, as in lut or dsp"
                yield BrokenRule("bad-value", place, f"{what}, which is no name", hint)


def _unknown_bit_costs(elementary: object, bits: object, *, derived: bool) -> Iterator[BrokenRule]:
    """Costs of bits that no elementary has, given or derived: a cost of bits is added to that of units."""
    known = dict.fromkeys(word for _, cost in _tables_of_costs(elementary, None) for word in cost)
    known |= dict.fromkeys(COSTS if derived else ())
    for key, rates in bits.items() if isinstance(bits, Mapping) else ():
        for word in rates if isinstance(rates, Mapping) else ():
            if word not in known and word not in FIGURES and str(word).isidentifier():
                message = f"'cost.{key}' has the cost {word!r}, which no elementary has"
                hint = did_you_mean(word, known) or f"costs of elementaries: {', '.join(known) or 'none'}"
                yield BrokenRule("bad-value", ("cost", key, word), message, hint)


def _too_slow(elementary: object, clock_mhz: object) -> Iterator[BrokenRule]:
    for path, table in _tables(elementary):
        reached = table.get("clock_mhz")
        if _is_number(reached) and _is_number(clock_mhz) and 0 < reached < clock_mhz:
            place = (*path, "clock_mhz")
            message = f"'{shown_path(place)}' is {reached:g}, and the platform's clock is {clock_mhz:g}"
            hint = "lower the platform's clock_mhz, or give the figures of a datapath that reaches it"
            yield BrokenRule("bad-value", place, message, hint)


def _measured_twice(elementary: object) -> Iterator[BrokenRule]:
    seen: set[tuple[KeyPath, Any]] = set()
    for path, table in _tables(elementary):
        interval = table.get("interval")
        if len(path) == 2 or not isinstance(interval, int):
            continue
        if (path[:-1], interval) in seen:
            message = f"'{shown_path(path[:-1])}' has the interval {interval} twice"
            yield BrokenRule("bad-value", path, message, "keep one of the two")
        seen.add((path[:-1], interval))


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
