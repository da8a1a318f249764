// For simulation: an external memory behind AXI4 that is slow at random, on every channel. The first word of a burst
// passes LATENCY cycles after the burst was asked for at the soonest. It applies a write when it answers it, no sooner,
// and counts where a master breaks a rule.
module axi_memory #(
  parameter WIDTH = 32,
  parameter SHIFT = 2,
  parameter AXI = 32,
  parameter WORDS = 2,
  parameter BASE = 0,
  parameter LATENCY = 0
) (
  input wire clk,
  input wire reset,
  input wire [31:0] seed,
  input wire [AXI-1:0] araddr, input wire [7:0] arlen, input wire arvalid, output wire arready,
  output reg [WIDTH-1:0] rdata, output wire [1:0] rresp, output reg rlast, output reg rvalid, input wire rready,
  input wire [AXI-1:0] awaddr, input wire [7:0] awlen, input wire awvalid, output wire awready,
  input wire [WIDTH-1:0] wdata, input wire [WIDTH/8-1:0] wstrb, input wire wlast, input wire wvalid, output wire wready,
  output wire [1:0] bresp, output reg bvalid, input wire bready
);
  localparam QUEUE = 16;
  reg [WIDTH-1:0] words [0:WORDS-1];
  integer violations, most;                    // broken rules; the most reads that were open at once
  initial begin
    violations = 0;
    most = 0;
  end
  assign rresp = 2'b00;
  assign bresp = 2'b00;

  // Chance: 32 bits in each cycle.
  reg [31:0] chance;
  wire [31:0] chance1 = chance ^ (chance << 13);
  wire [31:0] chance2 = chance1 ^ (chance1 >> 17);
  always @(posedge clk) chance <= reset ? seed * 32'd2654435769 + 1 : chance2 ^ (chance2 << 5);

  reg [63:0] now;
  always @(posedge clk) now <= reset ? 0 : now + 1;

  // Reads.
  reg [AXI-1:0] read_at [0:QUEUE-1];
  reg [7:0] read_length [0:QUEUE-1];
  reg [63:0] read_since [0:QUEUE-1];
  integer reads_in, reads_out, read_beat, read_word;
  assign arready = chance[3] && reads_in - reads_out < QUEUE;
  wire ar = arvalid && arready;
  always @(posedge clk)
    if (reset) begin
      reads_in <= 0;
      reads_out <= 0;
      read_beat <= 0;
      rvalid <= 1'b0;
    end else begin
      if (ar) begin
        read_at[reads_in % QUEUE] <= araddr;
        read_length[reads_in % QUEUE] <= arlen;
        read_since[reads_in % QUEUE] <= now;
        reads_in <= reads_in + 1;
      end
      if (reads_in - reads_out > most) most = reads_in - reads_out;
      if (!rvalid || rready) begin
        rvalid <= 1'b0;
        if (reads_in != reads_out && chance[7:6] != 0 && now >= read_since[reads_out % QUEUE] + LATENCY) begin
          read_word = ((read_at[reads_out % QUEUE] - BASE) >> SHIFT) + read_beat;
          rdata <= words[read_word < WORDS ? read_word : 0];  // a request may read beyond the last array
          rlast <= read_beat == read_length[reads_out % QUEUE];
          rvalid <= 1'b1;
          read_beat <= read_beat == read_length[reads_out % QUEUE] ? 0 : read_beat + 1;
          reads_out <= reads_out + (read_beat == read_length[reads_out % QUEUE]);
        end
      end
    end

  // Writes: words wait for the answer to their burst.
  reg [AXI-1:0] write_at [0:QUEUE-1];
  reg [7:0] write_length [0:QUEUE-1];
  reg [63:0] write_since [0:QUEUE-1];
  reg [WIDTH-1:0] waiting [0:QUEUE*256-1];
  reg [WIDTH/8-1:0] strobes [0:QUEUE*256-1];
  integer writes_in, filled, answered, beat, number, at, place;
  assign awready = chance[11] && writes_in - answered < QUEUE;
  assign wready = chance[14] && writes_in != filled && now >= write_since[filled % QUEUE] + LATENCY;
  always @(posedge clk)
    if (reset) begin
      writes_in <= 0;
      filled <= 0;
      answered <= 0;
      beat <= 0;
      bvalid <= 1'b0;
    end else begin
      if (awvalid && awready) begin
        write_at[writes_in % QUEUE] <= awaddr;
        write_length[writes_in % QUEUE] <= awlen;
        write_since[writes_in % QUEUE] <= now;
        writes_in <= writes_in + 1;
      end
      if (wvalid && wready) begin
        waiting[filled % QUEUE * 256 + beat] <= wdata;
        strobes[filled % QUEUE * 256 + beat] <= wstrb;
        if (wlast != (beat == write_length[filled % QUEUE])) violations = violations + 1;
        beat <= beat == write_length[filled % QUEUE] ? 0 : beat + 1;
        filled <= filled + (beat == write_length[filled % QUEUE]);
      end
      if (!bvalid || bready) begin
        bvalid <= 1'b0;
        if (filled != answered && chance[19:17] == 0) begin
          for (number = 0; number <= write_length[answered % QUEUE]; number = number + 1) begin
            at = ((write_at[answered % QUEUE] - BASE) >> SHIFT) + number;
            for (place = 0; place < WIDTH / 8; place = place + 1)
              if (strobes[answered % QUEUE * 256 + number][place]) begin
                if (at >= WORDS) violations = violations + 1;
                else words[at][place*8 +: 8] = waiting[answered % QUEUE * 256 + number][place*8 +: 8];
              end
          end
          bvalid <= 1'b1;
          answered <= answered + 1;
        end
      end
    end

  // Rules: bursts stay within 4 KB; what is offered stays until it is taken; no read meets a write without an answer.
  reg ar_waits, aw_waits, w_waits;
  reg [AXI+7:0] ar_was, aw_was;
  reg [WIDTH+WIDTH/8:0] w_was;
  integer other;
  always @(posedge clk) begin
    ar_waits <= !reset && arvalid && !arready;
    aw_waits <= !reset && awvalid && !awready;
    w_waits <= !reset && wvalid && !wready;
    ar_was <= {araddr, arlen};
    aw_was <= {awaddr, awlen};
    w_was <= {wdata, wstrb, wlast};
    if (!reset) begin
      if (ar_waits && (!arvalid || ar_was !== {araddr, arlen})) violations = violations + 1;
      if (aw_waits && (!awvalid || aw_was !== {awaddr, awlen})) violations = violations + 1;
      if (w_waits && (!wvalid || w_was !== {wdata, wstrb, wlast})) violations = violations + 1;
      if (^{arvalid, awvalid, wvalid} === 1'bx) violations = violations + 1;
      if (arvalid && araddr[11:0] + ((arlen + 13'd1) << SHIFT) > 4096) violations = violations + 1;
      if (awvalid && awaddr[11:0] + ((awlen + 13'd1) << SHIFT) > 4096) violations = violations + 1;
      for (other = answered; ar && other < filled + (beat != 0); other = other + 1)  // those whose words have come
        if (araddr < write_at[other % QUEUE] + ((write_length[other % QUEUE] + 13'd1) << SHIFT)
            && araddr + ((arlen + 13'd1) << SHIFT) > write_at[other % QUEUE]) violations = violations + 1;
    end
  end
endmodule
