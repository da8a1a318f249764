// An AXI4-Stream that comes in, two words deep: TREADY comes from a register. TUSER marks the first datum of a frame,
// TLAST the last one of a line; `fault` stays where they come at another place than `first` and `last` say.
module axis_in #(
  parameter WIDTH = 8
) (
  input wire clk,
  input wire reset,
  input wire [WIDTH-1:0] tdata,
  input wire tvalid,
  output wire tready,
  input wire tuser,
  input wire tlast,
  output wire valid,
  output wire [WIDTH-1:0] data,
  input wire take,
  input wire first,
  input wire last,
  output reg fault
);
  reg [WIDTH+1:0] head, next;
  reg [1:0] waiting;
  wire [WIDTH+1:0] comes = {tuser, tlast, tdata};
  wire stores = tvalid && tready;
  assign tready = !waiting[1];
  assign valid = waiting != 0;
  assign data = head[WIDTH-1:0];
  always @(posedge clk)
    if (reset) begin
      waiting <= 0;
      fault <= 1'b0;
    end else begin
      waiting <= waiting + stores - take;
      if (take && head[WIDTH+1:WIDTH] != {first, last}) fault <= 1'b1;
    end
  always @(posedge clk) begin
    if (take ? waiting == 1 : waiting == 0) head <= comes;
    else if (take) head <= next;
    if (stores) next <= comes;
  end
endmodule
