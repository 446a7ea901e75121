// Plays symbols at the RGMII pins of gornic_i9, and levels at its serial line; prints what comes out.
//
// The pads delay what is received by 2 ns, as long as the clock is on its way through the FPGA. That way takes no time here, so
// the clock comes to its pin 2 ns later: 4 ns behind the data, of which the PHY makes 2. The clock of a port that sends is delayed
// here by 2 ns, as the PHY does.
`timescale 1ps / 1ps

module tb;
    parameter SYMBOLS_0 = 1;
    parameter SYMBOLS_1 = 1;
    parameter LEVELS = 1;
    parameter DIVISOR = 8;
    parameter QUIET = 40000; // ns behind the last symbol

    reg [9:0] rx0 [0:SYMBOLS_0-1];
    reg [9:0] rx1 [0:SYMBOLS_1-1];
    reg [9:0] levels [0:LEVELS-1];

    reg osc = 0;
    always #20000 osc = ~osc;
    reg reset_n = 0;
    reg uart_rx = 1;
    wire uart_tx, led_n, phy_rst_n;

    reg [9:0] now0 = 10'h0dd, now1 = 10'h0dd;
    reg rxc = 0;
    wire [3:0] rxd0 = rxc ? now0[7:4] : now0[3:0];
    wire [3:0] rxd1 = rxc ? now1[7:4] : now1[3:0];
    wire ctl0 = rxc ? now0[9] : now0[8];
    wire ctl1 = rxc ? now1[9] : now1[8];

    wire txc0, txc1, txctl0, txctl1;
    wire [3:0] txd0, txd1;

    gornic_i9 dut (
        .osc(osc), .reset_n(reset_n), .phy_rst_n(phy_rst_n), .uart_rx(uart_rx), .uart_tx(uart_tx), .led_n(led_n),
        .eth_0_rx_clk(rxc), .eth_0_rx_ctl(ctl0), .eth_0_rxd(rxd0), .eth_0_tx_clk(txc0), .eth_0_tx_ctl(txctl0), .eth_0_txd(txd0),
        .eth_1_rx_clk(rxc), .eth_1_rx_ctl(ctl1), .eth_1_rxd(rxd1), .eth_1_tx_clk(txc1), .eth_1_tx_ctl(txctl1), .eth_1_txd(txd1)
    );

    integer i0 = 0, i1 = 0, k;
    reg started = 0;
    always begin
        if (started && i0 < SYMBOLS_0) begin now0 = rx0[i0]; i0 = i0 + 1; end
        if (started && i1 < SYMBOLS_1) begin now1 = rx1[i1]; i1 = i1 + 1; end
        #4000 rxc = 1;
        #4000 rxc = 0;
    end

    initial begin
        $readmemh("rx0.hex", rx0);
        $readmemh("rx1.hex", rx1);
        $readmemh("uart.hex", levels);
        #1000000 reset_n = 1;
        #1000000 started = 1;
        for (k = 0; k < LEVELS; k = k + 1) begin
            uart_rx = levels[k][0];
            #(16000 * DIVISOR);
        end
        wait (i0 == SYMBOLS_0 && i1 == SYMBOLS_1);
        #(QUIET * 1000) $finish;
    end

    // What the PHYs see.
    wire #2000 seen0 = txc0;
    wire #2000 seen1 = txc1;
    reg [4:0] rise0, rise1;
    always @(posedge seen0) rise0 = {txctl0, txd0};
    always @(posedge seen1) rise1 = {txctl1, txd1};
    always @(negedge seen0) if (started && (rise0[4] || txctl0)) $display("0 %0d %h", $time / 8000, {txctl0, rise0[4], txd0, rise0[3:0]});
    always @(negedge seen1) if (started && (rise1[4] || txctl1)) $display("1 %0d %h", $time / 8000, {txctl1, rise1[4], txd1, rise1[3:0]});
    always @(uart_tx) if (started) $display("u %0d %b", $time / 16000, uart_tx);
endmodule
