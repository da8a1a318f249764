"""Designs that are one streaming group behind AXI4-Stream, on Icarus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stream_networks import Case, small_numbers

from arrayol.execute.run import execute, with_tables
from hwmodel.accesses import Accesses
from hwmodel.emit.streams.design import StreamDesign
from hwmodel.emit.verilog.icarus import FrameSeen, run_bench
from hwmodel.platform import Platform, default_platform
from hwmodel.stream.model import StreamModel
from hwmodel.streamed import Stream

FRAMES = 2


@cache
def platform_at(mhz: float) -> Platform:
    """The default platform at another clock: at 2 MHz each body of integers fits in a cycle."""
    return default_platform().model_copy(update={"clock_mhz": mhz})


def stream_design(case: Case, stream: Stream, mhz: float = 2, *, platform: Platform | None = None) -> StreamDesign:
    """A case whose whole network is one group, with two frames of other numbers; what is set up stays the same."""
    platform = platform_at(mhz) if platform is None else platform
    if case.frames:
        return _design_over_frames(case, stream, platform)
    accesses = Accesses(case.network)
    model = StreamModel(accesses, tuple(case.network.processes), platform)
    inputs = [_inputs(case, accesses, number) for number in range(FRAMES)]
    for later in inputs[1:]:
        later |= {name: values for name, values in inputs[0].items() if model.group.is_set_up(name)}
    frames = [{**own, **execute(case.spec, case.network.name, own)} for own in inputs]
    tables = with_tables(case.spec, case.spec.components[case.network.name], {})
    return StreamDesign(model, stream, tables, frames)


def _design_over_frames(case: Case, stream: Stream, platform: Platform) -> StreamDesign:
    """One whose frames lie inside: its results are compared for as many frames as show all that tasks meet."""
    model = StreamModel(case.accesses, tuple(case.network.processes), platform)
    tables = with_tables(case.spec, case.spec.components[case.network.name], {})
    behind = StreamDesign(model, stream, tables, ()).frames_behind
    whole = replace(case, frames=case.accesses.frames_to_run + behind)
    inputs = whole.inputs()
    outputs = execute(case.spec, case.network.name, inputs)
    frames = [
        frame_of(whole, inputs | (outputs if number < whole.frames - behind else {}), number)
        for number in range(whole.frames)
    ]
    return StreamDesign(model, stream, tables, frames)


def frame_of(case: Case, arrays: Mapping[str, NDArray[Any]], number: int) -> dict[str, NDArray[Any]]:
    """One frame of arrays that have several, and what has none."""
    shapes = {name: case.network.arrays[name].shape for name in arrays}
    return {
        name: np.take(values, number, shapes[name].index(None)) if None in shapes[name] else values
        for name, values in arrays.items()
    }


def _inputs(case: Case, accesses: Accesses, seed: int) -> dict[str, NDArray[Any]]:
    draw = np.random.default_rng(seed)
    ports = case.spec.given_inputs(case.spec.components[case.network.name])
    return {own.name: small_numbers(draw, own.type, accesses.shape(own.name)) for own in ports}


def write_files(files: Mapping[str, str], folder: Path) -> None:
    """The files of a design in a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(str(text), encoding="utf-8")


def frames_on_icarus(files: Mapping[str, str], *pauses: int) -> list[tuple[FrameSeen, ...]]:
    """The frames of a test bench: without pauses, then with those of some seeds."""
    with TemporaryDirectory() as scratch:
        write_files(files, Path(scratch))
        return [run_bench(Path(scratch), pauses=seed) for seed in (0, *pauses)]


def require_frames(design: StreamDesign, *pauses: int) -> None:
    """Hold two frames against the model, in cycles and bits; with pauses they take longer, and have the same bits."""
    straight, *paused = frames_on_icarus(design.files(), *pauses)
    cycles, frame, frames = design.cycles, design.hardware.frame, len(design.frames) - design.frames_behind
    assert straight == (FrameSeen(0, cycles, 0), *[FrameSeen(frame, cycles, 0)] * (frames - 1))
    for seen in paused:
        assert len(seen) == frames
        assert all(one.wrong == 0 for one in seen)
        assert all(one.cycles >= cycles for one in seen)
        assert all(one.before >= frame for one in seen[1:])
