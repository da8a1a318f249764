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
  wire [1:0] marks;
  axi_buffer #(.WIDTH(WIDTH + 2)) coming (
    .clk(clk), .reset(reset), .add(tvalid), .data({tuser, tlast, tdata}), .room(tready),
    .there(valid), .first({marks, data}), .take(take)
  );
  always @(posedge clk)
    if (reset) fault <= 1'b0;
    else if (take && marks != {first, last}) fault <= 1'b1;
endmodule
