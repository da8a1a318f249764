// For simulation: an external memory of words with two ports. A port takes a request in each cycle and serves requests
// in their order, the first word LATENCY cycles after the request at the soonest, then one in a cycle.
module external_memory #(
  parameter WIDTH = 8,
  parameter ADDRESS = 1,
  parameter COUNT = 16,
  parameter WORDS = 1,
  parameter LATENCY = 1
) (
  input wire clk,
  input wire reset,
  input wire a_request, input wire [ADDRESS-1:0] a_address, input wire [COUNT-1:0] a_words, input wire a_write,
  output wire a_rvalid, output wire [WIDTH-1:0] a_rdata, input wire a_rready,
  output wire a_wready, input wire a_wvalid, input wire [WIDTH-1:0] a_wdata, input wire [WIDTH/8-1:0] a_wstrobe,
  input wire b_request, input wire [ADDRESS-1:0] b_address, input wire [COUNT-1:0] b_words, input wire b_write,
  output wire b_rvalid, output wire [WIDTH-1:0] b_rdata, input wire b_rready,
  output wire b_wready, input wire b_wvalid, input wire [WIDTH-1:0] b_wdata, input wire [WIDTH/8-1:0] b_wstrobe
);
  reg [WIDTH-1:0] words [0:WORDS-1];
  wire [ADDRESS:0] a_at, b_at;
  memory_port #(.ADDRESS(ADDRESS), .COUNT(COUNT), .LATENCY(LATENCY)) a (
    .clk(clk), .reset(reset), .request(a_request), .address(a_address), .words(a_words), .write(a_write),
    .at(a_at), .rvalid(a_rvalid), .wready(a_wready), .pass(a_rready || a_wvalid)
  );
  memory_port #(.ADDRESS(ADDRESS), .COUNT(COUNT), .LATENCY(LATENCY)) b (
    .clk(clk), .reset(reset), .request(b_request), .address(b_address), .words(b_words), .write(b_write),
    .at(b_at), .rvalid(b_rvalid), .wready(b_wready), .pass(b_rready || b_wvalid)
  );
  assign a_rdata = words[a_at < WORDS ? a_at : 0];  // a request may read beyond the last array
  assign b_rdata = words[b_at < WORDS ? b_at : 0];
  integer byte_number;
  always @(posedge clk)
    for (byte_number = 0; byte_number < WIDTH / 8; byte_number = byte_number + 1) begin
      if (a_wvalid && a_wstrobe[byte_number])
        words[a_at][byte_number*8 +: 8] <= a_wdata[byte_number*8 +: 8];
      if (b_wvalid && b_wstrobe[byte_number])
        words[b_at][byte_number*8 +: 8] <= b_wdata[byte_number*8 +: 8];
    end
endmodule

module memory_port #(
  parameter ADDRESS = 1,
  parameter COUNT = 16,
  parameter LATENCY = 1
) (
  input wire clk,
  input wire reset,
  input wire request, input wire [ADDRESS-1:0] address, input wire [COUNT-1:0] words, input wire write,
  output wire [ADDRESS:0] at,
  output wire rvalid,
  output wire wready,
  input wire pass
);
  reg [ADDRESS-1:0] addresses [0:255];
  reg [COUNT-1:0] counts [0:255];
  reg writes [0:255];
  reg [63:0] asked [0:255];
  reg [7:0] from, to;
  reg [COUNT-1:0] word;
  reg [63:0] now;
  wire there = from != to && now >= asked[from] + LATENCY;
  assign at = addresses[from] + word;
  assign rvalid = there && !writes[from];
  assign wready = there && writes[from];
  always @(posedge clk)
    if (reset) begin
      from <= 0;
      to <= 0;
      word <= 0;
      now <= 0;
    end else begin
      now <= now + 1;
      if (request) begin
        addresses[to] <= address;
        counts[to] <= words;
        writes[to] <= write;
        asked[to] <= now;
        to <= to + 1'b1;
      end
      if (pass) begin
        word <= word + 1'b1 == counts[from] ? 0 : word + 1'b1;
        if (word + 1'b1 == counts[from]) from <= from + 1'b1;
      end
    end
endmodule
