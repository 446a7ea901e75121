package format

import (
	"encoding/binary"
	"fmt"
)

// PayloadLenBits is the width of a payload length in the descriptors: 0 to 4096.
const PayloadLenBits = 13

// ExtBytesMax is the length of the longest extension headers, the AtomicETH's.
const ExtBytesMax = 28

// ExtWords is the storage of the extension headers in the descriptors: the 28
// bytes after the BTH as 32-bit words in wire order. The opcode says which
// headers they are ([OpInfo.ExtOffset]):
//
//	word       0         1         2     3       4         5      6
//	RETH       VA .............    RKey  DMALen  (ImmDt)
//	AtomicETH  VA .............    RKey  SwapAdd ........  Compare .....
//	AETH       AETH      (AtomicAckETH ......)
//	ImmDt      Imm
//	IETH       RKey
//
// so that neither the parser nor the builder needs a multiplexer to place them,
// and 224 bits hold what named fields would need 512 for. Words after the
// opcode's last header are undefined in hardware; the references leave them zero
// and [Same] does not compare them.
type ExtWords[V any] [ExtBytesMax / 4]V

// RxDescriptor is what the parser hands on with the payload of a packet that
// its header made acceptable. What the parser has judged is not in it: the
// transport version, the partition key, the ports and lengths. The comments of
// the fields stand at the ports in the Verilog, too.
type RxDescriptor[V any] struct {
	VLAN         V           `w:"1"`             // the frame had an 802.1Q tag
	TCI          V           `w:"16"`            // its tag control information; undefined without a tag
	IPv6         V           `w:"1" name:"ipv6"` // 1: IPv6, 0: IPv4
	TrafficClass V           `w:"8"`             // IPv4 TOS or IPv6 traffic class; ECN is bits 1 and 0
	SrcHi        V           `w:"64"`            // source address, bytes 0 to 7; IPv4: 0
	SrcLo        V           `w:"64"`            // source address, bytes 8 to 15; IPv4: in the low 32 bits, 0 above
	DstHi        V           `w:"64"`            // destination address, bytes 0 to 7; IPv4: 0
	DstLo        V           `w:"64"`            // destination address, bytes 8 to 15; IPv4: in the low 32 bits, 0 above
	SrcPort      V           `w:"16"`            // UDP source port
	Opcode       V           `w:"8"`             // BTH opcode: 0x00 to 0x1F or 0x81
	Undefined    V           `w:"1"`             // the opcode is not in the table: no extension header was looked for
	CNP          V           `w:"1"`             // the opcode is the CNP's
	SE           V           `w:"1"`             // BTH: solicited event
	MigReq       V           `w:"1"`             // BTH: migration state
	PadCnt       V           `w:"2"`             // BTH: pad bytes, which are removed
	FECN         V           `w:"1"`             // BTH: forward congestion notification
	BECN         V           `w:"1"`             // BTH: backward congestion notification, 1 in a CNP
	DestQP       V           `w:"24"`            // BTH: destination queue pair, neither 0 nor 1
	AckReq       V           `w:"1"`             // BTH: the sender asks for an acknowledgement
	PSN          V           `w:"24"`            // BTH: packet sequence number
	Ext          ExtWords[V] `w:"32"`            // extension headers: 32-bit words in wire order
	PayloadLen   V           `w:"13"`            // bytes without pad, 0 to 4096
}

// TxDescriptor is what the packet builder takes with a payload. It carries what
// differs between packets or peers. A field that a core ties to a constant
// costs nothing there. The builder fills in the rest: ethertypes, version and
// lengths, the IPv4 checksum, UDP destination port, TVer 0, reserved bits 0, the
// pad bytes (zero) and the ICRC.
type TxDescriptor[V any] struct {
	DstMAC       V           `w:"48"`            // destination MAC address
	SrcMAC       V           `w:"48"`            // source MAC address
	VLAN         V           `w:"1"`             // 1: an 802.1Q tag
	TCI          V           `w:"16"`            // tag control information; ignored without a tag
	IPv6         V           `w:"1" name:"ipv6"` // 1: IPv6, 0: IPv4
	TrafficClass V           `w:"8"`             // IPv4 TOS or IPv6 traffic class
	HopLimit     V           `w:"8"`             // IPv4 TTL or IPv6 hop limit
	IPID         V           `w:"16"`            // IPv4 identification
	DF           V           `w:"1"`             // IPv4 do not fragment
	FlowLabel    V           `w:"20"`            // IPv6 flow label
	SrcHi        V           `w:"64"`            // source address, bytes 0 to 7; ignored for IPv4
	SrcLo        V           `w:"64"`            // source address, bytes 8 to 15; IPv4: the low 32 bits
	DstHi        V           `w:"64"`            // destination address, bytes 0 to 7; ignored for IPv4
	DstLo        V           `w:"64"`            // destination address, bytes 8 to 15; IPv4: the low 32 bits
	SrcPort      V           `w:"16"`            // UDP source port: 0xC000 to 0xFFFF, the same for all of a connection
	UDPChecksum  V           `w:"16"`            // as sent; normally 0
	Opcode       V           `w:"8"`             // one of the table; of an undefined one only the BTH is sent
	SE           V           `w:"1"`             // BTH: solicited event
	MigReq       V           `w:"1"`             // BTH: migration state, normally 0
	PadCnt       V           `w:"2"`             // BTH: zero bytes after the payload, (-length) mod 4
	PKey         V           `w:"16"`            // BTH: partition key, normally 0xFFFF
	FECN         V           `w:"1"`             // BTH: forward congestion notification, normally 0
	BECN         V           `w:"1"`             // BTH: backward congestion notification, 1 in a CNP
	DestQP       V           `w:"24"`            // BTH: destination queue pair
	AckReq       V           `w:"1"`             // BTH: asks for an acknowledgement
	PSN          V           `w:"24"`            // BTH: packet sequence number
	Ext          ExtWords[V] `w:"32"`            // extension headers: 32-bit words in wire order
	PayloadLen   V           `w:"13"`            // bytes without pad, 0 to 4096
}

// DecodeExt returns the first n bytes of b as words; the other words are zero. n
// is a multiple of 4, at most [ExtBytesMax], and b has as many.
func DecodeExt(b []byte, n int) (ExtWords[uint64], error) {
	var w ExtWords[uint64]
	if n < 0 || n%4 != 0 || n > min(len(b), ExtBytesMax) {
		return w, fmt.Errorf("format: %d bytes of extension headers from %d: %w", n, len(b), ErrShort)
	}
	for i := range n / 4 {
		w[i] = uint64(binary.BigEndian.Uint32(b[4*i:]))
	}
	return w, nil
}

// AppendExt appends the first n bytes of the words to b. n is a multiple of 4,
// at most [ExtBytesMax]; a word above 32 bits is cut.
func AppendExt(b []byte, w ExtWords[uint64], n int) []byte {
	for _, x := range w[:min(n, ExtBytesMax)/4] {
		b = binary.BigEndian.AppendUint32(b, uint32(x))
	}
	return b
}

// ExtHeaderOf returns the extension header T, which is header h of opcode op,
// from the words of a descriptor: ExtHeaderOf[RETH[uint64]](d.Ext, op, ExtRETH).
// The answer is false if the opcode has no such header.
func ExtHeaderOf[T any](w ExtWords[uint64], op Opcode, h ExtHeader) (T, bool) {
	var none T
	info, _ := Lookup(op)
	at, ok := info.ExtOffset(h)
	if !ok {
		return none, false
	}
	x, err := Decode[T](AppendExt(nil, w, ExtBytesMax)[at:])
	return x, err == nil
}

// Same reports whether two descriptors of received packets agree in every
// defined field: TCI counts only with a tag, of Ext only the opcode's headers.
func Same(a, b RxDescriptor[uint64]) bool {
	return defined(a) == defined(b)
}

// defined returns d with the undefined fields zero.
func defined(d RxDescriptor[uint64]) RxDescriptor[uint64] {
	if d.VLAN == 0 {
		d.TCI = 0
	}
	info, _ := Lookup(Opcode(d.Opcode))
	clear(d.Ext[info.ExtBytes()/4:])
	return d
}
