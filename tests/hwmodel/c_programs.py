"""C that the tool writes, compiled by gcc and run on arrays."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.environment import DTYPES
from arrayol.ir.spec import Component, Spec
from hwmodel.emit.c.expressions import Helpers
from hwmodel.emit.c.names import Named
from hwmodel.emit.c.nest import c_file
from hwmodel.emit.c.tasks import Functions, sizes

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
WARNINGS += ["-Wno-type-limits"]  # a comparison that the range of a drawn type decides stays as it is written
GCC = ["gcc", "-std=c99", "-O2", "-ffp-contract=off", "-fwrapv", *WARNINGS, "-DWITH_MAIN"]
QUICK = [*GCC[:2], "-O1", *GCC[3:]]

Arrays = dict[str, NDArray[Any]]


class Stopped(Exception):  # noqa: N818
    """A C program that refused to go on, with its words."""


def run_c(text: str, component: Component, inputs: Mapping[str, NDArray[Any]], command: list[str] = GCC) -> Arrays:
    """The outputs of a C file for these inputs. Raises Stopped."""
    with TemporaryDirectory() as folder:
        source, program = Path(folder) / "program.c", Path(folder) / "program"
        source.write_text(text, encoding="utf-8")
        built = subprocess.run([*command, source, "-o", program, "-lm"], capture_output=True, text=True, check=False)
        assert built.returncode == 0, f"{built.stderr}\n{text}"
        data = b"".join(
            np.ascontiguousarray(inputs[port.name]).tobytes() for port in component.inputs if port.name in inputs
        )
        done = subprocess.run([program], input=data, capture_output=True, check=False, timeout=60)
    if done.returncode:
        raise Stopped(done.stderr.decode())
    found: Arrays = {}
    position = 0
    for port in component.outputs:
        dtype, shape = DTYPES[port.type], sizes(port.shape)
        count = int(np.prod(shape, dtype=int))
        found[port.name] = np.frombuffer(done.stdout, dtype, count, position).reshape(shape)
        position += count * dtype.itemsize
    assert position == len(done.stdout)
    return found


def whole(spec: Spec, name: str) -> str:
    """C that runs a component as it is written, without tiles."""
    functions, component = Functions(spec, Helpers()), spec.components[name]
    called = functions.call(name)
    given = (*spec.given_inputs(component), *component.outputs)
    ports = ", ".join(Named.ARRAY.of(port.name) for port in given)
    parts = list(functions.texts.values())
    return c_file(["as written"], functions.helpers, parts, component, [f"{called}({ports});"], spec.tables)


def same(found: NDArray[Any], expected: NDArray[Any]) -> bool:
    """Equal bits; any NaN equals any other."""
    if found.dtype.kind in "fc":
        parts = (
            [(found.real, expected.real), (found.imag, expected.imag)]
            if found.dtype.kind == "c"
            else [(found, expected)]
        )
        return all(_same_floats(one, other) for one, other in parts)
    return found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


def _same_floats(found: NDArray[Any], expected: NDArray[Any]) -> bool:
    missing = np.isnan(found)
    same_bits = (found == expected) & (np.signbit(found) == np.signbit(expected))
    return bool(found.dtype == expected.dtype and np.all((missing & np.isnan(expected)) | same_bits))
