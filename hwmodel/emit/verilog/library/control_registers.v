// Registers of a design as an AXI4-Lite slave: start, state, interrupt, the address of the external memory, and `values`
// of small inputs. Addresses count bytes; registers have 32 bits. One access at a time in each direction.
//   0x000 control    write bit 0: start a frame (ignored unless ready); bit 1: clear done
//   0x004 status     bit 0: busy; bit 1: done, since it was cleared last; bit 2: fault, until reset; bit 3: ready
//   0x008 interrupt  raise `irq`, bit 0: while done; bit 1: while ready
//   0x00C cycles     of the last frame; of frames that overlap, since the end of the one before
//   0x010, 0x014     the address of word 0 of the external memory, low and high half; of several channels the first
//   0x018 frame      the number of the frame that begins next, modulo FRAMES
//   0x018 + 8 C, 0x01C + 8 C   the address of word 0 of channel C, from 1 on
//   0x800 on         the values
// It is ready while no frame goes on; where frames overlap, while no start waits for its frame to be taken.
module control_registers #(
  parameter VALUES = 1,                        // 32-bit registers of values, at most 512
  parameter BITS = 1,                          // of the number of one
  parameter AXI = 32,                          // bits of an address of the external memory
  parameter FRAMES = 1,                        // after so many, copies of arrays are those of the first; 1: no overlap
  parameter COUNT = 1,                         // bits of a number below FRAMES
  parameter CHANNELS = 1                       // of the external memory, at most 252
) (
  input wire clk,
  input wire reset,
  input wire [11:0] awaddr, input wire awvalid, output wire awready,
  input wire [31:0] wdata, input wire [3:0] wstrb, input wire wvalid, output wire wready,
  output wire [1:0] bresp, output reg bvalid, input wire bready,
  input wire [11:0] araddr, input wire arvalid, output wire arready,
  output reg [31:0] rdata, output wire [1:0] rresp, output reg rvalid, input wire rready,
  output reg start,                            // for a cycle
  input wire taken,                            // where frames overlap: a frame begins with the next cycle
  input wire busy,
  input wire done,                             // the last cycle of a frame
  input wire fault,
  output reg unread,                           // a frame is done, and that was not cleared
  output wire irq,
  output wire [AXI*CHANNELS-1:0] bases,
  output wire [32*VALUES-1:0] values
);
  // A write happens when its address and its data are there, in the cycle before its answer.
  reg [9:0] write_at;
  reg [31:0] write_data;
  reg [3:0] write_bytes;
  reg has_address, has_data;
  assign awready = !has_address;
  assign wready = !has_data;
  assign bresp = 2'b00;
  wire writes = has_address && has_data && (!bvalid || bready);
  always @(posedge clk)
    if (reset) begin
      has_address <= 1'b0;
      has_data <= 1'b0;
      bvalid <= 1'b0;
    end else begin
      has_address <= writes ? 1'b0 : has_address || awvalid;
      has_data <= writes ? 1'b0 : has_data || wvalid;
      bvalid <= writes || (bvalid && !bready);
    end
  always @(posedge clk) begin
    if (awvalid && awready) write_at <= awaddr[11:2];
    if (wvalid && wready) begin
      write_data <= wdata;
      write_bytes <= wstrb;
    end
  end
  wire writes_control = writes && write_at == 10'd0 && write_bytes[0];
  wire writes_interrupt = writes && write_at == 10'd2 && write_bytes[0];
  wire writes_value = writes && write_at[9];

  reg waits;                                   // a start whose frame was not taken yet
  wire waiting = start || waits;
  wire at_work = busy || waiting;
  wire ready = FRAMES > 1 ? !waiting : !at_work;
  reg [1:0] enabled;
  reg [COUNT-1:0] frame;
  reg [31:0] cycles, passed;
  assign irq = (unread && enabled[0]) || (ready && enabled[1]);
  always @(posedge clk)
    if (reset) begin
      start <= 1'b0;
      waits <= 1'b0;
      unread <= 1'b0;
      enabled <= 2'd0;
      frame <= 0;
      cycles <= 32'd0;
      passed <= 32'd0;
    end else begin
      start <= writes_control && write_data[0] && ready;
      waits <= FRAMES > 1 && waiting && !taken;
      unread <= done || (unread && !(writes_control && write_data[1]));
      if (writes_interrupt) enabled <= write_data[1:0];
      if (taken) frame <= frame == FRAMES - 1 ? 0 : frame + 1'b1;
      passed <= busy && !done ? passed + 1'b1 : 32'd0;
      if (done) cycles <= passed + 1'b1;
    end

  // Bytes of the addresses of the external memory, and of values.
  reg [64*CHANNELS-1:0] addresses;
  reg [31:0] held [0:VALUES-1];
  wire [8:0] value_at = write_at[8:0];
  integer lane, channel;
  always @(posedge clk)
    for (lane = 0; lane < 4; lane = lane + 1)
      if (write_bytes[lane]) begin
        for (channel = 0; channel < CHANNELS; channel = channel + 1) begin
          if (writes && write_at == (channel == 0 ? 4 : 6 + 2 * channel))
            addresses[64*channel + 8*lane +: 8] <= write_data[8*lane +: 8];
          if (writes && write_at == (channel == 0 ? 5 : 7 + 2 * channel))
            addresses[64*channel + 32 + 8*lane +: 8] <= write_data[8*lane +: 8];
        end
        if (writes_value && value_at < VALUES) held[value_at[BITS-1:0]][8*lane +: 8] <= write_data[8*lane +: 8];
      end
  genvar number;
  generate
    for (number = 0; number < VALUES; number = number + 1) begin : each
      assign values[32*number +: 32] = held[number];
    end
    for (number = 0; number < CHANNELS; number = number + 1) begin : each_channel
      assign bases[AXI*number +: AXI] = addresses[64*number +: AXI];
    end
  endgenerate

  // A read answers in the cycle after its address.
  assign arready = !rvalid || rready;
  assign rresp = 2'b00;
  wire [9:0] read_at = araddr[11:2];
  wire [9:0] read_channel = read_at < 10'd8 ? 10'd0 : (read_at - 10'd6) >> 1;
  wire reads_address = read_at == 10'd4 || read_at == 10'd5 || (read_channel != 0 && read_channel < CHANNELS);
  wire [63:0] read_address = addresses[64*(read_channel < CHANNELS ? read_channel : 0) +: 64];
  always @(posedge clk)
    if (reset) rvalid <= 1'b0;
    else rvalid <= (arvalid && arready) || (rvalid && !rready);
  always @(posedge clk)
    if (arvalid && arready)
      case (read_at)
        10'd1: rdata <= {28'd0, ready, fault, unread, at_work};
        10'd2: rdata <= {30'd0, enabled};
        10'd3: rdata <= cycles;
        10'd6: rdata <= {{32-COUNT{1'b0}}, frame};
        default:
          if (reads_address) rdata <= read_at[0] ? read_address[63:32] : read_address[31:0];
          else rdata <= read_at[9] && read_at[8:0] < VALUES ? held[read_at[BITS-1:0]] : 32'd0;
      endcase
endmodule
