"""PolyBench's 30 kernels in C: gcc's program and the specification that is imported from it agree to the last bit."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from many_cases import draws_all_cases
from numpy.typing import NDArray

from arrayol import api
from arrayol.c_import.plans import Stage

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.c"))
GOLDEN = Path(__file__).parent.parent / "golden" / "import.txt"
GCC = ("gcc", "-O2", "-std=c99", "-ffp-contract=off", "-Wno-unknown-pragmas", "-Wall", "-Werror", "-shared", "-fPIC")
TYPES = {"double": ("f8", ctypes.c_double), "float": ("f4", ctypes.c_float), "int": ("i4", ctypes.c_int)}
SIGNATURE = re.compile(r"^void (\w+)\(([^)]*)\)", re.MULTILINE)
PARAMETER = re.compile(r"(\w+) (\w+)((?:\[\w+\])*)")

Arrays = dict[str, NDArray[Any]]


def test_there_are_30() -> None:
    assert len(KERNELS) == 30


def parameters(path: Path, sizes: dict[str, Any]) -> tuple[str, dict[str, tuple[str, tuple[int, ...]]]]:
    """The function of a file, and its parameters: type of C and shape."""
    found = SIGNATURE.search(path.read_text(encoding="utf-8"))
    assert found
    known = {
        name: (kind, tuple(int(sizes[one]) for one in re.findall(r"\w+", dims)))
        for kind, name, dims in PARAMETER.findall(found[2])
    }
    return found[1], known


def data(kinds: dict[str, tuple[str, tuple[int, ...]]]) -> Arrays:
    """Numbers of a size at which nothing overflows; square matrices have large diagonals, so that they have factors."""
    rng = np.random.default_rng(7)
    found: Arrays = {}
    for name, (kind, shape) in kinds.items():
        if kind == "int":
            found[name] = rng.integers(0, 4 if len(shape) == 1 else 100, shape, np.int32)
            continue
        values = rng.uniform(0.1, 0.9, shape)
        if len(shape) == 2 and shape[0] == shape[1]:
            values = (values + values.T) / 2 + shape[0] * np.eye(shape[0])
        found[name] = np.asarray(values, TYPES[kind][0])
    return found


def run_c(path: Path, name: str, kinds: dict[str, tuple[str, tuple[int, ...]]], arrays: Arrays, folder: Path) -> None:
    """The function as gcc makes it, on these arrays, in place."""
    library = folder / f"{path.stem}.so"
    subprocess.run([*GCC, str(path), "-o", str(library), "-lm"], check=True)
    arguments = [
        array.ctypes.data_as(ctypes.c_void_p) if array.ndim else TYPES[kinds[port][0]][1](array.item())
        for port, array in arrays.items()
    ]
    getattr(ctypes.CDLL(str(library)), name)(*arguments)


def run_spec(spec: api.Spec, name: str, arrays: Arrays) -> Arrays:
    """What the specification makes of them: it has an array before the function as NAME_in where it is written too."""
    ports = [port.name for port in spec.tasks[name].inputs if port.name not in spec.tables]
    return api.run(spec, {port: arrays[port.removesuffix("_in")] for port in ports}, top=name)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_gcc_agrees_to_the_bit(path: Path, tmp_path: Path) -> None:
    spec = api.import_c(path).spec
    function, kinds = parameters(path, dict(spec.constants))
    arrays = data(kinds)
    before = {name: array.copy() for name, array in arrays.items()}
    found = run_spec(spec, function, arrays)
    run_c(path, function, kinds, arrays, tmp_path)
    changed = {name for name, array in arrays.items() if array.tobytes() != before[name].tobytes()}
    assert changed
    assert changed <= found.keys()
    for name, array in found.items():
        assert array.tobytes() == arrays[name].tobytes(), name


def test_decisions_hold_at_all_sizes() -> None:
    """Another size changes the const and nothing else, so `--set` may come later too."""
    for path in KERNELS[:: 1 if draws_all_cases() else 4]:
        imported = api.import_c(path)
        sizes = {name: value + 3 for name, value in imported.spec.constants.items() if isinstance(value, int)}
        text = imported.text
        for name, value in sizes.items():
            text = re.sub(rf"^const {name} = .*$", f"const {name} = {value}", text, count=1, flags=re.MULTILINE)
        assert api.import_c(path, sizes).text == text


def test_how_each_is_expressed(golden: Callable[[Path, str], None]) -> None:
    """A line for each kernel: its repetitions, those with delays, its loops in time, and what stays in a body."""
    golden(GOLDEN, "".join(f"{path.stem}: {_described(api.import_c(path).stages)}\n" for path in KERNELS))


def _described(stages: tuple[Stage, ...]) -> str:
    counts = Counter("repetition with delays" if one.delays else "repetition" for one in stages if one.axes)
    parts = [f"{count} x {kind}" for kind, count in sorted(counts.items())]
    parts += [f"a loop in time of {_described(one.steps)}" for one in stages if one.steps]
    loops = [one for one in stages if one.is_body and any(statement.loops for statement in one.statements)]
    parts += [f"a body of lines {one.lines[0]} to {one.lines[-1]}" for one in loops]
    parts += ["a body without loops"] * any(one.is_body and one not in loops for one in stages)
    return ", ".join(parts)
