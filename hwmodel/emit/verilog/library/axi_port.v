// A plain port as a master of AXI4. Requests become bursts (INCR) of at most 256 beats within 4 KB; words pass in the
// order of requests. A burst that reads what a write without an answer may change waits for these answers.
// All outputs to AXI come from registers, or are decoded from some; nothing waits for a READY with its VALID.
module axi_port #(
  parameter WIDTH = 32,                        // bits of a word: 8 << SHIFT
  parameter SHIFT = 2,
  parameter ADDRESS = 1,                       // bits of the address of a word
  parameter COUNT = 16,                        // bits of the number of words of a request
  parameter AXI = 32,                          // bits of an address of AXI, which counts bytes
  parameter QUEUE = 1                          // 1 << QUEUE requests may be unfinished
) (
  input wire clk,
  input wire reset,
  input wire [AXI-1:0] base,                   // where word 0 lies
  input wire request, input wire [ADDRESS-1:0] address, input wire [COUNT-1:0] words, input wire write,
  output wire rvalid, output wire [WIDTH-1:0] rdata, input wire rready,
  output wire wready, input wire wvalid, input wire [WIDTH-1:0] wdata, input wire [WIDTH/8-1:0] wstrobe,
  output wire writing,                         // some writes have no answer yet; these lie from lowest to highest
  output reg [AXI-1:0] lowest,
  output reg [AXI-1:0] highest,
  input wire others,                           // the same of the port whose writes this one reads
  input wire [AXI-1:0] others_lowest,
  input wire [AXI-1:0] others_highest,
  output reg fault,                            // an answer said that something went wrong; it stays until reset
  output reg [AXI-1:0] axi_araddr, output reg [7:0] axi_arlen, output reg axi_arvalid, input wire axi_arready,
  input wire [WIDTH-1:0] axi_rdata, input wire [1:0] axi_rresp, input wire axi_rvalid, output wire axi_rready,
  output reg [AXI-1:0] axi_awaddr, output reg [7:0] axi_awlen, output reg axi_awvalid, input wire axi_awready,
  output wire [WIDTH-1:0] axi_wdata, output wire [WIDTH/8-1:0] axi_wstrb, output wire axi_wlast,
  output wire axi_wvalid, input wire axi_wready,
  input wire [1:0] axi_bresp, input wire axi_bvalid, output wire axi_bready
);
  localparam REQUESTS = 1 << QUEUE;
  localparam IN_PAGE = 4096 >> SHIFT;          // words
  localparam MOST = IN_PAGE < 256 ? IN_PAGE : 256;

  // Requests: `asked`, then `begun` to be split into bursts, then `served` by words that pass.
  reg [ADDRESS-1:0] addresses [0:REQUESTS-1];
  reg [COUNT-1:0] counts [0:REQUESTS-1];
  reg [REQUESTS-1:0] writes;
  reg [QUEUE:0] asked, begun, served;
  wire [QUEUE-1:0] asked_at = asked[QUEUE-1:0];
  wire [QUEUE-1:0] begun_at = begun[QUEUE-1:0];
  wire [QUEUE-1:0] served_at = served[QUEUE-1:0];
  always @(posedge clk)
    if (request) begin
      addresses[asked_at] <= address;
      counts[asked_at] <= words;
      writes[asked_at] <= write;
    end
  always @(posedge clk)
    if (reset) asked <= 0;
    else asked <= asked + request;

  // Bursts: the next one of the request that is open, up to its end or that of the page.
  reg open, stores;
  reg [AXI-1:0] at;
  reg [COUNT-1:0] left;
  wire [12:0] page_left = IN_PAGE - at[11:SHIFT];
  wire [12:0] whole = page_left < MOST ? page_left : MOST;
  wire [12:0] burst = left < whole ? left : whole;
  wire [7:0] length = burst - 1'b1;
  wire [AXI-1:0] after = at + (burst << SHIFT);
  wire meets = others && at <= others_highest && after > others_lowest;
  reg [QUEUE:0] lengths_in, lengths_out;       // bursts whose words have not all passed
  wire [QUEUE:0] lengths_held = lengths_in - lengths_out;
  wire lengths_full = lengths_held == REQUESTS;
  reg [QUEUE+4:0] flying;                      // writes without an answer
  wire reads_go = open && !stores && !meets && (!axi_arvalid || axi_arready);
  wire writes_go = open && stores && !lengths_full && !(&flying) && (!axi_awvalid || axi_awready);
  wire goes = reads_go || writes_go;
  always @(posedge clk)
    if (reset) begin
      open <= 1'b0;
      begun <= 0;
    end else if (!open) begin
      open <= begun != asked;
      begun <= begun + (begun != asked);
      stores <= writes[begun_at];
      at <= base + ({{AXI{1'b0}}, addresses[begun_at]} << SHIFT);
      left <= counts[begun_at];
    end else if (goes) begin
      open <= left != burst;
      at <= after;
      left <= left - burst;
    end
  always @(posedge clk)
    if (reset) begin
      axi_arvalid <= 1'b0;
      axi_awvalid <= 1'b0;
    end else begin
      axi_arvalid <= reads_go || (axi_arvalid && !axi_arready);
      axi_awvalid <= writes_go || (axi_awvalid && !axi_awready);
    end
  always @(posedge clk) begin
    if (reads_go) begin
      axi_araddr <= at;
      axi_arlen <= length;
    end
    if (writes_go) begin
      axi_awaddr <= at;
      axi_awlen <= length;
    end
  end

  // Where writes without an answer lie.
  assign writing = flying != 0;
  assign axi_bready = 1'b1;
  always @(posedge clk)
    if (reset) flying <= 0;
    else flying <= flying + writes_go - axi_bvalid;
  always @(posedge clk)
    if (writes_go) begin
      lowest <= writing && lowest < at ? lowest : at;
      highest <= writing && highest >= after ? highest : after - 1'b1;
    end
  always @(posedge clk)
    fault <= !reset && (fault || (axi_bvalid && axi_bresp[1]) || (axi_rvalid && axi_rready && axi_rresp[1]));

  // Words pass, request by request.
  reg [COUNT-1:0] word;
  wire serves = served != asked;
  wire pass = rready || wvalid;
  always @(posedge clk)
    if (reset) begin
      served <= 0;
      word <= 0;
    end else if (pass) begin
      word <= word + 1'b1 == counts[served_at] ? 0 : word + 1'b1;
      served <= served + (word + 1'b1 == counts[served_at]);
    end
  wire came;
  assign rvalid = serves && !writes[served_at] && came;
  axi_buffer #(.WIDTH(WIDTH)) coming (
    .clk(clk), .reset(reset), .add(axi_rvalid), .data(axi_rdata), .room(axi_rready),
    .there(came), .first(rdata), .take(rready)
  );

  // Words that go know whether they are the last of their burst.
  reg [7:0] lengths [0:REQUESTS-1];
  reg [7:0] beat;
  wire room;
  wire last = beat == lengths[lengths_out[QUEUE-1:0]];
  assign wready = serves && writes[served_at] && room && lengths_in != lengths_out;
  always @(posedge clk)
    if (writes_go) lengths[lengths_in[QUEUE-1:0]] <= length;
  always @(posedge clk)
    if (reset) begin
      lengths_in <= 0;
      lengths_out <= 0;
      beat <= 0;
    end else begin
      lengths_in <= lengths_in + writes_go;
      if (wvalid) begin
        beat <= last ? 0 : beat + 1'b1;
        lengths_out <= lengths_out + last;
      end
    end
  axi_buffer #(.WIDTH(WIDTH + WIDTH / 8 + 1)) going (
    .clk(clk), .reset(reset), .add(wvalid), .data({last, wstrobe, wdata}), .room(room),
    .there(axi_wvalid), .first({axi_wlast, axi_wstrb, axi_wdata}), .take(axi_wready)
  );
endmodule
