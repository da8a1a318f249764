"""A function of C and the specification that is imported from it, on the same data, call after call."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol import api
from arrayol.c_import.import_c import Imported

# Signed sums that overflow are not defined in C; -fwrapv gives them the value that the language gives them.
GCC = ("gcc", "-O1", "-ffp-contract=off", "-fwrapv", "-w", "-shared", "-fPIC")
_TYPES: dict[str, Any] = {
    "i1": ctypes.c_int8,
    "u1": ctypes.c_uint8,
    "i2": ctypes.c_int16,
    "u2": ctypes.c_uint16,
    "i4": ctypes.c_int32,
    "u4": ctypes.c_uint32,
    "i8": ctypes.c_int64,
    "u8": ctypes.c_uint64,
    "f4": ctypes.c_float,
    "f8": ctypes.c_double,
    "b1": ctypes.c_bool,
}

Arrays = dict[str, NDArray[Any]]


def compiled(text: str, folder: Path) -> ctypes.CDLL:
    """The functions of a text, as gcc makes them."""
    (folder / "f.c").write_text(text, encoding="utf-8")
    subprocess.run([*GCC, "f.c", "-o", "f.so", "-lm"], check=True, cwd=folder)
    return loaded(folder)


def loaded(folder: Path) -> ctypes.CDLL:
    """The library that gcc has made in a folder."""
    return ctypes.CDLL(str(folder / "f.so"))


def first_difference(
    library: ctypes.CDLL, name: str, imported: Imported, data: Mapping[str, NDArray[Any]], states: Arrays
) -> str | None:
    """What differs after two calls on the same data, in the order of the parameters; None where nothing does.

    `states` are what static variables start with.
    """
    ours = {key: array.copy() for key, array in data.items()}
    theirs = {key: array.copy() for key, array in data.items()}
    kept = dict(states)
    function = getattr(library, name)
    spec = imported.spec
    task = spec.tasks[name]
    for call in range(2):
        result = next(
            (port for port, origin in imported.outputs.items() if origin == "result" and origin not in data), None
        )
        kinds = {port.name: port.type.numpy_name for port in task.outputs}
        function.restype = None if result is None else _TYPES[_code(kinds[result])]
        returned = function(*(_argument(array) for array in theirs.values()))
        given = {}
        for port in spec.given_inputs(task):
            array = ours.get(imported.inputs[port.name], kept.get(imported.inputs[port.name]))
            assert array is not None, port.name
            given[port.name] = array.ravel()[: int(np.prod(port.shape, dtype=int))].reshape(port.shape)
        for port, array in api.run(spec, given, top=name).items():
            origin = imported.outputs[port]
            if port == result:
                if np.asarray(returned, array.dtype).tobytes() != np.asarray(array).tobytes():
                    return f"call {call}: returned {returned} and not {array}"
            elif origin in ours:
                flat = ours[origin].reshape(-1)
                flat[: np.size(array)] = np.ravel(array)
            else:
                kept[origin] = np.asarray(array)
        for key, array in theirs.items():
            if not np.array_equal(array, ours[key], equal_nan=array.dtype.kind in "fc"):
                return f"call {call}: {key} is {ours[key].ravel()} and not {array.ravel()}"
    return None


def _code(dtype: Any) -> str:
    return str(np.dtype(dtype).str[1:])


def _argument(array: NDArray[Any]) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p) if array.ndim else _TYPES[_code(array.dtype)](array.item())
