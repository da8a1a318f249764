"""Steps of the port of a stream that stand for others: figures as of all steps of a frame."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.together import PORT, SERVICE
from hwmodel.platform import default_platform
from hwmodel.streamed import Stream

CHAIN = """\
elementary sum(x: u8[{rows}, {columns}]) -> (y: u8) {{
  s: u8 = 0
  s += x[i, j]  for i in 0..{rows}, j in 0..{columns}
  y = s
}}
elementary halve(x: u8[2]) -> (y: u8) {{ y = x[0] + x[1] }}
task blurred(i: u8[{height} + {rows} - 1, {width} + {columns} - 1]) -> (o: u8[{height}, {width}]) {{
  repeat [{height}, {width}] of sum {{
    x <- i at origin [0, 0] paving [1, 0; 0, 1] fitting [1, 0; 0, 1]
    y -> o
  }}
}}
task halved(o: u8[{height}, {width}]) -> (h: u8[{height}, {width} / 2]) {{
  repeat [{height}, {width} / 2] of halve {{ x <- o at origin [0, 0] paving [1, 0; 0, 2] fitting [0; 1]  y -> h }}
}}
task chain(i: u8[{height} + {rows} - 1, {width} + {columns} - 1]) -> (h: u8[{height}, {width} / 2]) {{
  o = blurred(i)
  h = halved(o)
}}
"""


@settings(max_examples=12)
@given(
    height=st.integers(2, 40),
    width=st.integers(1, 6).map(lambda half: 2 * half),
    window=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    pace=st.sampled_from(["1", "2", "3", "1/2"]),
    latency=st.integers(0, 9),
    memory=st.sampled_from([("shared", "box"), ("separate", "box"), ("shared", "run")]),
)
def test_steps_stand_for_others(
    height: int, width: int, window: tuple[int, int], pace: str, latency: int, memory: tuple[str, str]
) -> None:
    rows, columns = window
    text = CHAIN.format(rows=rows, columns=columns, height=height, width=width)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chain.aol"
        path.write_text(text)
        spec = load_checked(path, {})
    platform = default_platform()
    changes = {"latency": latency, "port": memory[0], "burst": memory[1]}
    platform = platform.model_copy(update={"memory": platform.memory.model_copy(update=changes)})
    network = flatten(spec, choose_top(spec, None))
    pricer = MachineModel(network, platform).streams(tuple(network.processes))
    left_out = 0
    for design, estimate in pricer.designs(Stream(pace=Fraction(pace))):
        streamed = pricer.streamed(design)
        whole, listed = pricer.steps(streamed), pricer.steps(streamed, whole=False)
        left_out = max(left_out, listed.listed.left_out)
        places = listed.listed.places(2)
        assert (whole.listed.left_out, len(whole.lengths)) == (0, listed.number)
        assert np.array_equal(whole.lengths[places], listed.lengths)
        assert np.array_equal(whole.begins[places], listed.begins)
        assert (whole.latency_cycles, whole.frame_cycles) == (estimate.latency_cycles, estimate.frame_cycles)
        assert [own[3:] for own in whole.ports] == [own[3:] for own in listed.ports]
        assert sum(estimate.ends.values()) == int(whole.lengths.sum())
        busy = whole.port.busy
        assert (int(busy.sum()), int(busy.max())) == (estimate.additive[PORT], estimate.additive[SERVICE])
    event(f"steps left out: {left_out > 0}")
