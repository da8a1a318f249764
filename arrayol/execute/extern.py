"""Python functions that `extern` names: found, imported and called, one repetition at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from arrayol.errors import ArrayolError, error, shown_exception, shown_object
from arrayol.execute.arithmetic import describe_range, first_outside
from arrayol.execute.environment import DTYPES, LeadingTask, Values
from arrayol.execute.frames import used
from arrayol.ir.spec import Elementary, Port, Spec
from arrayol.language.syntax.diagnose import did_you_mean

Functions = Mapping[str, Callable[..., Any]]  # by the text after `extern`


def externs_of(spec: Spec, task: str) -> list[Elementary]:
    """The elementary tasks with an `extern` that executing a task calls, in textual order."""
    names = {component.name for component in used(spec, task)}
    return [
        elementary for name, elementary in spec.elementaries.items() if name in names and elementary.extern is not None
    ]


@contextmanager
def importable_here() -> Iterator[None]:
    """Modules of the current folder can be imported in the block, as under `python -m`."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        if here in sys.path:
            sys.path.remove(here)


def origin_of(elementary: Elementary) -> str:
    """Where the code of an extern lies, in words. Nothing is imported.

    Raises ArrayolError (`extern-import`) where there is no such module.
    """
    first, *inner = str(elementary.extern).partition(":")[0].split(".")
    name, module = first, _top_spec(first)
    for part in inner:
        if module is None:
            break
        name, places = f"{name}.{part}", module.submodule_search_locations
        module = PathFinder.find_spec(name, places) if places is not None else None
    if module is None:
        raise _no_module(elementary, name)
    if module.origin is None:  # a folder without __init__.py
        return ", ".join(module.submodule_search_locations or ())
    return module.origin


def load_function(elementary: Elementary) -> Callable[..., Any]:
    """Import the module of an extern and return its function.

    Raises ArrayolError (`extern-import`) where the module is missing, fails, or has no such function.
    """
    name, _, attribute = str(elementary.extern).partition(":")
    try:
        module = import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # an import may do anything, exit included
        if isinstance(raised, ModuleNotFoundError) and raised.name and f"{name}.".startswith(f"{raised.name}."):
            raise _no_module(elementary, raised.name) from None
        message = f"importing '{name}' failed: {shown_exception(raised)}"
        hint = "ARRAYOL_TRACEBACK=1 shows where"
        raise error("extern-import", message, elementary.span, hint=hint) from raised
    try:
        function = reduce(getattr, attribute.split("."), module)
    except AttributeError:
        names = [known for known in _names_of(module) if callable(getattr(module, known, None))]
        message = f"module '{name}' has no '{attribute}'"
        raise error("extern-import", message, elementary.span, hint=did_you_mean(attribute, names)) from None
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # what a module does to find a name
        message = f"looking for '{attribute}' in '{name}' failed: {shown_exception(raised)}"
        hint = "ARRAYOL_TRACEBACK=1 shows where"
        raise error("extern-import", message, elementary.span, hint=hint) from raised
    if not callable(function):
        message = f"'{elementary.extern}' is no function, but of type {type(function).__name__}"
        raise error("extern-import", message, elementary.span, hint="name something that can be called")
    return function


@dataclass(frozen=True, slots=True)
class ExternProgram:
    """A function in the place of a body. `width`: values of one step for each repetition, as of a body's program."""

    elementary: Elementary
    function: Callable[..., Any]
    width: int = 1

    def run(self, arrays: dict[str, Values], shape: tuple[int, ...], place: LeadingTask) -> None:
        """Compute the outputs in `arrays` (axes pattern, batch) for a batch of that shape, repetition by repetition.

        The function gets the input patterns in the order of the ports, as arrays it cannot write to. Raises
        ArrayolError (`extern-failed`, `extern-result`) naming the repetition.
        """
        for lane in np.ndindex(shape):
            inputs = [_read_only(arrays[port.name][(..., *lane)]) for port in self.elementary.inputs]
            for port, result in zip(self.elementary.outputs, self._call(inputs, place, lane), strict=True):
                arrays[port.name][(..., *lane)] = self._fitting(port, result, place, lane)

    def _call(self, inputs: list[Values], place: LeadingTask, lane: tuple[int, ...]) -> tuple[Any, ...]:
        try:
            with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):  # NumPy's own setting
                result = self.function(*inputs)
        except KeyboardInterrupt:
            raise
        except BaseException as raised:  # the user's code may raise anything, SystemExit included
            message = f"'{self.elementary.extern}' raised {shown_exception(raised)}, in {place.describe(lane)}"
            hint = "ARRAYOL_TRACEBACK=1 shows where"
            raise error("extern-failed", message, self.elementary.span, hint=hint) from raised
        count = len(self.elementary.outputs)
        if count == 1:
            return (result,)
        if result is None and count == 0:
            return ()
        if not isinstance(result, tuple) or len(result) != count:
            what = f"a tuple of {len(result)}" if isinstance(result, tuple) else f"one {type(result).__name__}"
            names = ", ".join(port.name for port in self.elementary.outputs)
            raise self._misfit(f"returned {what}, expected a tuple of {count} arrays ({names})", None, place, lane)
        return result

    def _fitting(self, port: Port, result: Any, place: LeadingTask, lane: tuple[int, ...]) -> Values:
        """A result as a plain array. Raises ArrayolError (`extern-result`) where it is none for the port."""
        dtype, shape = DTYPES[port.type], port.shape
        if not isinstance(result, np.ndarray | np.generic):
            hint = f"numpy.array(..., '{dtype}') makes one"
            what = (
                f"returned the {type(result).__name__} {shown_object(result)}"
                if result is not None
                else "returned None"
            )
            raise self._misfit(f"{what} for output '{port.name}', expected a NumPy array", hint, place, lane)
        result = np.asarray(result)  # of classes of its own only the data
        if result.dtype != dtype:
            message = f"returned {result.dtype} for output '{port.name}', expected {dtype} ({port.type})"
            raise self._misfit(message, f"convert it, as astype('{dtype}') does", place, lane)
        if result.shape != shape:
            message = f"returned the shape {result.shape} for output '{port.name}', expected {shape}"
            raise self._misfit(message, None, place, lane)
        found = first_outside(result, port.type)
        if found is not None:
            message = f"returned the value {found} for output '{port.name}'; {describe_range(port.type)}"
            raise self._misfit(message, "limit it first, with numpy.clip", place, lane)
        return result

    def _misfit(self, what: str, hint: str | None, place: LeadingTask, lane: tuple[int, ...]) -> ArrayolError:
        message = f"'{self.elementary.extern}' {what}, in {place.describe(lane)}"
        return error("extern-result", message, self.elementary.span, hint=hint)


def not_allowed(elementary: Elementary) -> ArrayolError:
    """The error for an extern that the user has not allowed."""
    message = f"'{elementary.name}' is the Python function {elementary.extern}, which runs only when you allow it"
    hint = "--allow-extern runs it; look first at what it does"
    return error("extern-not-allowed", message, elementary.span, hint=hint)


def _names_of(module: object) -> list[str]:
    """The names in a module; anything may stand in its place, once its code has run."""
    return [name for name in getattr(module, "__dict__", ()) if isinstance(name, str)]


def _top_spec(name: str) -> ModuleSpec | None:
    try:
        return find_spec(name)
    except ValueError:  # a module that is loaded and does not say from where
        return None


def _no_module(elementary: Elementary, name: str) -> ArrayolError:
    message = f"there is no module '{name}' for '{elementary.extern}'"
    hint = "modules of the current folder and installed packages are found"
    return error("extern-import", message, elementary.span, hint=hint)


def _read_only(pattern: Values) -> Values:
    view = np.asarray(pattern, order="C").view()
    view.flags.writeable = False
    return view
