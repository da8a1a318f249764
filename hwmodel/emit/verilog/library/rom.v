// A copy of a memory that is never written; timing as that of a banked copy.
module rom #(
  parameter WIDTH = 8,
  parameter DEPTH = 2,
  parameter ADDRESS = 1,
  parameter BANKS = 1,
  parameter CODE = 1,
  parameter [BANKS*CODE-1:0] CODES = 0,
  parameter [BANKS*DEPTH*WIDTH-1:0] CONTENT = 0,  // bank after bank, the first word lowest
  parameter READERS = 1
) (
  input wire clk,
  input wire [READERS-1:0] rvalid,
  input wire [READERS*CODE-1:0] rbank,
  input wire [READERS*ADDRESS-1:0] raddress,
  output reg [READERS*WIDTH-1:0] rdata
);
  wire [BANKS*WIDTH-1:0] found;
  genvar b;
  generate
    for (b = 0; b < BANKS; b = b + 1) begin : banks
      reg [WIDTH-1:0] words [0:DEPTH-1];
      reg [WIDTH-1:0] read;
      reg [ADDRESS-1:0] asked;
      reg [ADDRESS-1:0] from;
      integer word, r;
      initial
        for (word = 0; word < DEPTH; word = word + 1) words[word] = CONTENT[(b*DEPTH + word)*WIDTH +: WIDTH];
      always @* begin
        asked = 0;
        for (r = 0; r < READERS; r = r + 1)
          if (rvalid[r] && rbank[r*CODE +: CODE] == CODES[b*CODE +: CODE])
            asked = asked | raddress[r*ADDRESS +: ADDRESS];
      end
      always @(posedge clk) begin
        from <= asked;
        read <= words[from];
      end
      assign found[b*WIDTH +: WIDTH] = read;
    end
  endgenerate
  reg [READERS*CODE-1:0] once, twice;
  always @(posedge clk) begin
    once <= rbank;
    twice <= once;
  end
  integer lane, own;
  always @* begin
    rdata = 0;
    for (lane = 0; lane < READERS; lane = lane + 1)
      for (own = 0; own < BANKS; own = own + 1)
        if (twice[lane*CODE +: CODE] == CODES[own*CODE +: CODE])
          rdata[lane*WIDTH +: WIDTH] = found[own*WIDTH +: WIDTH];
  end
endmodule
