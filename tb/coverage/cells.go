package coverage

import "gornic/format"

// Column is a property of a packet.
type Column uint8

// Columns. Of Any are all packets of an opcode.
const (
	Any Column = iota
	MultiPacket
	ZeroLength
	ImmInv
	Solicited
	columns
)

func (c Column) String() string {
	return [columns]string{"all", "multi-packet", "zero length", "imm/inv", "solicited"}[c%columns]
}

// Way is whether a core sends a packet or receives it.
type Way uint8

// Ways.
const (
	Sent Way = iota
	Received
	ways
)

func (w Way) String() string { return [ways]string{"sent", "received"}[w%ways] }

// Impossible tells why no packet of an opcode has a property one way, "" where one can.
func Impossible(op format.Opcode, c Column, w Way) string {
	info, _ := format.Lookup(op)
	switch {
	case op == format.OpCNP && w == Sent && c == Any:
		return "the core answers no congestion mark"
	case c == MultiPacket && info.Start && info.End && op != format.OpReadRequest:
		return "always one packet"
	case c == ZeroLength:
		return neverEmpty(info)
	case c == ImmInv && !has(info, format.ExtImmDt) && !has(info, format.ExtIETH):
		return "has neither"
	case c == Solicited:
		return neverSolicited(info)
	}
	return ""
}

// neverEmpty tells why a packet, or for a READ request what it asks for, cannot be of no bytes.
func neverEmpty(info format.OpInfo) string {
	switch {
	case info.Code == format.OpReadRequest:
		return ""
	case has(info, format.ExtAtomicETH), info.Code == format.OpAtomicAck:
		return "always 8 bytes"
	case info.Payload == format.PayloadNone:
		return "of no message"
	case info.Payload == format.PayloadFull:
		return "always a whole path MTU"
	case info.Payload == format.PayloadSome:
		return "always 1 byte or more"
	case info.Payload == format.PayloadSixteen:
		return "always 16 bytes"
	}
	return ""
}

// neverSolicited tells why a packet cannot ask for an event (protocol section 1.3).
func neverSolicited(info format.OpInfo) string {
	send := info.Code <= format.OpSendOnlyImm || has(info, format.ExtIETH)
	switch {
	case !send && !has(info, format.ExtImmDt):
		return "completes nothing at the responder"
	case !info.End:
		return "only the last packet asks"
	}
	return ""
}

func has(info format.OpInfo, h format.ExtHeader) bool {
	_, ok := info.ExtOffset(h)
	return ok
}
