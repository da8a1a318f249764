// A copy of a memory in banks: lanes that write it, and lanes that read it. A lane names a word by the code of its bank
// and an address. No two lanes of a side name different words of one bank in a cycle: the schedule sees to that.
// A word that a lane asks for stands at its data two cycles later. What is written goes through a register: it is in its
// bank a cycle after the one in which it is named, in time for lanes that ask for it in the very next one.
module banked_copy #(
  parameter WIDTH = 8,
  parameter DEPTH = 2,
  parameter ADDRESS = 1,
  parameter BANKS = 1,
  parameter CODE = 1,                          // bits of the code of a bank
  parameter [BANKS*CODE-1:0] CODES = 0,        // by bank its code
  parameter WRITERS = 1,
  parameter READERS = 1,
  parameter APART = 0,                         // 1: no word is read in a cycle in which it is written
  parameter STYLE = 0                          // what its banks are made of
) (
  input wire clk,
  input wire [WRITERS-1:0] wvalid,
  input wire [WRITERS*CODE-1:0] wbank,
  input wire [WRITERS*ADDRESS-1:0] waddress,
  input wire [WRITERS*WIDTH-1:0] wdata,
  input wire [READERS-1:0] rvalid,
  input wire [READERS*CODE-1:0] rbank,
  input wire [READERS*ADDRESS-1:0] raddress,
  output wire [READERS*WIDTH-1:0] rdata
);
  reg [WRITERS-1:0] valid;
  reg [WRITERS*CODE-1:0] code;
  reg [WRITERS*ADDRESS-1:0] address;
  reg [WRITERS*WIDTH-1:0] given;
  always @(posedge clk) begin
    valid <= wvalid;
    code <= wbank;
    address <= waddress;
    given <= wdata;
  end
  wire [BANKS*ADDRESS-1:0] from;
  wire [BANKS*WIDTH-1:0] found;
  genvar b;
  generate
    for (b = 0; b < BANKS; b = b + 1) begin : banks
      reg write;
      reg [ADDRESS-1:0] into;
      reg [WIDTH-1:0] data;
      integer w;
      always @* begin
        write = 1'b0;
        into = 0;
        data = 0;
        for (w = 0; w < WRITERS; w = w + 1) begin
          if (valid[w] && code[w*CODE +: CODE] == CODES[b*CODE +: CODE]) write = 1'b1;
          if (WRITERS == 1 || (valid[w] && code[w*CODE +: CODE] == CODES[b*CODE +: CODE])) begin
            into = into | address[w*ADDRESS +: ADDRESS];
            data = data | given[w*WIDTH +: WIDTH];
          end
        end
      end
      bank #(.WIDTH(WIDTH), .DEPTH(DEPTH), .ADDRESS(ADDRESS), .APART(APART), .STYLE(STYLE)) words (
        .clk(clk), .write(write), .waddress(into), .wdata(data),
        .raddress(from[b*ADDRESS +: ADDRESS]), .rdata(found[b*WIDTH +: WIDTH])
      );
    end
  endgenerate
  read_routes #(
    .WIDTH(WIDTH), .ADDRESS(ADDRESS), .BANKS(BANKS), .CODE(CODE), .CODES(CODES), .READERS(READERS)
  ) routes (
    .clk(clk), .valid(rvalid), .bank(rbank), .address(raddress), .from(from), .found(found), .data(rdata)
  );
endmodule
