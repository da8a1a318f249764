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
    """The output arrays of a task by port, for input arrays by port: see `arrayol.execute.run.execute`.

    `top` names the task where nothing calls several.
    """
    loaded = load(spec, settings)
    return execute(loaded, choose_top(loaded, top), inputs, frames=frames, functions=functions)


def transform(
    spec: Source, steps: Sequence[Step | str] | Step | str, *, settings: Settings | None = None
) -> Transformed:
    """A specification that computes the same arrays: each step in turn, as an object or a text, `"pave hflr 1,8"`.

    The result holds it with remarks and a trace of where tasks, their repetitions and arrays went; `spec_text` gives
    its .aol. Raises ArrayolError where a step is refused, StepTextError (a ValueError) for a text that is no step.
    """
    sequence = steps if isinstance(steps, Sequence) and not isinstance(steps, str) else [steps]
    return run_steps(load(spec, settings), [parse_step(step) if isinstance(step, str) else step for step in sequence])
