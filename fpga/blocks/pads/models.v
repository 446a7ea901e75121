// Models of the ECP5 primitives that the pads are made of, for simulators of events: edges and delays in picoseconds. Written from
// Lattice FPGA-TN-02035 (high-speed I/O) and FPGA-TN-02200 (sysCLOCK PLL). Only what gornic uses is there.
`timescale 1ps / 1ps

// DELAYF: a delay of 25 ps a tap. A falling edge of MOVE moves it by a tap, up where DIRECTION is zero, and not past its ends.
module DELAYF #(
    parameter DEL_MODE  = "USER_DEFINED",
    parameter DEL_VALUE = 0
) (
    input  wire A,
    input  wire LOADN,
    input  wire MOVE,
    input  wire DIRECTION,
    output reg  Z,
    output wire CFLAG
);
    reg [6:0] taps;

    initial taps = DEL_VALUE;
    always @(negedge LOADN) taps = DEL_VALUE;
    always @(negedge MOVE) begin
        if (LOADN && !DIRECTION && taps != 7'd127) taps = taps + 7'd1;
        else if (LOADN && DIRECTION && taps != 7'd0) taps = taps - 7'd1;
    end
    always @(A) Z <= #(25 * taps) A;
    assign CFLAG = DIRECTION ? taps == 7'd0 : taps == 7'd127;
endmodule

// DELAYG: a delay that stays.
module DELAYG #(
    parameter DEL_MODE  = "USER_DEFINED",
    parameter DEL_VALUE = 0
) (
    input  wire A,
    output reg  Z
);
    always @(A) Z <= #(25 * DEL_VALUE) A;
endmodule

// IDDRX1F: Q0 is D at the rising edge before, Q1 at the falling edge behind that.
module IDDRX1F (
    input  wire D,
    input  wire SCLK,
    input  wire RST,
    output reg  Q0,
    output reg  Q1
);
    reg rise;
    reg fall;

    always @(posedge SCLK) rise <= D & ~RST;
    always @(negedge SCLK) fall <= D & ~RST;
    always @(posedge SCLK) begin
        Q0 <= rise & ~RST;
        Q1 <= fall & ~RST;
    end
endmodule

// ODDRX1F: D0 and D1 of a rising edge leave with the next one, D0 in the first half of the cycle.
module ODDRX1F (
    input  wire D0,
    input  wire D1,
    input  wire SCLK,
    input  wire RST,
    output wire Q
);
    reg rise;
    reg fall;
    reg late;

    always @(posedge SCLK) begin
        rise <= D0 & ~RST;
        fall <= D1 & ~RST;
    end
    always @(negedge SCLK) late <= fall;
    assign Q = SCLK ? rise : late;
endmodule

// FD1P3BX: a flip-flop with an asynchronous preset.
module FD1P3BX (
    input  wire D,
    input  wire CK,
    input  wire PD,
    input  wire SP,
    output reg  Q
);
    always @(posedge CK or posedge PD) begin
        if (PD) Q <= 1'b1;
        else if (SP) Q <= D;
    end
endmodule

// EHXPLLL with the feedback from CLKOP: it locks after four cycles of the same length. The outputs rise together.
module EHXPLLL #(
    parameter PLLRST_ENA      = "DISABLED",
    parameter INTFB_WAKE      = "DISABLED",
    parameter STDBY_ENABLE    = "DISABLED",
    parameter DPHASE_SOURCE   = "DISABLED",
    parameter OUTDIVIDER_MUXA = "DIVA",
    parameter OUTDIVIDER_MUXB = "DIVB",
    parameter CLKI_DIV        = 1,
    parameter CLKFB_DIV       = 1,
    parameter FEEDBK_PATH     = "CLKOP",
    parameter CLKOP_ENABLE    = "ENABLED",
    parameter CLKOP_DIV       = 8,
    parameter CLKOP_CPHASE    = 0,
    parameter CLKOP_FPHASE    = 0,
    parameter CLKOS_ENABLE    = "ENABLED",
    parameter CLKOS_DIV       = 8,
    parameter CLKOS_CPHASE    = 0,
    parameter CLKOS_FPHASE    = 0
) (
    input  wire CLKI,
    input  wire CLKFB,
    input  wire PHASESEL0,
    input  wire PHASESEL1,
    input  wire PHASEDIR,
    input  wire PHASESTEP,
    input  wire PHASELOADREG,
    input  wire STDBY,
    input  wire PLLWAKESYNC,
    input  wire RST,
    input  wire ENCLKOP,
    input  wire ENCLKOS,
    output reg  CLKOP,
    output reg  CLKOS,
    output reg  LOCK
);
    time    edge_before;
    time    length;    // of a cycle of CLKI
    integer same;      // cycles of that length
    real    vco;       // half a cycle of the VCO

    initial begin
        CLKOP = 1'b0;
        CLKOS = 1'b0;
        LOCK = 1'b0;
        edge_before = 0;
        length = 0;
        same = 0;
    end

    always @(posedge CLKI) begin
        if ($time - edge_before == length) same = same + 1;
        else same = 0;
        length = $time - edge_before;
        edge_before = $time;
        if (same >= 4) LOCK <= 1'b1;
        else LOCK <= 1'b0;
    end

    // Half cycles of the outputs. Times count from the edge of CLKI at which it locks, so that no rounding adds up.
    real start;
    real half_op;
    real half_os;
    integer n_op;
    integer n_os;

    always @(posedge LOCK) begin
        start = $realtime;
        vco = length * CLKI_DIV * 1.0 / (2.0 * CLKFB_DIV * CLKOP_DIV);
        half_op = vco * CLKOP_DIV;
        half_os = vco * CLKOS_DIV;
        n_op = 0;
        n_os = 0;
        fork
            while (LOCK) begin
                CLKOP = ~n_op[0];
                n_op = n_op + 1;
                #(start + n_op * half_op - $realtime);
            end
            while (LOCK) begin
                CLKOS = ~n_os[0];
                n_os = n_os + 1;
                #(start + n_os * half_os - $realtime);
            end
        join
    end
endmodule
