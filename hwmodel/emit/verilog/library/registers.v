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
  reg [DEPTH*WIDTH-1:0] words;  // one vector, so that no tool makes memories of it
  reg [READERS*ADDRESS-1:0] from;
  reg [WRITERS-1:0] valid;
  reg [WRITERS*ADDRESS-1:0] into;
  reg [WRITERS*WIDTH-1:0] given;
  integer w, d, r;
  // No two lanes write one word in a cycle, so that what they give a word can be put together without a choice.
  // A lane alone gives its word to all. Lanes at rest are passed over first: that is quick in a simulator.
  reg [DEPTH-1:0] write;
  reg [DEPTH*WIDTH-1:0] data;
  always @* begin
    write = 0;
    data = 0;
    d = 0;  // or else it is a latch where all lanes rest
    for (w = 0; w < WRITERS; w = w + 1)
      if (WRITERS == 1 || valid[w])
        for (d = 0; d < DEPTH; d = d + 1) begin
          if (valid[w] && into[w*ADDRESS +: ADDRESS] == d) write[d] = 1'b1;
          if (WRITERS == 1 || into[w*ADDRESS +: ADDRESS] == d)
            data[d*WIDTH +: WIDTH] = data[d*WIDTH +: WIDTH] | given[w*WIDTH +: WIDTH];
        end
  end
  integer own;
  always @(posedge clk) begin
    from <= raddress;
    valid <= wvalid;
    into <= waddress;
    given <= wdata;
    for (own = 0; own < DEPTH; own = own + 1)
      if (write[own]) words[own*WIDTH +: WIDTH] <= data[own*WIDTH +: WIDTH];
  end
  always @(posedge clk)
    for (r = 0; r < READERS; r = r + 1)
      rdata[r*WIDTH +: WIDTH] <= words[from[r*ADDRESS +: ADDRESS]*WIDTH +: WIDTH];
endmodule
