// What lies between two positions of a line buffer: DEPTH words, from the newer to the older end.
// One enable (TWO = 0): each `push` moves both ends. Two: `push` takes `in`, `pop` gives the oldest word up; where no
// word waits, `in` is there at once.
module segment #(
  parameter WIDTH = 8,
  parameter DEPTH = 2,
  parameter ADDRESS = 1,  // bits of a number below DEPTH
  parameter TWO = 0
) (
  input wire clk,
  input wire reset,
  input wire go,
  input wire push,
  input wire pop,
  input wire [WIDTH-1:0] in,
  output wire [WIDTH-1:0] out
);
  reg [WIDTH-1:0] oldest;
  generate
    if (TWO == 0 && DEPTH == 1) begin : one
      always @(posedge clk) if (go && push) oldest <= in;
      assign out = oldest;
    end else if (TWO == 0) begin : ring  // read and written at one place, and the oldest word in a register
      reg [WIDTH-1:0] words [0:DEPTH-2];
      reg [ADDRESS-1:0] place;
      always @(posedge clk)
        if (reset) place <= 0;
        else if (go && push) place <= place == DEPTH - 2 ? {ADDRESS{1'b0}} : place + 1'b1;
      always @(posedge clk)
        if (go && push) begin
          oldest <= words[place];
          words[place] <= in;
        end
      assign out = oldest;
    end else if (DEPTH == 1) begin : single
      reg full;
      always @(posedge clk)
        if (reset) full <= 1'b0;
        else if (go) full <= full ? push || !pop : push && !pop;
      always @(posedge clk) if (go && push) oldest <= in;
      assign out = full ? oldest : in;
    end else begin : queue  // the oldest word is read ahead into a register
      reg [WIDTH-1:0] words [0:DEPTH-1];
      reg [ADDRESS-1:0] first, after;
      reg [ADDRESS:0] waiting;
      wire empty = waiting == 0;
      wire stores = push && !(pop && empty);
      wire gives = pop && !empty;
      wire [ADDRESS-1:0] next = !gives ? first : first == DEPTH - 1 ? {ADDRESS{1'b0}} : first + 1'b1;
      always @(posedge clk)
        if (reset) begin
          first <= 0;
          after <= 0;
          waiting <= 0;
        end else if (go) begin
          first <= next;
          if (stores) after <= after == DEPTH - 1 ? {ADDRESS{1'b0}} : after + 1'b1;
          if (stores != gives) waiting <= stores ? waiting + 1'b1 : waiting - 1'b1;
        end
      always @(posedge clk)
        if (go) begin
          if (stores) words[after] <= in;
          oldest <= stores && after == next ? in : words[next];
        end
      assign out = empty ? in : oldest;
    end
  endgenerate
endmodule
