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
  reg [WIDTH+1:0] head, next;
  reg [1:0] waiting;
  wire [WIDTH+1:0] comes = {first, last, data};
  wire goes = tvalid && tready;
  assign tvalid = waiting != 0;
  assign ready = !waiting[1];
  assign {tuser, tlast, tdata} = head;
  always @(posedge clk)
    if (reset) waiting <= 0;
    else waiting <= waiting + give - goes;
  always @(posedge clk) begin
    if (goes ? waiting == 1 : waiting == 0) head <= comes;
    else if (goes) head <= next;
    if (give) next <= comes;
  end
endmodule
