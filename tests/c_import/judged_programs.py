"""Whether a drawn program computes what gcc's program computes."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from beside_gcc import Arrays, compiled, first_difference
from drawn_expressions import ARRAYS, HEAD, SIZE, TYPES
from drawn_programs import Program

from arrayol.c_import.import_c import Choices, import_source
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile


def library_of(programs: Sequence[Program], folder: Path) -> ctypes.CDLL:
    """The programs, as gcc makes them."""
    return compiled(HEAD + "\n".join(one.text for one in programs), folder)


def problem_of(program: Program, library: ctypes.CDLL, seed: int) -> str | None:
    """What is wrong with the import of a program: refused, or other values than gcc's; None where nothing is."""
    try:
        imported = import_source(SourceFile("p.c", HEAD + program.text), Choices(function=program.name))
    except ArrayolError as refused:
        is_idle = {diagnostic.code for diagnostic in refused.diagnostics} == {"nothing-written"}  # its loops never run
        return None if is_idle else str(refused)
    states: Arrays = {}
    for name, extent, value in re.findall(r"static int (\w+)(\[\d+\])?(?: = (\d+))?;", program.text):
        states[name] = np.zeros(int(extent[1:-1]), "i4") if extent else np.array(int(value or 0), "i4")
    return first_difference(library, program.name, imported, arrays(seed), states)


def arrays(seed: int) -> Arrays:
    """Data for a drawn program, in the order of its parameters."""
    rng = np.random.default_rng(seed)
    data: Arrays = {}
    for name, kind in ARRAYS.items():
        code = TYPES[kind]
        values = rng.uniform(-5, 5, SIZE) if code[0] == "f" else rng.integers(-100 if code[0] == "i" else 0, 120, SIZE)
        data[name] = values.astype(code)
    data |= {"n0": np.array(7, "i4"), "n1": np.array(1.5, "f4")}
    data |= {"pairs": rng.integers(-50, 50, (SIZE, 2)).astype("i2"), "walk": rng.integers(-50, 50, SIZE).astype("i4")}
    data |= {f"out_{name}": rng.integers(0, 50, SIZE).astype(TYPES[kind]) for name, kind in ARRAYS.items()}
    data |= {"grid": rng.integers(-9, 9, (6, SIZE)).astype("i4"), "flat": rng.integers(-9, 9, 6 * SIZE).astype("i4")}
    return data
