"""What stands beside the Verilog of a stream: words of arrays, the bench for cocotb, FuseSoC, IP-XACT."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from find_libpython import find_libpython
from hypothesis import given
from hypothesis import strategies as st
from ipyxact.ipyxact import Component
from stream_designs import platform_at, stream_design, write_files
from stream_networks import case_of
from verilog_programs import needs_icarus

from hwmodel.emit.system.software import library
from hwmodel.emit.system.streams import StreamSystemFiles, order_of
from hwmodel.streamed import Stream

AXIS = Stream(interface="axis")
needs_cocotb = pytest.mark.skipif(find_libpython() is None, reason="a Python without a shared library")


def write_stream(folder: Path, name: str, sizes: dict[str, int], stream: Stream = AXIS) -> Path:
    """The folder of a stream, without Makefile, page and schedule."""
    design = stream_design(case_of(name, folder, **sizes), stream, 50)
    modules = design.files()
    write_files({**modules, **StreamSystemFiles(design, platform_at(50)).texts(modules)}, folder)
    return folder


@pytest.fixture(scope="module")
def unsharp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_stream(tmp_path_factory.mktemp("unsharp"), "unsharp", {"H": 6, "W": 8})


@pytest.fixture(scope="module")
def packing(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The module frames.py, beside a layout without streams."""
    folder = tmp_path_factory.mktemp("sw")
    empty = {"top": "t", "clock_mhz": None, "cycles": 1, "frame_cycles": 1, "frames_behind": 0, "streams": []}
    write_files({"frames.py": library("frames.py"), "layout.json": json.dumps(empty)}, folder)
    spec = importlib.util.spec_from_file_location("frames_under_test", folder / "frames.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TYPES = st.sampled_from([("u", 1, 8), ("i", 9, 16), ("u", 12, 16), ("i", 32, 32), ("u", 64, 64), ("i", 3, 8)])


@given(st.data())
def test_words_hold_each_element_where_the_order_says(packing: ModuleType, data: st.DataObject) -> None:
    sign, bits, width = data.draw(TYPES)
    count, size = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 3))
    places = data.draw(st.permutations([*range(count), *[-1] * (-count % size)]))
    order = order_of(np.array(places, np.int64).reshape(-1, size))
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "i" else (0, (1 << bits) - 1)
    values = np.array(
        data.draw(st.lists(st.integers(low, high), min_size=count, max_size=count)), f"{sign}{width // 8}"
    )
    kind = str(values.dtype)
    row = ("x", "x", f"{sign}{bits}", bits, kind, values.shape, "input", -(-size * bits // 8), size, 1, order)
    stream = packing.StreamArray(*row)
    words = stream.words(values)
    assert [word >> at * bits & (1 << bits) - 1 for word in words for at in range(size)] == [
        int(values[place]) & (1 << bits) - 1 if place >= 0 else 0 for place in places
    ]
    assert np.array_equal(stream.array(words), values)


def test_words_of_complex_numbers(packing: ModuleType) -> None:
    """The real part is in the low bits, also of numbers of 128 bits."""
    for bits, kind in ((64, "c8"), (128, "c16")):
        row = ("x", "x", f"c{bits}", bits, kind, (2,), "input", bits // 8, 1, 1, {"first": 0, "loops": [[2, 1]]})
        stream, values = packing.StreamArray(*row), np.array([1.5 - 2j, complex(-0.0, np.inf)], kind)
        words = stream.words(values)
        parts = [word >> at & (1 << bits // 2) - 1 for word in words for at in (0, bits // 2)]
        assert np.array(parts, f"u{bits // 16}").view(f"f{bits // 16}").tolist() == [1.5, -2, 0, np.inf]
        assert stream.array(words).tobytes() == values.tobytes()


@given(st.data())
def test_scans_are_stored_as_loops(packing: ModuleType, data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(2, 4), min_size=1, max_size=4))
    scan = data.draw(st.permutations(range(len(shape))))
    elements = np.arange(np.prod(shape)).reshape(shape).transpose(scan).reshape(-1, 1)
    order = order_of(elements)
    assert len(order["loops"]) <= len(shape)
    row = ("x", "x", "u8", 8, "uint8", tuple(shape), "input", 1, 1, 1, order)
    assert packing.StreamArray(*row).places.tolist() == elements.tolist()


def test_other_shapes_and_values_are_refused(packing: ModuleType) -> None:
    row = ("x", "x", "u3", 3, "uint8", (2,), "input", 1, 1, 1, {"first": 0, "loops": [[2, 1]]})
    stream = packing.StreamArray(*row)
    with pytest.raises(ValueError, match=r"'x' has shape \(2,\), not \(3,\)"):
        stream.words([1, 2, 3])
    for wrong in ([1, 8], [1, -1], [1, 300]):
        with pytest.raises(ValueError, match="'x' has values that u3 does not have"):
            stream.words(wrong)


def bench_passes(folder: Path) -> bool:
    """Whether all tests of the folder's bench pass."""
    command = [sys.executable, folder / "cocotb" / "run.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "TESTS=2" in done.stdout + done.stderr, done.stdout + done.stderr
    return done.returncode == 0


@needs_icarus
@needs_cocotb
@pytest.mark.parametrize(
    ("name", "sizes", "stream"),
    [
        ("unsharp", {"H": 6, "W": 13}, replace(AXIS, pace=Fraction(1, 4))),  # words that a line does not fill
        ("fir", {"N": 32, "TAPS": 4, "S": 4}, AXIS),  # coefficients that are sent once
    ],
)
def test_frames_and_resets(tmp_path: Path, name: str, sizes: dict[str, int], stream: Stream) -> None:
    assert bench_passes(write_stream(tmp_path, name, sizes, stream))


@needs_icarus
@needs_cocotb
@pytest.mark.parametrize(
    ("path", "right", "wrong"),
    [
        ("sw/layout.json", '"line": 8', '"line": 16'),
        ("rtl/place.v", "if (reset)", "if (0)"),
    ],
    ids=["marks", "reset"],
)
def test_faults_are_seen(tmp_path: Path, path: str, right: str, wrong: str) -> None:
    folder = write_stream(tmp_path, "unsharp", {"H": 6, "W": 8})
    text = (folder / path).read_text(encoding="utf-8")
    assert right in text
    (folder / path).write_text(text.replace(right, wrong), encoding="utf-8")
    assert not bench_passes(folder)


@needs_icarus
def test_fusesoc_simulates(unsharp: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fusesoc.main", "--cores-root", unsharp, "run", "--target=sim"]
    done = subprocess.run(
        [*command, "arrayol:design:unsharp"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert re.findall(r"frame \d before \d+ cycles \d+ wrong (\d+)", said) == ["0", "0"]


def test_ipyxact_reads_streams_and_ports(unsharp: Path) -> None:
    component = Component()
    component.load(str(unsharp / "component.xml"))
    head = (unsharp / "rtl" / "unsharp_axis.v").read_text(encoding="utf-8").partition(");")[0]
    declared = {(side, name) for side, name in re.findall(r"(input|output) wire (?:\[\d+:0\] )?(\w+)", head)}
    assert {(f"{port.wire.direction}put", port.name) for port in component.model.ports.port} == declared
    buses: dict[str, Any] = {bus.name: bus for bus in component.busInterfaces.busInterface}
    assert {name: bus.busType.name for name, bus in buses.items() if "axis" in name} == {
        "s_axis_i": "AXI4Stream",
        "m_axis_o": "AXI4Stream",
    }
    logical = {each.logicalPort.name for each in buses["s_axis_i"].portMaps.portMap}
    assert logical == {"TDATA", "TVALID", "TREADY", "TLAST", "TUSER"}
