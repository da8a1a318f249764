// `out` DELAY pulses after `in`, which comes DELAY pulses after the one before at the earliest.
module later #(
  parameter DELAY = 1,
  parameter BITS = 1  // of DELAY
) (
  input wire clk,
  input wire reset,
  input wire go,
  input wire in,
  output wire out
);
  reg [BITS-1:0] left;
  assign out = left == 1;
  always @(posedge clk)
    if (reset) left <= 0;
    else if (go) begin
      if (in) left <= DELAY;
      else if (left != 0) left <= left - 1'b1;
    end
endmodule
