package format

import "slices"

// Opcode is the operation code of a BTH: the transport in bits 7 to 5, the
// operation in bits 4 to 0.
type Opcode uint8

// Opcodes of the reliable connection and the congestion notification packet
// (protocol section 1.5).
const (
	OpSendFirst          Opcode = 0x00
	OpSendMiddle         Opcode = 0x01
	OpSendLast           Opcode = 0x02
	OpSendLastImm        Opcode = 0x03
	OpSendOnly           Opcode = 0x04
	OpSendOnlyImm        Opcode = 0x05
	OpWriteFirst         Opcode = 0x06
	OpWriteMiddle        Opcode = 0x07
	OpWriteLast          Opcode = 0x08
	OpWriteLastImm       Opcode = 0x09
	OpWriteOnly          Opcode = 0x0A
	OpWriteOnlyImm       Opcode = 0x0B
	OpReadRequest        Opcode = 0x0C
	OpReadResponseFirst  Opcode = 0x0D
	OpReadResponseMiddle Opcode = 0x0E
	OpReadResponseLast   Opcode = 0x0F
	OpReadResponseOnly   Opcode = 0x10
	OpAcknowledge        Opcode = 0x11
	OpAtomicAck          Opcode = 0x12
	OpCmpSwap            Opcode = 0x13
	OpFetchAdd           Opcode = 0x14
	OpSendLastInv        Opcode = 0x16
	OpSendOnlyInv        Opcode = 0x17
	OpCNP                Opcode = 0x81
)

// Transport is the upper three bits of an opcode.
type Transport uint8

// Transports that have a name here.
const (
	RC Transport = 0 // reliable connection
	UC Transport = 1 // unreliable connection
	UD Transport = 3 // unreliable datagram
)

// Transport returns the transport of the opcode.
func (op Opcode) Transport() Transport { return Transport(op >> 5) }

// Ours reports whether the core takes packets of this opcode: every code in the
// range of the reliable connection, defined or not, and the CNP.
func (op Opcode) Ours() bool { return op.Transport() == RC || op == OpCNP }

// PayloadRule says how long the payload of a packet has to be.
type PayloadRule uint8

// Payload rules.
const (
	PayloadNone    PayloadRule = iota // none
	PayloadFull                       // the path MTU exactly
	PayloadSome                       // 1 byte to the path MTU
	PayloadAny                        // 0 bytes to the path MTU
	PayloadSixteen                    // 16 reserved bytes: the CNP
)

var payloadNames = [...]string{"none", "= MTU", "1..MTU", "0..MTU", "16"}

func (r PayloadRule) String() string { return indexed(payloadNames[:], r, "payload rule") }

// ExtHeader names an extension header.
type ExtHeader uint8

// Extension headers.
const (
	ExtRETH ExtHeader = iota
	ExtAtomicETH
	ExtAETH
	ExtAtomicAckETH
	ExtImmDt
	ExtIETH
	ExtDETH
)

var extNames = [...]string{"RETH", "AtomicETH", "AETH", "AtomicAckETH", "ImmDt", "IETH", "DETH"}

func (h ExtHeader) String() string { return indexed(extNames[:], h, "extension header") }

// Size returns the length of the header in bytes, 0 of one that does not exist.
func (h ExtHeader) Size() int {
	switch h {
	case ExtRETH:
		return Size[RETH[uint64]]()
	case ExtAtomicETH:
		return Size[AtomicETH[uint64]]()
	case ExtAETH:
		return Size[AETH[uint64]]()
	case ExtAtomicAckETH:
		return Size[AtomicAckETH[uint64]]()
	case ExtImmDt:
		return Size[ImmDt[uint64]]()
	case ExtIETH:
		return Size[IETH[uint64]]()
	case ExtDETH:
		return Size[DETH[uint64]]()
	}
	return 0
}

// OpInfo is what the opcode table knows of one opcode.
type OpInfo struct {
	Code    Opcode
	Name    string
	Headers []ExtHeader // after the BTH, in order
	Payload PayloadRule
	Start   bool // begins a message
	End     bool // ends a message
}

// HeaderBytes returns the length of the BTH and the extension headers.
func (i OpInfo) HeaderBytes() int { return Size[BTH[uint64]]() + i.ExtBytes() }

// ExtBytes returns the length of the extension headers.
func (i OpInfo) ExtBytes() int {
	n := 0
	for _, h := range i.Headers {
		n += h.Size()
	}
	return n
}

// ExtOffset returns where header h starts, in bytes after the BTH, and whether
// the opcode has it.
func (i OpInfo) ExtOffset(h ExtHeader) (int, bool) {
	at := 0
	for _, x := range i.Headers {
		if x == h {
			return at, true
		}
		at += x.Size()
	}
	return 0, false
}

// Opcodes returns the opcodes that the core knows, by code: those of the
// reliable connection and the CNP. FLUSH (0x1C) and ATOMIC_WRITE (0x1D) count as
// undefined for now (protocol section 10, row 26).
func Opcodes() []OpInfo { return slices.Clone(opcodes) }

var opcodes = []OpInfo{
	{OpSendFirst, "SEND_FIRST", nil, PayloadFull, true, false},
	{OpSendMiddle, "SEND_MIDDLE", nil, PayloadFull, false, false},
	{OpSendLast, "SEND_LAST", nil, PayloadSome, false, true},
	{OpSendLastImm, "SEND_LAST_IMM", []ExtHeader{ExtImmDt}, PayloadSome, false, true},
	{OpSendOnly, "SEND_ONLY", nil, PayloadAny, true, true},
	{OpSendOnlyImm, "SEND_ONLY_IMM", []ExtHeader{ExtImmDt}, PayloadAny, true, true},
	{OpWriteFirst, "WRITE_FIRST", []ExtHeader{ExtRETH}, PayloadFull, true, false},
	{OpWriteMiddle, "WRITE_MIDDLE", nil, PayloadFull, false, false},
	{OpWriteLast, "WRITE_LAST", nil, PayloadSome, false, true},
	{OpWriteLastImm, "WRITE_LAST_IMM", []ExtHeader{ExtImmDt}, PayloadSome, false, true},
	{OpWriteOnly, "WRITE_ONLY", []ExtHeader{ExtRETH}, PayloadAny, true, true},
	{OpWriteOnlyImm, "WRITE_ONLY_IMM", []ExtHeader{ExtRETH, ExtImmDt}, PayloadAny, true, true},
	{OpReadRequest, "READ_REQUEST", []ExtHeader{ExtRETH}, PayloadNone, true, true},
	{OpReadResponseFirst, "READ_RESP_FIRST", []ExtHeader{ExtAETH}, PayloadFull, true, false},
	{OpReadResponseMiddle, "READ_RESP_MIDDLE", nil, PayloadFull, false, false},
	{OpReadResponseLast, "READ_RESP_LAST", []ExtHeader{ExtAETH}, PayloadSome, false, true},
	{OpReadResponseOnly, "READ_RESP_ONLY", []ExtHeader{ExtAETH}, PayloadAny, true, true},
	{OpAcknowledge, "ACKNOWLEDGE", []ExtHeader{ExtAETH}, PayloadNone, true, true},
	{OpAtomicAck, "ATOMIC_ACK", []ExtHeader{ExtAETH, ExtAtomicAckETH}, PayloadNone, true, true},
	{OpCmpSwap, "CMP_SWAP", []ExtHeader{ExtAtomicETH}, PayloadNone, true, true},
	{OpFetchAdd, "FETCH_ADD", []ExtHeader{ExtAtomicETH}, PayloadNone, true, true},
	{OpSendLastInv, "SEND_LAST_INV", []ExtHeader{ExtIETH}, PayloadSome, false, true},
	{OpSendOnlyInv, "SEND_ONLY_INV", []ExtHeader{ExtIETH}, PayloadAny, true, true},
	{OpCNP, "CNP", nil, PayloadSixteen, true, true},
}

// Lookup returns what is known of an opcode. Beside [Opcodes] it knows those of
// UC and UD, to name what the core drops or passes on. The answer is false for
// an undefined opcode, with a BTH alone and any payload.
func Lookup(op Opcode) (OpInfo, bool) {
	i := byCode[op]
	return i, i.Name != undefined
}

const undefined = "undefined"

// byCode is Lookup's answer for every code.
var byCode = func() (table [256]OpInfo) {
	for op := range table {
		table[op] = OpInfo{Code: Opcode(op), Name: undefined, Payload: PayloadAny}
	}
	for _, i := range opcodes {
		table[i.Code] = i
		if i.Code <= OpWriteOnlyImm {
			uc := Opcode(UC)<<5 | i.Code
			table[uc] = OpInfo{uc, "UC_" + i.Name, i.Headers, i.Payload, i.Start, i.End}
		}
		if i.Code == OpSendOnly || i.Code == OpSendOnlyImm {
			ud := Opcode(UD)<<5 | i.Code
			headers := append([]ExtHeader{ExtDETH}, i.Headers...)
			table[ud] = OpInfo{ud, "UD_" + i.Name, headers, i.Payload, i.Start, i.End}
		}
	}
	return table
}()

// String returns the opcode's name in the table, "undefined" without one.
func (op Opcode) String() string {
	info, _ := Lookup(op)
	return info.Name
}
