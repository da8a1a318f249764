"""What a specification computes: executed, and transformed to one that computes the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from arrayol.api.spec import Source, load
from arrayol.checks.top import choose_top
from arrayol.execute.extern import Functions
from arrayol.execute.run import execute
from arrayol.language.settings import Settings
from arrayol.transforms.steps import Step, parse_step, run_steps
from arrayol.transforms.trace import Transformed


def run(
    spec: Source,
    inputs: Mapping[str, NDArray[Any]],
    *,
    settings: Settings | None = None,
    top: str | None = None,
    frames: int | None = None,
    functions: Functions | None = None,
) -> dict[str, NDArray[Any]]:
    """Execute a task on arrays, exactly, and return its output arrays by the names of its ports.

    - `inputs`: for every input port, by name, a NumPy array of its shape and of the NumPy type of its element type
      (`u8` is `uint8`, `f32` is `float32`). An infinite dimension has as many frames as the array brings.
    - `settings`: see `load`. `top`: the task, needed if there are several that no other task calls.
    - `frames`: take only the first `frames` frames of each input with an infinite dimension.
    - `functions`: the Python functions that may run, by the text after `extern`.

    Inputs are not changed. Raises ArrayolError as `load`; `missing-input`, `unknown-port`, `shape-mismatch` and
    `type-mismatch` for inputs that do not fit; and where a value does not exist, as in a division by zero.

    >>> api.run(spec, {"image": np.full((6, 6), 20, np.uint8), "kernel": np.ones((3, 3), np.int16)})["mask"][0]
    array([255, 255, 255, 255], dtype=uint8)
    """
    loaded = load(spec, settings)
    return execute(loaded, choose_top(loaded, top), inputs, frames=frames, functions=functions)


def transform(
    spec: Source, steps: Sequence[Step | str] | Step | str, *, settings: Settings | None = None
) -> Transformed:
    """Apply transformation steps to a specification; the result computes the same arrays, to the last bit.

    `steps` is one step or several, applied in turn. A step is a text such as `"pave hflr 1,8"` (see `arrayol transform
    --help`) or an object. The result holds the new `spec`, remarks, and a trace that says where old tasks, repetitions
    and arrays are now. Raises ArrayolError as `load`, and with its reason if a step is refused; StepTextError (a
    ValueError) for a text that is no step.

    >>> api.transform(spec, "fuse filter threshold 2,2").spec.components["filter_threshold"].repetition
    (2, 2)
    """
    sequence = steps if isinstance(steps, Sequence) and not isinstance(steps, str) else [steps]
    return run_steps(load(spec, settings), [parse_step(step) if isinstance(step, str) else step for step in sequence])
