// An index along one loop: 0 in the pulse of `begins`, then the next one every STRIDE pulses, EXTENT of them.
// `fires` in those pulses; the index stays until the next one. It may begin again at once.
module place #(
  parameter EXTENT = 2,
  parameter STRIDE = 1,
  parameter INDEX = 1,  // bits of an index
  parameter PAUSE = 1  // bits of a number below STRIDE
) (
  input wire clk,
  input wire reset,
  input wire go,
  input wire begins,
  output wire fires,
  output wire [INDEX-1:0] index
);
  reg running;
  reg [INDEX-1:0] held;
  reg [PAUSE-1:0] pause;  // pulses before the next index
  wire moves = running && pause == 0;
  assign fires = begins || moves;
  assign index = begins ? {INDEX{1'b0}} : moves ? held + 1'b1 : held;
  always @(posedge clk)
    if (reset) begin
      running <= 1'b0;
      held <= 0;
      pause <= 0;
    end else if (go) begin
      held <= index;
      if (fires) begin
        running <= index != EXTENT - 1;
        pause <= STRIDE - 1;
      end else if (pause != 0) pause <= pause - 1'b1;
    end
endmodule
