// The ways of the lanes that read a copy of a memory in banks: to each bank the address that a lane asks it for, a cycle
// later, and from there to each lane the word of its bank. No two lanes name different words of one bank in a cycle. A
// lane alone asks every bank.
module read_routes #(
  parameter WIDTH = 8,
  parameter ADDRESS = 1,
  parameter BANKS = 1,
  parameter CODE = 1,                          // bits of the code of a bank
  parameter [BANKS*CODE-1:0] CODES = 0,        // by bank its code
  parameter READERS = 1
) (
  input wire clk,
  input wire [READERS-1:0] valid,
  input wire [READERS*CODE-1:0] bank,
  input wire [READERS*ADDRESS-1:0] address,
  output reg [BANKS*ADDRESS-1:0] from,
  input wire [BANKS*WIDTH-1:0] found,          // in the cycle after `from`
  output reg [READERS*WIDTH-1:0] data
);
  // What loops look at often stands in short registers and in a wire: Icarus copies the whole of a register for each bit
  // of it, and builds a wide constant anew for each look.
  wire [BANKS*CODE-1:0] codes = CODES;
  reg [BANKS*ADDRESS-1:0] asked;
  reg [READERS*BANKS-1:0] means, once, twice;  // by lane and bank: whether the lane names it
  reg [BANKS-1:0] named, meant;
  reg [CODE-1:0] code;
  reg [WIDTH-1:0] word;
  integer b, r, own, lane;
  always @* begin
    asked = 0;
    for (r = 0; r < READERS; r = r + 1) begin
      code = bank[r*CODE +: CODE];
      for (b = 0; b < BANKS; b = b + 1) begin
        named[b] = code == codes[b*CODE +: CODE];
        if (READERS == 1 || (valid[r] && named[b]))
          asked[b*ADDRESS +: ADDRESS] = asked[b*ADDRESS +: ADDRESS] | address[r*ADDRESS +: ADDRESS];
      end
      means[r*BANKS +: BANKS] = named;
    end
  end
  always @(posedge clk) begin
    from <= asked;
    once <= means;
    twice <= once;
  end
  // Of the words that are found one is the lane's: an AND for each bank, and an OR of them, instead of a choice.
  always @*
    for (lane = 0; lane < READERS; lane = lane + 1) begin
      meant = twice[lane*BANKS +: BANKS];
      word = 0;
      for (own = 0; own < BANKS; own = own + 1)
        if (BANKS == 1 || meant[own]) word = word | found[own*WIDTH +: WIDTH];
      data[lane*WIDTH +: WIDTH] = word;
    end
endmodule
