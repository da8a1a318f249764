// Two words between a sender and a taker; neither sees the other in the same cycle.
module axi_buffer #(
  parameter WIDTH = 8
) (
  input wire clk,
  input wire reset,
  input wire add,
  input wire [WIDTH-1:0] data,
  output wire room,
  output wire there,
  output reg [WIDTH-1:0] first,
  input wire take
);
  reg [WIDTH-1:0] second;
  reg [1:0] held;
  assign room = held != 2;
  assign there = held != 0;
  wire adds = add && room;
  wire takes = take && there;
  always @(posedge clk)
    if (reset) held <= 0;
    else held <= held + adds - takes;
  always @(posedge clk) begin
    if (takes) first <= held == 2 ? second : data;
    else if (held == 0) first <= data;
    if (adds) second <= data;
  end
endmodule
