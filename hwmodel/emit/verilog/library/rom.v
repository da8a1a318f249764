// A copy of a memory that is never written; timing as that of a banked copy.
module rom #(
  parameter WIDTH = 8,
  parameter DEPTH = 2,
  parameter ADDRESS = 1,
  parameter BANKS = 1,
  parameter CODE = 1,
  parameter [BANKS*CODE-1:0] CODES = 0,
  parameter [BANKS*DEPTH*WIDTH-1:0] CONTENT = 0,  // bank after bank, the first word lowest
  parameter READERS = 1,
  parameter STYLE = 0                          // 1: block RAM, 0: logic
) (
  input wire clk,
  input wire [READERS-1:0] rvalid,
  input wire [READERS*CODE-1:0] rbank,
  input wire [READERS*ADDRESS-1:0] raddress,
  output wire [READERS*WIDTH-1:0] rdata
);
  wire [BANKS*ADDRESS-1:0] from;
  wire [BANKS*WIDTH-1:0] found;
  genvar b;
  generate
    for (b = 0; b < BANKS; b = b + 1) begin : banks
      reg [WIDTH-1:0] read;
      if (STYLE == 1) begin : block
        (* rom_style = "block" *)
        reg [WIDTH-1:0] words [0:DEPTH-1];
        integer word;
        initial
          for (word = 0; word < DEPTH; word = word + 1) words[word] = CONTENT[(b*DEPTH + word)*WIDTH +: WIDTH];
        always @(posedge clk) read <= words[from[b*ADDRESS +: ADDRESS]];
      end else begin : gates
        (* rom_style = "logic" *)
        reg [WIDTH-1:0] words [0:DEPTH-1];
        integer word;
        initial
          for (word = 0; word < DEPTH; word = word + 1) words[word] = CONTENT[(b*DEPTH + word)*WIDTH +: WIDTH];
        always @(posedge clk) read <= words[from[b*ADDRESS +: ADDRESS]];
      end
      assign found[b*WIDTH +: WIDTH] = read;
    end
  endgenerate
  read_routes #(
    .WIDTH(WIDTH), .ADDRESS(ADDRESS), .BANKS(BANKS), .CODE(CODE), .CODES(CODES), .READERS(READERS)
  ) routes (
    .clk(clk), .valid(rvalid), .bank(rbank), .address(raddress), .from(from), .found(found), .data(rdata)
  );
endmodule
