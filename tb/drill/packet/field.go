package packet

import (
	"fmt"
	"slices"

	"gornic/format"
)

// Kind says how the values of a field are written.
type Kind uint8

// Kinds of field.
const (
	Number   Kind = iota
	Opcode        // a name of the opcode table, or a number
	Syndrome      // ACK, RNR_NAK, NAK_SEQUENCE, ..., or a number
	PSN           // a number, or with a sign relative to the first PSN
	QPN           // a number, or a queue pair's name
	Key           // a number, or the name of who has the key
	Address       // a number, or the name of a region
)

// Field is a number in a packet that a case may name.
type Field struct {
	Name   string
	Bits   int
	Kind   Kind
	Doc    string
	Header string // where it is, for people
	at     func(*Packet) *uint64
	ext    []format.ExtHeader // it is in these alone; none: in every packet
}

// Get returns its value in a packet, false if the packet has no such field.
func (f Field) Get(p *Packet) (uint64, bool) {
	if !f.In(p) {
		return 0, false
	}
	return *f.at(p), true
}

// Set sets its value in a packet. RETH and AtomicETH, both of which have a VA and a key, are
// told apart by the packet's opcode, which is set first.
func (f Field) Set(p *Packet, v uint64) { *f.at(p) = v }

// In tells whether a packet of that opcode has the field.
func (f Field) In(p *Packet) bool {
	return len(f.ext) == 0 || slices.ContainsFunc(f.ext, p.Has)
}

// Lookup returns the field of a name.
func Lookup(name string) (Field, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Fields returns all fields that are numbers, in the order of the wire.
func Fields() []Field { return slices.Clone(fields) }

var (
	rethOrAtomic = []format.ExtHeader{format.ExtRETH, format.ExtAtomicETH}
	reth         = []format.ExtHeader{format.ExtRETH}
	atomicETH    = []format.ExtHeader{format.ExtAtomicETH}
	aeth         = []format.ExtHeader{format.ExtAETH}
)

var fields = []Field{
	{Name: "dst_mac", Bits: 48, Header: "Ethernet", Doc: "destination address", at: func(p *Packet) *uint64 { return &p.DstMAC }},
	{Name: "src_mac", Bits: 48, Header: "Ethernet", Doc: "source address", at: func(p *Packet) *uint64 { return &p.SrcMAC }},
	{Name: "traffic_class", Bits: 8, Header: "IP", Doc: "DSCP and ECN; TOS of IPv4", at: func(p *Packet) *uint64 { return &p.TrafficClass }},
	{Name: "hop_limit", Bits: 8, Header: "IP", Doc: "TTL of IPv4", at: func(p *Packet) *uint64 { return &p.HopLimit }},
	{Name: "flow_label", Bits: 20, Header: "IPv6", Doc: "flow label", at: func(p *Packet) *uint64 { return &p.FlowLabel }},
	{Name: "ip_id", Bits: 16, Header: "IPv4", Doc: "identification", at: func(p *Packet) *uint64 { return &p.IPID }},
	{Name: "ip_length", Bits: 16, Header: "IP", Doc: "IPv4: total length; IPv6: payload length", at: func(p *Packet) *uint64 { return &p.IPLength }},
	{Name: "src_port", Bits: 16, Header: "UDP", Doc: "source port", at: func(p *Packet) *uint64 { return &p.SrcPort }},
	{Name: "dst_port", Bits: 16, Header: "UDP", Doc: "destination port", at: func(p *Packet) *uint64 { return &p.DstPort }},
	{Name: "udp_length", Bits: 16, Header: "UDP", Doc: "length", at: func(p *Packet) *uint64 { return &p.UDPLength }},
	{Name: "udp_checksum", Bits: 16, Header: "UDP", Doc: "checksum, not computed", at: func(p *Packet) *uint64 { return &p.UDPChecksum }},
	{Name: "opcode", Bits: 8, Kind: Opcode, Header: "BTH", Doc: "operation", at: func(p *Packet) *uint64 { return &p.BTH.Opcode }},
	{Name: "se", Bits: 1, Header: "BTH", Doc: "solicited event", at: func(p *Packet) *uint64 { return &p.BTH.SE }},
	{Name: "migreq", Bits: 1, Header: "BTH", Doc: "migration state", at: func(p *Packet) *uint64 { return &p.BTH.MigReq }},
	{Name: "pad", Bits: 2, Header: "BTH", Doc: "bytes of pad", at: func(p *Packet) *uint64 { return &p.BTH.PadCnt }},
	{Name: "tver", Bits: 4, Header: "BTH", Doc: "transport header version", at: func(p *Packet) *uint64 { return &p.BTH.TVer }},
	{Name: "pkey", Bits: 16, Header: "BTH", Doc: "partition key", at: func(p *Packet) *uint64 { return &p.BTH.PKey }},
	{Name: "fecn", Bits: 1, Header: "BTH", Doc: "forward congestion notification", at: func(p *Packet) *uint64 { return &p.BTH.FECN }},
	{Name: "becn", Bits: 1, Header: "BTH", Doc: "backward congestion notification", at: func(p *Packet) *uint64 { return &p.BTH.BECN }},
	{Name: "resv6", Bits: 6, Header: "BTH", Doc: "reserved, not covered by the ICRC", at: func(p *Packet) *uint64 { return &p.BTH.Resv6 }},
	{Name: "dest_qp", Bits: 24, Kind: QPN, Header: "BTH", Doc: "destination queue pair", at: func(p *Packet) *uint64 { return &p.BTH.DestQP }},
	{Name: "ackreq", Bits: 1, Header: "BTH", Doc: "an acknowledgement is asked for", at: func(p *Packet) *uint64 { return &p.BTH.AckReq }},
	{Name: "resv7", Bits: 7, Header: "BTH", Doc: "reserved, covered by the ICRC", at: func(p *Packet) *uint64 { return &p.BTH.Resv7 }},
	{Name: "psn", Bits: 24, Kind: PSN, Header: "BTH", Doc: "packet sequence number", at: func(p *Packet) *uint64 { return &p.BTH.PSN }},
	{Name: "va", Bits: 64, Kind: Address, Header: "RETH, AtomicETH", Doc: "virtual address", at: vaOf, ext: rethOrAtomic},
	{Name: "rkey", Bits: 32, Kind: Key, Header: "RETH, AtomicETH", Doc: "remote key", at: rkeyOf, ext: rethOrAtomic},
	{Name: "dma_len", Bits: 32, Header: "RETH", Doc: "bytes of the whole message", at: func(p *Packet) *uint64 { return &p.RETH.DMALen }, ext: reth},
	{Name: "swap_add", Bits: 64, Header: "AtomicETH", Doc: "the new value, or the addend", at: func(p *Packet) *uint64 { return &p.Atomic.SwapAdd }, ext: atomicETH},
	{Name: "compare", Bits: 64, Header: "AtomicETH", Doc: "what is compared", at: func(p *Packet) *uint64 { return &p.Atomic.Compare }, ext: atomicETH},
	{Name: "syndrome", Bits: 8, Kind: Syndrome, Header: "AETH", Doc: "ACK, RNR NAK or NAK", at: func(p *Packet) *uint64 { return &p.AETH.Syndrome }, ext: aeth},
	{Name: "msn", Bits: 24, Header: "AETH", Doc: "message sequence number", at: func(p *Packet) *uint64 { return &p.AETH.MSN }, ext: aeth},
	{
		Name: "original", Bits: 64, Header: "AtomicAckETH", Doc: "the value before", ext: []format.ExtHeader{format.ExtAtomicAckETH},
		at: func(p *Packet) *uint64 { return &p.AtomicAck.Original },
	},
	{
		Name: "imm", Bits: 32, Header: "ImmDt", Doc: "immediate, first byte on the wire highest", ext: []format.ExtHeader{format.ExtImmDt},
		at: func(p *Packet) *uint64 { return &p.Imm.Imm },
	},
	{
		Name: "inv_rkey", Bits: 32, Kind: Key, Header: "IETH", Doc: "key to invalidate", ext: []format.ExtHeader{format.ExtIETH},
		at: func(p *Packet) *uint64 { return &p.IETH.RKey },
	},
}

func vaOf(p *Packet) *uint64 {
	if p.Has(format.ExtAtomicETH) {
		return &p.Atomic.VA
	}
	return &p.RETH.VA
}

func rkeyOf(p *Packet) *uint64 {
	if p.Has(format.ExtAtomicETH) {
		return &p.Atomic.RKey
	}
	return &p.RETH.RKey
}

// Show writes a value as the field's kind is written.
func (f Field) Show(v uint64) string {
	switch f.Kind {
	case Opcode:
		return OpcodeName(format.Opcode(v))
	case Syndrome:
		return SyndromeName(v)
	case PSN, QPN:
		return fmt.Sprintf("0x%06x", v)
	case Key, Address:
		return fmt.Sprintf("%#x", v)
	}
	if f.Bits >= 16 {
		return fmt.Sprintf("%#x", v)
	}
	return fmt.Sprint(v)
}
