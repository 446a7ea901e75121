// Memories and multipliers of the ECP5, as far as Yosys uses them.

// A memory of 16 words of 4 bits in LUTs: read at once, written at the clock's edge.
module TRELLIS_DPR16X4 (
    input  wire [3:0] DI,
    input  wire [3:0] WAD,
    input  wire       WRE,
    input  wire       WCK,
    input  wire [3:0] RAD,
    output wire [3:0] DO
);
    reg [3:0] words [0:15];

    assign DO = words[RAD];

    always @(posedge WCK) begin
        if (WRE) words[WAD] <= DI;
    end
endmodule

// A block RAM of 18 Kb with two ports of 1 to 18 bits or, at a width of 36, a port A that writes and a port B that reads.
// An address counts bits, so that its low bits are free where words are wider: at 18 and 36 bits they say which
// bytes, of 9 bits each, are written. WRITE_A and WRITE_B say what a port reads while it writes: 0 nothing, 1 the new word, 2 the
// old one. SAME is one where both ports have one clock: what one reads while the other writes it is then not known.
module DP16KD #(
    parameter WIDTH_A = 18,
    parameter WIDTH_B = 18,
    parameter WRITE_A = 0,
    parameter WRITE_B = 0,
    parameter SAME    = 0
) (
    input  wire        CLKA,
    input  wire        CEA,
    input  wire        WEA,
    input  wire [13:0] ADA,
    input  wire [17:0] DIA,
    output wire [17:0] DOA,
    input  wire        CLKB,
    input  wire        CEB,
    input  wire        WEB,
    input  wire [13:0] ADB,
    input  wire [17:0] DIB,
    output wire [17:0] DOB
);
    // Bytes, four side by side: a word of 36 bits is a row.
    reg [35:0] rows [0:511];

    // Which bits of a row a port means, by its width.
    function [35:0] place(input integer width, input [13:0] address);
        case (width)
            1:       place = 36'd1 << (9 * address[4:3] + address[2:0]);
            2:       place = 36'd3 << (9 * address[4:3] + 2 * address[2:1]);
            4:       place = 36'd15 << (9 * address[4:3] + 4 * address[2]);
            9:       place = 36'd511 << (9 * address[4:3]);
            18:      place = 36'h3ffff << (18 * address[4]);
            default: place = 36'hfffffffff;
        endcase
    endfunction

    function [5:0] low(input integer width, input [13:0] address);
        case (width)
            1:       low = 6'd9 * address[4:3] + address[2:0];
            2:       low = 6'd9 * address[4:3] + {address[2:1], 1'b0};
            4:       low = 6'd9 * address[4:3] + {address[2], 2'b0};
            9:       low = 6'd9 * address[4:3];
            18:      low = 6'd18 * address[4];
            default: low = 6'd0;
        endcase
    endfunction

    // Bytes that are written, as bits of the data of the port.
    function [35:0] bytes(input integer width, input [13:0] address);
        case (width)
            18:      bytes = {18'h3ffff, {9{address[1]}}, {9{address[0]}}};
            36:      bytes = {{9{address[3]}}, {9{address[2]}}, {9{address[1]}}, {9{address[0]}}};
            default: bytes = 36'hfffffffff;
        endcase
    endfunction

    wire        wide    = WIDTH_A == 36;
    wire [35:0] data_a  = wide ? {DIB, DIA} : {18'b0, DIA};
    wire [5:0]  low_a   = low(WIDTH_A, ADA);
    wire [5:0]  low_b   = low(WIDTH_B, ADB);
    wire [35:0] mask_a  = CEA && WEA ? place(WIDTH_A, ADA) & (bytes(WIDTH_A, ADA) << low_a) : 36'd0;
    wire [35:0] mask_b  = CEB && WEB ? place(WIDTH_B, ADB) & (bytes(WIDTH_B, ADB) << low_b) : 36'd0;
    wire [35:0] old_a   = rows[ADA[13:5]];
    wire [35:0] old_b   = rows[ADB[13:5]];
    wire        meet    = SAME && ADA[13:5] == ADB[13:5];
    wire [35:0] taken_a = old_a ^ (meet ? mask_b : 36'd0); // the opposite of what another port writes
    wire [35:0] taken_b = old_b ^ (meet ? mask_a : 36'd0);
    wire [35:0] new_a   = (taken_a & ~mask_a) | ((data_a << low_a) & mask_a);
    wire [35:0] new_b   = (taken_b & ~mask_b) | (({18'b0, DIB} << low_b) & mask_b);

    reg [35:0] read_a, read_b;

    always @(posedge CLKA) begin
        for (integer i = 0; i < 36; i = i + 1) if (mask_a[i]) rows[ADA[13:5]][i] <= data_a[6'(i) - low_a];
        if (CEA && !(WEA && WRITE_A == 0)) read_a <= (WRITE_A == 1 ? new_a : taken_a) >> low_a;
    end

    always @(posedge CLKB) begin
        for (integer i = 0; i < 36; i = i + 1) if (mask_b[i]) rows[ADB[13:5]][i] <= DIB[6'(i) - low_b];
        if (CEB && !(WEB && WRITE_B == 0)) read_b <= (WRITE_B == 1 ? new_b : taken_b) >> low_b;
    end

    assign DOA = WIDTH_B == 36 ? read_b[17:0] : read_a[17:0];
    assign DOB = WIDTH_B == 36 ? read_b[35:18] : read_b[17:0];
endmodule

// A multiplier without registers.
module MULT18X18D (
    input  wire [17:0] A,
    input  wire [17:0] B,
    input  wire        SIGNEDA,
    input  wire        SIGNEDB,
    output wire [35:0] P
);
    wire [35:0] wide_a = {{18{SIGNEDA & A[17]}}, A};
    wire [35:0] wide_b = {{18{SIGNEDB & B[17]}}, B};

    assign P = wide_a * wide_b;
endmodule
