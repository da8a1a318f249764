// An AXI4-Stream that goes out, two words deep: `ready` comes from a register. TUSER marks the first datum of a frame,
// TLAST the last one of a line.
module axis_out #(
  parameter WIDTH = 8
) (
  input wire clk,
  input wire reset,
  output wire [WIDTH-1:0] tdata,
  output wire tvalid,
  input wire tready,
  output wire tuser,
  output wire tlast,
  output wire ready,
  input wire [WIDTH-1:0] data,
  input wire give,
  input wire first,
  input wire last
);
  axi_buffer #(.WIDTH(WIDTH + 2)) going (
    .clk(clk), .reset(reset), .add(give), .data({first, last, data}), .room(ready),
    .there(tvalid), .first({tuser, tlast, tdata}), .take(tready)
  );
endmodule
