// An array that is read from an AXI4-Stream before all frames, an element a word, the first in the lowest bits.
// `fault` stays where TLAST does not come with the last one.
module axis_setup #(
  parameter WIDTH = 8,
  parameter ELEMENTS = 2,
  parameter COUNT = 2  // bits of a number up to ELEMENTS
) (
  input wire clk,
  input wire reset,
  input wire [WIDTH-1:0] tdata,
  input wire tvalid,
  output wire tready,
  input wire tlast,
  output wire valid,
  output reg [ELEMENTS*WIDTH-1:0] data,
  output reg fault
);
  reg [COUNT-1:0] there;
  assign valid = there == ELEMENTS;
  assign tready = !valid;
  always @(posedge clk)
    if (reset) begin
      there <= 0;
      fault <= 1'b0;
    end else if (tvalid && tready) begin
      there <= there + 1'b1;
      if (tlast != (there == ELEMENTS - 1)) fault <= 1'b1;
    end
  always @(posedge clk)
    if (tvalid && tready) data <= {tdata, data} >> WIDTH;
endmodule
