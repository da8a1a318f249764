// A memory of registers, which every lane reaches in every cycle; timing as that of a banked copy.
module registers #(
  parameter WIDTH = 8,
  parameter DEPTH = 2,
  parameter ADDRESS = 1,
  parameter WRITERS = 1,
  parameter READERS = 1
) (
  input wire clk,
  input wire [WRITERS-1:0] wvalid,
  input wire [WRITERS*ADDRESS-1:0] waddress,
  input wire [WRITERS*WIDTH-1:0] wdata,
  input wire [READERS*ADDRESS-1:0] raddress,
  output reg [READERS*WIDTH-1:0] rdata
);
  reg [WIDTH-1:0] words [0:DEPTH-1];
  reg [READERS*ADDRESS-1:0] from;
  reg [WRITERS-1:0] valid;
  reg [WRITERS*ADDRESS-1:0] into;
  reg [WRITERS*WIDTH-1:0] given;
  integer w, r;
  always @(posedge clk) begin
    from <= raddress;
    valid <= wvalid;
    into <= waddress;
    given <= wdata;
    for (w = 0; w < WRITERS; w = w + 1)
      if (valid[w]) words[into[w*ADDRESS +: ADDRESS]] <= given[w*WIDTH +: WIDTH];
  end
  always @(posedge clk)
    for (r = 0; r < READERS; r = r + 1)
      rdata[r*WIDTH +: WIDTH] <= words[from[r*ADDRESS +: ADDRESS]];
endmodule
