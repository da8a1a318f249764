"""Networks that stream: stencils of the line-buffer literature as text, and helpers to run them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from lone_streams import StreamRun, simulate_stream
from numpy.typing import NDArray

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.execute.environment import DTYPES
from arrayol.execute.run import execute
from arrayol.ir.network import Network, flatten
from arrayol.ir.spec import Port, Spec
from arrayol.ir.types import ElementType, Kind
from hwmodel.accesses import Accesses
from hwmodel.platform import Platform
from hwmodel.simulator.streams.events import events_of
from hwmodel.simulator.streams.faults import StreamFaultError
from hwmodel.simulator.streams.lines import LineLane, frames_to_run, lane_of, last_pulse
from hwmodel.stream.model import StreamModel
from hwmodel.streamed import Stream, StreamedGroup

SHIPPED = Path(__file__).parents[2] / "specs"
OWN = Path(__file__).parent / "stream" / "specs"

Window = tuple[str, tuple[int, int], tuple[int, int]]  # of an array: rows and columns, and its first element

# Tasks in dataflow order, each with what it reads; the structure of published line-buffer networks.
NETWORKS: Mapping[str, Mapping[str, tuple[Window, ...]]] = {
    "corners": {
        "il": (("i", (1, 1), (0, 0)),),
        "c15": (("il", (5, 1), (-2, 0)),),
        "c51": (("c15", (1, 5), (0, -2)),),
        "sox": (("c51", (3, 3), (-1, -1)),),
        "soy": (("sox", (3, 3), (-1, -1)),),
        "bo": (("soy", (3, 3), (-1, -1)),),
        "op": (("bo", (1, 1), (0, 0)),),
    },
    "canny": {
        "il": (("i", (1, 1), (0, 0)),),
        "iss": (("il", (5, 5), (-2, -2)),),
        "sx": (("iss", (3, 3), (-1, -1)),),
        "sy": (("iss", (3, 3), (-1, -1)),),
        "g1": (("sx", (1, 1), (0, 0)), ("sy", (1, 1), (0, 0))),
        "g11": (("g1", (1, 1), (0, 0)),),
        "g2": (("sx", (1, 1), (0, 0)), ("sy", (1, 1), (0, 0))),
        "dt": (("g2", (1, 1), (0, 0)), ("g11", (3, 3), (-1, -1))),
        "et": (("dt", (3, 3), (-1, -1)),),
    },
    "xcorr": {
        "t1": (("i", (1, 18), (0, -8)),),
        "t2": (("t1", (18, 1), (-9, 0)),),
        "o": (("t2", (1, 1), (0, 0)), ("i", (1, 1), (0, 0))),
    },
    "denoise": {
        "g1": (("i", (3, 3), (-1, -1)),),
        "g": (("g1", (1, 1), (0, 0)),),
        "r0": (("i", (1, 1), (0, 0)), ("f", (1, 1), (0, 0))),
        "r1": (("r0", (1, 1), (0, 0)),),
        "o": (
            ("i", (3, 3), (-1, -1)),
            ("g", (3, 3), (-1, -1)),
            ("r1", (1, 1), (0, 0)),
            ("f", (1, 1), (0, 0)),
        ),
    },
}


def stencils(name: str) -> str:
    """A network of NETWORKS as text: sums over windows of 320 x 480 pixels, borders nearest."""
    tasks = NETWORKS[name]
    inputs = dict.fromkeys(array for reads in tasks.values() for array, _, _ in reads if array not in tasks)
    lines = ["const H = 320", "const W = 480"]
    for task, reads in tasks.items():
        ports = ", ".join(f"x{at}: i32[{rows}, {columns}]" for at, (_, (rows, columns), _) in enumerate(reads))
        sums = [f"  y += x{at}[j, k]  for j in 0..{r}, k in 0..{c}" for at, (_, (r, c), _) in enumerate(reads)]
        lines += [f"elementary sum_{task}({ports}) -> (y: i32) {{", *sums, "}"]
        arrays = ", ".join(f"{array}: i32[H, W]" for array, _, _ in reads)
        lines += [f"task make_{task}({arrays}) -> ({task}: i32[H, W]) {{", f"  repeat [H, W] of sum_{task} {{"]
        lines += [
            f"    x{at} <- {array} at origin [{row}, {column}] paving [1, 0; 0, 1] fitting [1, 0; 0, 1] else nearest"
            for at, (array, _, (row, column)) in enumerate(reads)
        ]
        lines += [f"    y -> {task}", "  }", "}"]
    last = list(tasks)[-1]
    lines.append(f"task {name}({', '.join(f'{array}: i32[H, W]' for array in inputs)}) -> ({last}: i32[H, W]) {{")
    lines += [f"  {task} = make_{task}({', '.join(array for array, _, _ in reads)})" for task, reads in tasks.items()]
    return "\n".join([*lines, "}", ""])


@dataclass(frozen=True)
class Case:
    """A specification whose whole network is one streaming group, with so many frames inside of it, or none."""

    spec: Spec
    network: Network
    frames: int = 0

    @staticmethod
    def of(path: Path, **settings: int) -> Case:
        """A file, with consts set."""
        spec = load_checked(path, settings)
        return Case(spec, flatten(spec, choose_top(spec, None)))

    @cached_property
    def accesses(self) -> Accesses:
        """Those of the network."""
        outside = Accesses(self.network)
        return outside.of_frames("inside") if self.frames else outside

    @property
    def model(self) -> StreamModel:
        """The group's model, without a platform."""
        return StreamModel(self.accesses, tuple(self.network.processes))

    def inputs(self, seed: int = 5) -> dict[str, NDArray[Any]]:
        """Numbers below 100, for one frame, or for all that are inside."""
        draw = np.random.default_rng(seed)
        ports = self.spec.given_inputs(self.spec.components[self.network.name])
        return {p.name: small_numbers(draw, p.type, self._shape(p)) for p in ports}

    def _shape(self, port: Port) -> tuple[int, ...]:
        if not self.frames:
            return self.accesses.shape_to_run(port.name)
        return tuple(self.frames if extent is None else extent for extent in port.shape)

    def simulated(self, group: StreamedGroup, inputs: Mapping[str, NDArray[Any]] | None = None) -> StreamRun:
        """The run of the group."""
        return simulate_stream(self.spec, self.accesses, group, inputs)


def small_numbers(draw: np.random.Generator, kind: ElementType, shape: tuple[int, ...]) -> NDArray[Any]:
    """Whole numbers below 100 of a type; of complex ones both parts."""
    values = draw.integers(0, 100, shape)
    return (values + 1j * draw.integers(0, 100, shape) if kind.kind is Kind.COMPLEX else values).astype(DTYPES[kind])


def case_of(name: str, folder: Path, **settings: int) -> Case:
    """A network of NETWORKS (written to the folder), a file of `stream/specs`, or a shipped specification."""
    if name in NETWORKS:
        path = folder / f"{name}.aol"
        path.write_text(stencils(name))
    else:
        path = OWN / f"{name}.aol"
        path = path if path.exists() else SHIPPED / f"{name}.aol"
    return Case.of(path, **settings)


def segments_with_a_word_to_spare(case: Case, stream: Stream) -> tuple[int, list[str]]:
    """How many segments a group has, and in which one word less does no harm to the lane's run."""
    group = case.model.streamed(stream)
    events = events_of(case.accesses, group)
    frames, count, spare = frames_to_run(events, group), 0, []
    for number, chain in enumerate(group.chains):
        for at, segment in enumerate(chain.segments):
            less = replace(segment, depth=segment.depth - 1)
            changed = replace(chain, segments=(*chain.segments[:at], less, *chain.segments[at + 1 :]))
            chains = [*group.chains[:number], changed, *group.chains[number + 1 :]]
            same = [one for one in chains if lane_of(one) == lane_of(chain)]
            lane = LineLane(lane_of(chain), same, events.lanes[lane_of(chain)], frames, group.frame)
            count += 1
            try:
                for _ in lane.run(last_pulse(events) + (frames - 1) * group.frame):
                    pass
            except StreamFaultError:
                continue
            spare.append(f"segment {at} of {chain}")
    return count, spare


def require_whole_run(case: Case, stream: Stream, platform: Platform | None = None) -> StreamRun:
    """Simulate a case and hold it against the model and the reference execution; the run."""
    model, inputs = replace(case.model, platform=platform), case.inputs()
    group, metrics = model.streamed(stream), model.metrics(stream)
    run = case.simulated(group, inputs)
    reference = execute(case.spec, case.network.name, inputs)
    for name in case.network.outputs:
        assert run.arrays[name].tobytes() == np.ascontiguousarray(reference[name]).tobytes(), name
    assert (run.cycles, run.words) == (metrics.cycles, metrics.words)
    assert run.words >= run.live
    return run
