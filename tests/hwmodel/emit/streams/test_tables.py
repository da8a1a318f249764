"""Tables that streaming groups read at subscripts of data: loaded with frames or once, or made by a group before."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from cpp_programs import is_right, needs_compiler, seen_of
from cpp_streams import stream_hls, wrong_words
from port_designs import mixed_design, port_design, require_port_frames
from stream_designs import FRAMES, require_frames, stream_design
from stream_networks import Case
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.cost_model.model import MachineModel
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.emit.schedule.design import StreamScheduling
from hwmodel.emit.streams.port_schedule import VERILOG_STREAMS
from hwmodel.platform import default_platform
from hwmodel.residence import Loads
from hwmodel.streamed import Interface, Stream

LOOK = """\
elementary look(d: u8, t: u8[45]) -> (y: u8) {
  y = t[min(d, 44)] ^ t[d * 3 % 45]
}

elementary add(d: u8) -> (y: u8) {
  y = d + 1
}

task looks(d: u8[4, 12], t: u8[45]) -> (y: u8[4, 12]) {
  repeat [4, 12] of look {
    d <- d
    t <- t
    y -> y
  }
}

task adds(d: u8[4, 12]) -> (y: u8[4, 12]) {
  repeat [4, 12] of add {
    d <- d
    y -> y
  }
}
"""
LOADED = f"""{LOOK}
task top(x: u8[4, 12], t: u8[45]) -> (y: u8[4, 12]) {{
  a = adds(x)
  y = looks(a, t)
}}
"""
MADE = f"""{LOOK}
elementary bend(s: u8) -> (t: u8) {{
  t = 255 - s
}}

task bends(s: u8[45]) -> (t: u8[45]) {{
  repeat [45] of bend {{
    s <- s
    t -> t
  }}
}}

task top(x: u8[4, 12], s: u8[45]) -> (y: u8[4, 12]) {{
  t = bends(s)
  a = adds(x)
  y = looks(a, t)
}}
"""
# The sums of a frame say by how much each level of the same frame is raised.
EQUALISED = """\
elementary count(x: u8[40]) -> (n: u16[32]) {
  n[i] = 0 for i in 0..32
  n[x[k] // 8] += 1 for k in 0..40
}

elementary add(p: u16[32], h: u16[32]) -> (n: u16[32]) {
  n[i] = u16(p[i] + h[i]) for i in 0..32
}

elementary raise(x: u8, n: u16[32]) -> (y: u16) {
  y = x + n[x // 8]
}

task counts(x: u8[3, 40]) -> (n: u16[3, 32]) {
  repeat [3] of count {
    x <- x
    n -> n
  }
}

task sums(p: u16[3, 32]) -> (n: u16[32]) {
  repeat [3] of add {
    p <- p
    h <- n delay [1] else 0
    n delay [1] -> n
  }
}

task raises(x: u8[3, 40], n: u16[32]) -> (y: u16[3, 40]) {
  repeat [3, 40] of raise {
    x <- x
    n <- n
    y -> y
  }
}

task top(x: u8[3, 40]) -> (y: u16[3, 40]) {
  p = counts(x)
  n = sums(p)
  y = raises(x, n)
}
"""


def case_of_text(text: str, folder: Path) -> Case:
    """The network of a specification."""
    path = folder / "top.aol"
    path.write_text(text)
    return Case.of(path)


@needs_icarus
@pytest.mark.parametrize("mhz", [2, 100])
def test_a_table_of_each_frame(tmp_path: Path, mhz: float) -> None:
    case = case_of_text(LOADED, tmp_path)
    require_frames(stream_design(case, Stream(interface="axis"), mhz), 1)
    require_port_frames(port_design(case, Stream(), mhz))


@needs_icarus
def test_a_table_that_is_loaded_once(tmp_path: Path) -> None:
    require_port_frames(port_design(case_of_text(LOADED, tmp_path), Stream(), 50, loads={"t": "once"}), setup_cycles=33)


@needs_icarus
def test_a_table_that_a_group_before_makes(tmp_path: Path) -> None:
    case = case_of_text(MADE, tmp_path)
    require_port_frames(mixed_design(case, ((1, Stream()), (2, Stream()))))
    require_port_frames(mixed_design(case, ((1, None), (2, Stream()))))


@needs_icarus
def test_a_histogram_of_the_frame_that_is_read_next(tmp_path: Path) -> None:
    case = case_of_text(EQUALISED, tmp_path)
    require_port_frames(mixed_design(case, ((2, Stream(pace=Fraction(40))), (1, Stream()))))


@pytest.mark.parametrize("streams", [VERILOG_STREAMS, CPP_STREAMS], ids=["Verilog", "C++"])
def test_a_table_of_the_same_stream_is_refused(tmp_path: Path, streams: StreamScheduling) -> None:
    case = case_of_text(MADE, tmp_path)
    with pytest.raises(ArrayolError, match="'t' at subscripts of data, and 'bends' of the same stream makes it"):
        mixed_design(case, ((3, Stream()),), streams=streams)


@needs_compiler
def test_in_cpp(tmp_path: Path) -> None:
    case = case_of_text(LOADED, tmp_path)
    assert wrong_words([stream_hls(case, Stream(interface="axis")).files()]) == [(0,) * FRAMES]
    seen = seen_of(HlsFiles(case.spec, port_design(case, Stream(), 50, streams=CPP_STREAMS)))
    assert is_right(seen), seen


@pytest.mark.parametrize(("interface", "loads", "name"), [("port", {}, "t"), ("axis", {"t": "once"}, "looks.t")])
def test_reads_of_registers_have_multiplexers(tmp_path: Path, interface: Interface, loads: Loads, name: str) -> None:
    case = case_of_text(LOADED, tmp_path)
    model = MachineModel(case.network, default_platform(), loads)
    _, estimate = next(model.streams(tuple(case.network.processes)).designs(Stream(interface=interface)))
    (own,) = (use for use in estimate.memories if use.name == name)
    assert own.organisation is not None
    # Two reads of 8 bits, each of 45 elements: 30 LUT for a bit.
    assert (own.organisation.built.ff, own.organisation.built.lut) == (45 * 8, 2 * 8 * 30)
