"""Ports of AXI4 on Icarus, before a memory that is slow at random on every channel: data, rules, and what must fail."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from axi_benches import built, frames_behind_axi
from hardware_designs import small
from many_cases import full_count, on_many
from scheduled_cases import scheduled
from strategies_designs import MappedSpec, emitted_specs
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.emit.verilog.axi import has_axi
from hwmodel.emit.verilog.design import AXI_LIBRARY, DesignFiles

pytestmark = needs_icarus

CASES, SEED = 12, 2
LIBRARY = files("hwmodel.emit.verilog") / "library"

# Requests at random, some longer than a burst and beyond a page, which read and write the same words.
RANDOM = """\
`timescale 1ns / 1ps
module bench;
  localparam WORDS = 4096;
  reg clk = 0, reset = 1;
  always #5 clk = !clk;
  reg request = 0, write = 0;
  reg [11:0] address = 0;
  reg [15:0] words = 0;
  wire rvalid, wready, fault, writing;
  wire [31:0] rdata, lowest, highest;
  reg [31:0] seed;
  wire [31:0] araddr, awaddr, axi_rdata, axi_wdata;
  wire [7:0] arlen, awlen;
  wire [3:0] wstrb;
  wire [1:0] rresp, bresp;
  wire arvalid, arready, axi_rvalid, rlast, axi_rready, awvalid, awready, wlast, axi_wvalid, axi_wready, bvalid, bready;
  reg [31:0] data;
  reg [3:0] strobe;
  reg [7:0] rests;
  wire takes = rests[1:0] != 0;
  wire rready = rvalid && takes;
  wire wvalid = wready && takes;
  axi_port #(.WIDTH(32), .SHIFT(2), .ADDRESS(12), .COUNT(16), .AXI(32), .QUEUE(2)) port (
    .clk(clk), .reset(reset), .base(32'h7f8), .request(request), .address(address), .words(words), .write(write),
    .rvalid(rvalid), .rdata(rdata), .rready(rready), .wready(wready), .wvalid(wvalid), .wdata(data), .wstrobe(strobe),
    .writing(writing), .lowest(lowest), .highest(highest),
    .others(writing), .others_lowest(lowest), .others_highest(highest), .fault(fault),
    .axi_araddr(araddr), .axi_arlen(arlen), .axi_arvalid(arvalid), .axi_arready(arready),
    .axi_rdata(axi_rdata), .axi_rresp(rresp), .axi_rvalid(axi_rvalid), .axi_rready(axi_rready),
    .axi_awaddr(awaddr), .axi_awlen(awlen), .axi_awvalid(awvalid), .axi_awready(awready),
    .axi_wdata(axi_wdata), .axi_wstrb(wstrb), .axi_wlast(wlast), .axi_wvalid(axi_wvalid), .axi_wready(axi_wready),
    .axi_bresp(bresp), .axi_bvalid(bvalid), .axi_bready(bready)
  );
  axi_memory #(.WIDTH(32), .SHIFT(2), .AXI(32), .WORDS(WORDS), .BASE(32'h7f8)) memory (
    .clk(clk), .reset(reset), .seed(seed), .araddr(araddr), .arlen(arlen), .arvalid(arvalid), .arready(arready),
    .rdata(axi_rdata), .rresp(rresp), .rlast(rlast), .rvalid(axi_rvalid), .rready(axi_rready),
    .awaddr(awaddr), .awlen(awlen), .awvalid(awvalid), .awready(awready),
    .wdata(axi_wdata), .wstrb(wstrb), .wlast(wlast), .wvalid(axi_wvalid), .wready(axi_wready),
    .bresp(bresp), .bvalid(bvalid), .bready(bready)
  );
  // What the words should be, request by request.
  reg [31:0] reference [0:WORDS-1];
  reg [11:0] addresses [0:1023];
  reg [15:0] counts [0:1023];
  reg kinds [0:1023];
  integer asked, served, word, wrong, place, cycle, chance;
  initial begin
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    for (place = 0; place < WORDS; place = place + 1) begin
      reference[place] = place * 32'd40503;
      memory.words[place] = place * 32'd40503;
    end
    {asked, served, word, wrong} = 0;
    chance = seed;
    rests = 0;
    data = 0;
    strobe = 0;
    repeat (3) @(negedge clk);
    reset = 0;
    for (cycle = 0; cycle < 60000 && (served < 200 || writing); cycle = cycle + 1) begin
      request = asked < 200 && asked - served < 4 && $random(chance) % 3 == 0;
      if (request) begin
        write = $random(chance);
        words = 1 + ($random(chance) & (asked % 4 == 0 ? 1023 : 15));
        address = $random(chance) & (asked % 4 == 0 ? 2047 : 63);
        addresses[asked] = address;
        counts[asked] = words;
        kinds[asked] = write;
      end
      rests = $random(chance);
      data = $random(chance);
      strobe = $random(chance);
      #4;
      if (rready && (served == asked || kinds[served] || rdata !== reference[addresses[served] + word]))
        wrong = wrong + 1;
      if (wvalid && (served == asked || !kinds[served])) wrong = wrong + 1;
      for (place = 0; wvalid && place < 4; place = place + 1)
        if (strobe[place]) reference[addresses[served] + word][place*8 +: 8] = data[place*8 +: 8];
      if (request) asked = asked + 1;
      if (rready || wvalid) begin
        word = word + 1;
        if (word == counts[served]) begin
          word = 0;
          served = served + 1;
        end
      end
      @(negedge clk);
    end
    for (place = 0; place < WORDS; place = place + 1)
      if (reference[place] !== memory.words[place]) wrong = wrong + 1;
    $display("served %0d wrong %0d violations %0d reads %0d", served, wrong, memory.violations + fault, memory.most);
    $finish;
  end
endmodule
"""


def on_random_requests(port: str, seed: int) -> dict[str, int]:
    """What the bench prints, by word."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bench.v").write_text(RANDOM, encoding="utf-8")
        (folder / "port.v").write_text(port, encoding="utf-8")
        (folder / "memory.v").write_text((LIBRARY / "axi_memory.v").read_text(encoding="utf-8"), encoding="utf-8")
        told = built(folder, "bench", seed, "bench.v", "port.v", "memory.v")
    words = told.split()
    return {key: int(value) for key, value in zip(words[::2], words[1::2], strict=True)}


def port_text() -> str:
    return "".join((LIBRARY / f"{name}.v").read_text(encoding="utf-8") for name in AXI_LIBRARY)


@pytest.mark.parametrize("seed", [1, 2])
def test_requests_at_random(seed: int) -> None:
    seen = on_random_requests(port_text(), seed)
    assert (seen["served"], seen["wrong"], seen["violations"]) == (200, 0, 0)
    assert seen["reads"] > 2  # bursts are asked for ahead


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("&& !meets", ""),
        ("IN_PAGE = 4096 >> SHIFT", "IN_PAGE = 8192 >> SHIFT"),
        ("wire last = beat ==", "wire last = beat + 1 =="),
        ("(axi_arvalid && !axi_arready)", "1'b0"),
        ("held == 2 ? second : data", "data"),
        ("!writes[served_at] && came", "came"),
    ],
    ids=["no wait for answers", "beyond a page", "the last word", "a request that goes away", "a lost word", "turns"],
)
def test_a_port_that_breaks_a_rule_is_seen(before: str, after: str) -> None:
    text = port_text()
    assert text.count(before) == 1
    seen = on_random_requests(text.replace(before, after), 1)
    assert seen["wrong"] + seen["violations"] > 0 or seen["served"] < 200


# Designs.


@pytest.mark.parametrize("seed", [1, 5])
def test_a_design(seed: int) -> None:
    for design in small().front[:2]:
        assert frames_behind_axi(small().hardware(design), seed) == ([0, 0], 0)


def test_generated_designs() -> None:
    features, seeds = Counter[str](), iter(range(1, 1000))

    def judge(case: MappedSpec) -> None:
        try:
            _, design = scheduled(case)
        except ArrayolError:
            return
        if design is not None:
            files = DesignFiles(design)
            if not has_axi(files.outside):
                assert not [name for name in files.files() if "axi" in name]
                features["no such width"] += 1
                return
            assert frames_behind_axi(design, next(seeds)) == ([0, 0], 0)
            features.update(case.features)

    on_many(full_count(CASES), SEED, judge, emitted_specs())
    assert features.keys() >= {"several groups", "separate port", "shared port"}, features
