// Package mac is an Ethernet MAC for one byte a cycle: 1 Gb/s at 125 MHz. Start with
// [ReceiveDef] and [TransmitDef]; [Decode] and [Encode] are the same in plain Go.
//
// # Streams
//
//	receive   In      what the PHY gave, one symbol a byte time, with gaps: a symbol that does not come changes nothing
//	          Out     frames without preamble and FCS, a byte a beat; Err of the last beat: the frame is bad
//	          Result  one pulse for each frame: what became of it
//	transmit  In      frames without FCS, a byte a beat, the next byte in every cycle once a frame has begun
//	          Out     what the PHY gets, a symbol in every cycle
//	          Result  one pulse for each frame
//
// # State
//
// Receive: where in a frame it is, its CRC and length, and its last five bytes, since the FCS is known as such
// when the frame has ended. Transmit: the same, without the bytes. No memories.
//
// # Frames
//
// A frame begins behind a preamble of one 0x55 or more and the start delimiter 0xD5; a PHY may eat the
// beginning of a preamble. It is bad when its FCS does not match, when it has less than 64 bytes with FCS, when it has
// more than Params.MaxFrame, when the PHY flagged an error in it, or when symbols were lost on the way here; the
// first that applies of lost, PHY, long, short, FCS is its Result. A frame of four bytes or less has no beats. One that is too long ends
// where the limit is passed, and the rest of it is skipped. What has no start delimiter counts as a PHY error.
//
// Transmit sends seven 0x55 and 0xD5, pads to 60 bytes with zeros, adds the FCS, and stays silent for 12 byte times. A frame whose
// last beat has Err, or whose next byte is late (an underrun), ends with the complement of its FCS, which no receiver
// takes for good; the rest of it, if any, is taken and dropped.
//
// # Stall
//
// Receive never waits: what Out gives is taken at once, which is an assumption. Transmit takes nothing during preamble, padding,
// FCS and gap, and never waits for its taker. Neither can hang: every state but those that wait for a frame to begin or to
// end counts down.
//
// # Cycles
//
// Receive: a byte leaves when the fifth symbol behind it comes. Transmit: from the first byte's Valid to the first
// byte of preamble 3 cycles; n bytes take max(n, 60) + 24.
//
// # Files
//
//	crc.go       a byte's step of the CRC
//	receive.go   from symbols to frames
//	transmit.go  from frames to symbols
package mac
