// Groups that share a port: it serves one whole step at a time; of the groups that ask when it is free, the next one
// after the group that it served last. A period begins as if it had served the last group.
module port_turns #(
  parameter GROUPS = 2
) (
  input wire clk,
  input wire reset,
  input wire begins,                           // the next cycle is the first of a period
  input wire [GROUPS-1:0] asks,
  input wire [GROUPS-1:0] served,              // the step is served in this cycle, if its group has the port
  output wire [GROUPS-1:0] granted,            // from this cycle on
  output wire [GROUPS-1:0] owner               // whose port it is in this cycle
);
  reg [GROUPS-1:0] behind;                     // the groups after the one that was served last
  reg [GROUPS-1:0] serving;
  wire [GROUPS-1:0] first = (asks & behind) != 0 ? asks & behind : asks;
  assign granted = serving != 0 ? {GROUPS{1'b0}} : first & (~first + 1'b1);
  assign owner = serving | granted;
  always @(posedge clk)
    if (reset) begin
      behind <= 0;
      serving <= 0;
    end else begin
      serving <= (owner & served) != 0 ? {GROUPS{1'b0}} : owner;
      if (begins) behind <= 0;
      else if (granted != 0) behind <= ~(granted | (granted - 1'b1));
    end
endmodule
