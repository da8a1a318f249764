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
  reg [BANKS*ADDRESS-1:0] asked;
  reg [READERS*CODE-1:0] once, twice;
  integer b, r, own, lane;
  always @* begin
    asked = 0;
    for (b = 0; b < BANKS; b = b + 1)
      for (r = 0; r < READERS; r = r + 1)
        if (READERS == 1 || (valid[r] && bank[r*CODE +: CODE] == CODES[b*CODE +: CODE]))
          asked[b*ADDRESS +: ADDRESS] = asked[b*ADDRESS +: ADDRESS] | address[r*ADDRESS +: ADDRESS];
  end
  always @(posedge clk) begin
    from <= asked;
    once <= bank;
    twice <= once;
  end
  always @* begin
    data = 0;
    for (lane = 0; lane < READERS; lane = lane + 1)
      for (own = 0; own < BANKS; own = own + 1)
        if (twice[lane*CODE +: CODE] == CODES[own*CODE +: CODE])
          data[lane*WIDTH +: WIDTH] = found[own*WIDTH +: WIDTH];
  end
endmodule
