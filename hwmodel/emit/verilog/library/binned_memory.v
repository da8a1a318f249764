// Two memories to whose words numbers are added, one a cycle: while one of them takes sums, the other one is read, and
// what was read is START again. A number that is there in a cycle is in its word 3 cycles later; sums of the same word
// that come before are handed on. The word of `raddress` stands at `word` 2 cycles later. Its cycles are those in which
// `go` is 1. After `clear` both memories are cleared, which takes DEPTH cycles of the clock.
module binned_memory #(
  parameter WIDTH = 32,
  parameter DEPTH = 256,
  parameter ADDRESS = 8,
  parameter START = 0
) (
  input wire clk,
  input wire reset,                            // nothing is on its way any more
  input wire clear,
  input wire go,
  input wire turn,                             // the memory that takes sums
  input wire add,
  input wire [ADDRESS-1:0] address,
  input wire [WIDTH-1:0] value,
  input wire rturn,                            // the memory that is read
  input wire read,
  input wire [ADDRESS-1:0] raddress,
  output reg [WIDTH-1:0] word
);
  localparam [WIDTH-1:0] EMPTY = START;

  reg clearing;
  reg [ADDRESS-1:0] cleared;
  always @(posedge clk) begin
    if (clear) begin
      clearing <= 1'b1;
      cleared <= 0;
    end else if (clearing) begin
      clearing <= cleared != DEPTH - 1;
      cleared <= cleared + 1'b1;
    end
  end

  // Sums: a word comes out of its memory, or from a sum that is not in the memory yet; then it is added to.
  reg valid1, valid2, valid3;
  reg [ADDRESS:0] place1, place2, place3;
  reg [WIDTH-1:0] value1, value2, before2, sum3;
  wire [WIDTH-1:0] words0, words1;
  wire [WIDTH-1:0] sum2 = before2 + value2;
  always @(posedge clk) if (go || reset) begin
    valid1 <= add && !reset;
    valid2 <= valid1 && !reset;
    valid3 <= valid2 && !reset;
    place1 <= {turn, address};
    place2 <= place1;
    place3 <= place2;
    value1 <= value;
    value2 <= value1;
    sum3 <= sum2;
    before2 <= valid2 && place2 == place1 ? sum2 : valid3 && place3 == place1 ? sum3 : place1[ADDRESS] ? words1 : words0;
  end

  // Reads, each of which clears its word a cycle later.
  reg read1, rturn1;
  reg [ADDRESS-1:0] raddress1;
  always @(posedge clk) if (go || reset) begin
    read1 <= read && !reset;
    rturn1 <= rturn;
    raddress1 <= raddress;
    word <= rturn1 ? words1 : words0;
  end

  genvar number;
  generate
    for (number = 0; number < 2; number = number + 1) begin : memory
      wire takes = valid2 && place2[ADDRESS] == number;
      wire clears = read1 && rturn1 == number;
      (* no_rw_check *)                        // what is read of a word that is written in the same cycle is not used
      reg [WIDTH-1:0] held [0:DEPTH-1];
      reg [WIDTH-1:0] rdata;
      always @(posedge clk) begin
        if (clearing || (go && (takes || clears)))
          held[clearing ? cleared : takes ? place2[ADDRESS-1:0] : raddress1] <= takes && !clearing ? sum2 : EMPTY;
        if (go) rdata <= held[add && turn == number ? address : raddress];
      end
    end
  endgenerate
  assign words0 = memory[0].rdata;
  assign words1 = memory[1].rdata;
endmodule
