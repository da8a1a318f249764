"""Specifications from text, and data to run them on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.checks.check import check_source
from arrayol.errors import Severity, render
from arrayol.execute.environment import DTYPES
from arrayol.ir.spec import Spec
from arrayol.source import SourceFile

FRAMES = 48  # of an infinite dimension: enough for one block of everything


def loaded(text: str, name: str = "generated.aol") -> Spec:
    """A specification from its text; every error is told."""
    checked = check_source(SourceFile(name, text))
    errors = [render(found) for found in checked.diagnostics if found.severity is Severity.ERROR]
    assert not errors, "\n".join([*errors, text])
    return checked.spec


def any_inputs(spec: Spec, top: str, seed: int = 1) -> dict[str, NDArray[Any]]:
    """Random data for every input port."""
    rng = np.random.default_rng(seed)
    inputs: dict[str, NDArray[Any]] = {}
    for port in spec.given_inputs(spec.components[top]):
        shape = tuple(FRAMES if extent is None else extent for extent in port.shape)
        dtype = np.dtype(DTYPES[port.type])
        if dtype.kind == "b":
            inputs[port.name] = rng.integers(0, 2, shape).astype(bool)
        elif dtype.kind in "iu":
            inputs[port.name] = rng.integers(0, 100, shape).astype(dtype)
        else:
            inputs[port.name] = rng.standard_normal(shape).astype(dtype)
    return inputs
