// Words on their way to the external memory: put together part by part, and kept until they pass.
// `room` says that there is place for all words that may still be on their way here.
module word_queue #(
  parameter WIDTH = 8,
  parameter BYTES = 1
) (
  input wire clk,
  input wire reset,
  input wire add,                              // a part is there
  input wire [WIDTH-1:0] data,                 // in its place in the word, all other bits 0
  input wire [BYTES-1:0] bytes,                // which bytes of the word it has
  input wire last,                             // it is the last part of its word
  output reg room,
  output reg whole,
  output wire [WIDTH-1:0] word,
  output wire [BYTES-1:0] strobe,
  input wire pop
);
  reg [WIDTH-1:0] words [0:7];
  reg [BYTES-1:0] strobes [0:7];
  reg [WIDTH-1:0] part;
  reg [BYTES-1:0] there;
  reg [2:0] from, to;
  reg [3:0] held;
  wire push = add && last;
  assign word = words[from];
  assign strobe = strobes[from];
  always @(posedge clk)
    if (reset) begin
      from <= 0;
      to <= 0;
      held <= 0;
      room <= 1'b1;
      whole <= 1'b0;
      part <= 0;
      there <= 0;
    end else begin
      if (push != pop) begin
        held <= push ? held + 1'b1 : held - 1'b1;
        room <= push ? held < 3 : held <= 4;
        whole <= push || held != 1;
      end
      if (pop) from <= from + 1'b1;
      if (add) begin
        part <= last ? {WIDTH{1'b0}} : part | data;
        there <= last ? {BYTES{1'b0}} : there | bytes;
      end
      if (push) begin
        words[to] <= part | data;
        strobes[to] <= there | bytes;
        to <= to + 1'b1;
      end
    end
endmodule
