// Between a design and its port: reads of arrays that are held in registers are answered here, in the cycle after the
// request at the soonest; all other requests pass on. Words pass in the order of requests.
module register_reads #(
  parameter WIDTH = 32,                        // bits of a word
  parameter COUNT = 16,                        // bits of the number of words of a request
  parameter QUEUE = 1,                         // 1 << QUEUE requests may be unfinished
  parameter VALUES = 1,                        // words held in registers
  parameter INDEX = 1                          // bits of the number of such a word
) (
  input wire clk,
  input wire reset,
  input wire [WIDTH*VALUES-1:0] values,
  input wire request, input wire [COUNT-1:0] words, input wire held, input wire [INDEX-1:0] first,
  output wire rvalid, output wire [WIDTH-1:0] rdata, input wire rready, output wire wready, input wire wvalid,
  output wire port_request,
  input wire port_rvalid, input wire [WIDTH-1:0] port_rdata, output wire port_rready, input wire port_wready
);
  localparam REQUESTS = 1 << QUEUE;
  reg [COUNT-1:0] counts [0:REQUESTS-1];
  reg [INDEX-1:0] firsts [0:REQUESTS-1];
  reg [REQUESTS-1:0] locals;
  reg [QUEUE:0] asked, served;
  wire [QUEUE-1:0] asked_at = asked[QUEUE-1:0];
  wire [QUEUE-1:0] served_at = served[QUEUE-1:0];
  always @(posedge clk)
    if (request) begin
      counts[asked_at] <= words;
      firsts[asked_at] <= first;
      locals[asked_at] <= held;
    end
  assign port_request = request && !held;

  reg [COUNT-1:0] word;
  wire serves = served != asked;
  wire here = serves && locals[served_at];
  wire passes = rready || wvalid;
  wire last = word + 1'b1 == counts[served_at];
  always @(posedge clk)
    if (reset) begin
      asked <= 0;
      served <= 0;
      word <= 0;
    end else begin
      asked <= asked + request;
      if (passes) begin
        word <= last ? 0 : word + 1'b1;
        served <= served + last;
      end
    end
  wire [INDEX-1:0] at = firsts[served_at] + word[INDEX-1:0];
  wire [WIDTH-1:0] each [0:VALUES-1];
  genvar number;
  generate
    for (number = 0; number < VALUES; number = number + 1) begin : word_of
      assign each[number] = values[WIDTH*number +: WIDTH];
    end
  endgenerate
  assign rvalid = here || (serves && port_rvalid);
  assign rdata = here ? each[at < VALUES ? at : 0] : port_rdata;
  assign port_rready = rready && !here;
  assign wready = serves && !here && port_wready;
endmodule
