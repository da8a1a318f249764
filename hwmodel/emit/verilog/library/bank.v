// A bank of words: one write and one read in a cycle. What is read stands at `rdata` in the cycle after its address;
// of a word that is written in the same cycle it is what stood there before. If it is known that no such word is read,
// tools need no logic that sees to it.
module bank #(
  parameter WIDTH = 8,
  parameter DEPTH = 2,
  parameter ADDRESS = 1,
  parameter APART = 0,                         // 1: what is read of a word that is written in the same cycle is not used
  parameter STYLE = 0                          // 1: block RAM, 2: distributed RAM, 0: as a tool chooses
) (
  input wire clk,
  input wire write,
  input wire [ADDRESS-1:0] waddress,
  input wire [WIDTH-1:0] wdata,
  input wire [ADDRESS-1:0] raddress,
  output reg [WIDTH-1:0] rdata
);
  generate
    if (STYLE == 2) begin : distributed
      (* ram_style = "distributed" *)
      reg [WIDTH-1:0] held [0:DEPTH-1];
      always @(posedge clk) begin
        if (write) held[waddress] <= wdata;
        rdata <= held[raddress];
      end
    end else if (STYLE == 1 && APART) begin : block_apart
      (* ram_style = "block", no_rw_check *)
      reg [WIDTH-1:0] held [0:DEPTH-1];
      always @(posedge clk) begin
        if (write) held[waddress] <= wdata;
        rdata <= held[raddress];
      end
    end else if (STYLE == 1) begin : block
      (* ram_style = "block" *)
      reg [WIDTH-1:0] held [0:DEPTH-1];
      always @(posedge clk) begin
        if (write) held[waddress] <= wdata;
        rdata <= held[raddress];
      end
    end else if (APART) begin : apart
      (* no_rw_check *)
      reg [WIDTH-1:0] held [0:DEPTH-1];
      always @(posedge clk) begin
        if (write) held[waddress] <= wdata;
        rdata <= held[raddress];
      end
    end else begin : checked
      reg [WIDTH-1:0] held [0:DEPTH-1];
      always @(posedge clk) begin
        if (write) held[waddress] <= wdata;
        rdata <= held[raddress];
      end
    end
  endgenerate
endmodule
