// Periods of groups that run at the same time, each on another frame: group g works on a frame g periods after the
// first group. A period lasts CYCLES cycles, or longer if a group or the memory is not through with it.
module period #(
  parameter GROUPS = 2,
  parameter CYCLES = 1,
  parameter COUNT = 1                          // bits of a number up to CYCLES
) (
  input wire clk,
  input wire reset,
  input wire wanted,                           // a frame is to begin
  input wire [GROUPS-1:0] busy,
  input wire [GROUPS-1:0] last,                // the last cycle of a group
  input wire settled,                          // what was written can be read
  output wire taken,                           // a frame begins with the next cycle
  output wire begins,                          // a period does
  output wire [GROUPS-1:0] starts,             // by group, it does so with a frame
  output wire done,                            // the last cycle of a frame
  output reg [GROUPS-1:0] works                // the groups that have a frame in this period
);
  reg [COUNT-1:0] cycle;                       // of the period, from 1 on
  reg whole;                                   // it has had its cycles
  wire runs = works != 0;
  wire ends = runs && whole && (busy & ~last) == 0 && settled;
  wire [GROUPS-1:0] next = {works, wanted};    // without the group that has the last one
  assign begins = (ends || !runs) && next != 0;
  assign starts = begins ? next : {GROUPS{1'b0}};
  assign taken = begins && wanted;
  assign done = ends && works[GROUPS-1];
  always @(posedge clk)
    if (reset) begin
      works <= 0;
      cycle <= 1;
      whole <= 1'b0;
    end else begin
      if (ends || begins) works <= starts;
      if (begins) begin
        cycle <= 1;
        whole <= CYCLES == 1;
      end else if (runs && !whole) begin
        cycle <= cycle + 1'b1;
        whole <= cycle == CYCLES - 1;
      end
    end
endmodule
