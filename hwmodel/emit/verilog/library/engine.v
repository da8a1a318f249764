// The flow of an engine: requests go out, at most OUTSTANDING at once, those of an array when all before it have passed;
// words pass where the schedule says so and the external memory keeps up.
module engine #(
  parameter OUTSTANDING = 1,
  parameter COUNT = 1                          // bits of the count of requests
) (
  input wire clk,
  input wire reset,
  input wire asks,                             // a row of requests: there is one
  input wire fence,                            // it is the first of its array
  output wire requests,
  output wire requests_go,
  input wire active,                           // a row of what passes
  input wire waits,                            // it needs a word of the external memory, or room for one there
  input wire takes,                            // it is the last row of that word
  input wire write,
  input wire done,                             // it is the last row of its request
  output wire passing_go,
  input wire rvalid,
  output wire rready,
  input wire wready,
  output wire wvalid,
  input wire whole,                            // a word to be stored is there
  output wire pop
);
  reg [COUNT-1:0] unfinished;
  reg none, full;                              // of requests that are unfinished
  wire less = active && passing_go && done;
  assign requests = asks && !full && !(fence && !none);
  assign requests_go = !asks || requests;
  assign passing_go = !waits || (write ? wready && (whole || !takes) : rvalid);
  assign rready = active && waits && takes && !write && rvalid;
  assign wvalid = active && waits && takes && write && wready && whole;
  assign pop = wvalid;
  always @(posedge clk)
    if (reset) begin
      unfinished <= 0;
      none <= 1'b1;
      full <= 1'b0;
    end else if (requests != less) begin
      unfinished <= requests ? unfinished + 1'b1 : unfinished - 1'b1;
      none <= less && unfinished == 1;
      full <= requests && unfinished == OUTSTANDING - 1;
    end
endmodule
