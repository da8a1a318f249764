"""Transformations with one mistake, made by changing a line of their source for a while."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

PACKAGE = "arrayol.transforms"


@contextmanager
def changed(module_name: str, old: str, new: str) -> Iterator[None]:
    """Every function and method of a module as if `new` stood in its source instead of `old`, also where imported."""
    module = importlib.import_module(f"{PACKAGE}.{module_name}")
    source = inspect.getsource(module)
    assert source.count(old) == 1, f"'{old}' stands {source.count(old)} times in {module_name}"
    other: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    exec(compile(source.replace(old, new), f"<mutant of {module_name}>", "exec"), other)
    undo = [*_swap_functions(module, other), *_swap_methods(module, other)]
    try:
        yield
    finally:
        for owner, name, value in reversed(undo):
            setattr(owner, name, value)


def _swap_functions(module: ModuleType, other: dict[str, Any]) -> Iterator[tuple[object, str, object]]:
    """Put the changed functions wherever the package holds the true ones."""
    for name, function in _own(vars(module), module):
        for place in [loaded for key, loaded in sys.modules.items() if key.startswith(PACKAGE)]:
            for used, value in list(vars(place).items()):
                if value is function:
                    setattr(place, used, other[name])
                    yield place, used, function


def _swap_methods(module: ModuleType, other: dict[str, Any]) -> Iterator[tuple[object, str, object]]:
    """Give the true classes the changed methods, and the changed functions the true classes."""
    for name, kind in list(vars(module).items()):
        if inspect.isclass(kind) and kind.__module__ == module.__name__:
            for method, function in _own(vars(kind), module):
                setattr(kind, method, vars(other[name])[method])
                yield kind, method, function
            other[name] = kind


def _own(items: Any, module: ModuleType) -> list[tuple[str, FunctionType]]:
    """The functions that the module's own source defines; those a dataclass generates have no line there."""
    return [
        (name, value)
        for name, value in list(items.items())
        if isinstance(value, FunctionType) and value.__code__.co_filename == module.__file__
    ]
