package walk

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"gornic/format"
	"gornic/tb/host"
	"gornic/tb/rtl"
)

// watched is a host whose driver and memory are watched. It is the verbs.Bus of its
// driver: where rings are it learns from the commands that the driver gives.
type watched struct {
	*rtl.Host
	where   Where
	seen    *[]Seen
	mailbox [format.MailboxBytes]byte
	keys    uint64 // where the key table is
	places  []place
	cqs     map[uint64]place // completion queues that no queue pair has claimed
}

// place is a piece of memory with a name.
type place struct {
	name string
	addr uint64
	size uint64
}

func (p place) holds(addr uint64) bool { return addr >= p.addr && addr-p.addr < p.size }

// Names of places that the driver makes; buffers have names of their plays.
const (
	sendQueue  = "send queue"
	recvQueue  = "receive queue"
	sendCQ     = "send CQ"
	recvCQ     = "receive CQ"
	eventQueue = "event queue"
	lentEntry  = "entry of the lent key"
)

// keyState is the byte of an entry of the key table that has its state, in its low half.
const keyState = 7

func watch(h *rtl.Host, where Where, seen *[]Seen) *watched {
	w := &watched{Host: h, where: where, seen: seen, cqs: map[uint64]place{}}
	h.OnAccess(w.access)
	return w
}

// now is the cycle that comes next.
func (w *watched) now() uint64 { return w.Core().Cycle() }

// note adds an observation.
func (w *watched) note(what string, values ...Value) {
	*w.seen = append(*w.seen, Seen{Cycle: w.now(), Where: w.where, What: what, Values: values})
}

// name names a piece of memory, in place of an older one of that name.
func (w *watched) name(p place) {
	for i, old := range w.places {
		if old.name == p.name {
			w.places[i] = p
			return
		}
	}
	w.places = append(w.places, p)
}

// forget forgets all places but the event queue, which stays as long as the device is open.
func (w *watched) forget() {
	w.places = slices.DeleteFunc(w.places, func(p place) bool { return p.name != eventQueue })
}

// placeOf is the named place of an address; empty: it has none.
func (w *watched) placeOf(addr uint64) (place, bool) {
	for _, p := range w.places {
		if p.holds(addr) {
			return p, true
		}
	}
	return place{}, false
}

// access sees each access to memory: what the NIC does with named places, and what software
// posts. Accesses that follow each other in one cycle are one.
func (w *watched) access(a host.Access) {
	p, ok := w.placeOf(a.Addr)
	if !ok || a.Err != nil || a.Source == host.Software && !a.Write {
		return
	}
	at, n := a.Addr-p.addr, uint64(len(a.Data))
	switch {
	case a.Source == host.Software && (p.name == sendQueue || p.name == recvQueue):
		w.posted(p, at, a.Data)
	case a.Source == host.Software:
	case a.Write:
		w.touch("writes "+p.name, at, n, a.Data)
	default:
		w.touch("reads "+p.name, at, n, nil)
	}
}

// touch notes an access of the NIC, or lengthens the last one.
func (w *watched) touch(what string, at, n uint64, data []byte) {
	if k := len(*w.seen) - 1; k >= 0 {
		last := &(*w.seen)[k]
		if last.Where == w.where && last.What == what && last.Cycle == w.now() && last.Get("at")+last.Get("bytes") == at {
			last.Values[1].Number += n
			last.Data = append(last.Data, data...)
			return
		}
	}
	w.note(what, Value{"at", at}, Value{"bytes", n})
	(*w.seen)[len(*w.seen)-1].Data = append([]byte(nil), data...)
}

// posted notes the WQEs that software writes to a queue.
func (w *watched) posted(p place, at uint64, data []byte) {
	var values []Value
	var err error
	what := "posts send WQE"
	if p.name == sendQueue {
		values, err = sendWQE(data)
	} else {
		what = "posts receive WQE"
		values, err = recvWQE(data)
	}
	if err == nil {
		w.note(what, append([]Value{{"at", at}}, values...)...)
	}
}

func sendWQE(b []byte) ([]Value, error) {
	c, err := format.DecodeHost[format.SendControl[uint64]](b)
	if err != nil {
		return nil, err
	}
	values := []Value{
		{"opcode", c.Opcode}, {"flags", c.Flags}, {"sges", c.NumSGE}, {"wr_id", c.WRID}, {"imm", c.Imm},
		{"remote_addr", c.RemoteAddr}, {"rkey", c.RKey},
	}
	return sgeValues(values, b, format.ControlGranules, c.NumSGE)
}

func recvWQE(b []byte) ([]Value, error) {
	c, err := format.DecodeHost[format.RecvControl[uint64]](b)
	if err != nil {
		return nil, err
	}
	return sgeValues([]Value{{"sges", c.NumSGE}, {"wr_id", c.WRID}}, b, 1, c.NumSGE)
}

func sgeValues(values []Value, b []byte, granule, n uint64) ([]Value, error) {
	for i := range n {
		s, err := format.DecodeHost[format.SGE[uint64]](b[(granule+i)*format.GranuleBytes:])
		if err != nil {
			return nil, err
		}
		values = append(values, Value{fmt.Sprintf("addr%d", i), s.Addr}, Value{fmt.Sprintf("length%d", i), s.Length}, Value{fmt.Sprintf("lkey%d", i), s.LKey})
	}
	return values, nil
}

// WriteRegister notes doorbells and learns from commands where rings are.
func (w *watched) WriteRegister(ctx context.Context, offset, value uint32) error {
	switch {
	case offset >= format.DoorbellBase:
		w.rings(offset%format.DoorbellPageBytes, value)
	case offset >= format.RegMailbox && offset < format.RegMailbox+format.MailboxBytes:
		binary.LittleEndian.PutUint32(w.mailbox[offset-format.RegMailbox:], value)
	case offset == format.RegMailboxGo:
		w.note("gives command", val("code", value))
		w.learn(format.CommandCode(value))
	case offset == format.RegKeyBaseLow:
		w.keys = uint64(value)
	case offset == format.RegKeyBaseHigh:
		w.keys |= uint64(value) << 32
	}
	return w.Host.WriteRegister(ctx, offset, value)
}

// bells are the doorbells that are noted.
var bells = map[uint32]string{
	format.DoorbellSQ: "rings send queue", format.DoorbellRQ: "rings receive queue",
	format.DoorbellArm: "arms CQ", format.DoorbellArmSolicited: "arms CQ solicited",
}

func (w *watched) rings(kind, value uint32) {
	if what := bells[kind]; what != "" {
		w.note(what, val("producer", value>>16), val("number", value&0xFFFF))
	}
}

// learn finds the rings in a command.
func (w *watched) learn(code format.CommandCode) {
	b := w.mailbox[:]
	switch code {
	case format.CmdCreateEQ:
		if c, err := format.DecodeHost[format.CreateEQ[uint64]](b); err == nil {
			w.name(place{eventQueue, c.Base, uint64(format.Size[format.EQE[uint64]]()) << c.LogSize})
		}
	case format.CmdCreateCQ:
		if c, err := format.DecodeHost[format.CreateCQ[uint64]](b); err == nil {
			w.cqs[c.CQN] = place{"", c.Base, uint64(format.Size[format.CQE[uint64]]()) << c.LogSize}
		}
	case format.CmdCreateQP:
		if c, err := format.DecodeHost[format.CreateQP[uint64]](b); err == nil {
			w.name(place{sendQueue, c.SQBase, format.WQEBytesMin << c.SQLogStride << c.SQLogSize})
			w.name(place{recvQueue, c.RQBase, format.WQEBytesMin << c.RQLogStride << c.RQLogSize})
			w.claim(sendCQ, c.SendCQ)
			w.claim(recvCQ, c.RecvCQ)
		}
	}
}

// claim gives a completion queue its name.
func (w *watched) claim(name string, cq uint64) {
	p := w.cqs[cq]
	p.name = name
	w.name(p)
}

// nameEntry names the entry of a key in the key table.
func (w *watched) nameEntry(name string, key uint32) {
	w.name(place{name, w.keys + uint64(key>>format.KeyTagBits)*keyEntryBytes, keyEntryBytes})
}

// keyEntryBytes is the length of an entry of the key table.
var keyEntryBytes = uint64(format.Size[format.KeyEntry[uint64]]())

// holds notes what a place holds.
func (w *watched) holds(name string) {
	for _, p := range w.places {
		if p.name == name {
			w.note("holds " + name)
			(*w.seen)[len(*w.seen)-1].Data = w.Peek(p.addr, int(p.size))
		}
	}
}

// describe takes apart what the NIC wrote to rings.
func describe(s *Seen) {
	switch s.What {
	case "writes " + sendCQ, "writes " + recvCQ:
		if e, err := format.DecodeHost[format.CQE[uint64]](s.Data); err == nil {
			s.Values = append(s.Values, Value{"wr_id", e.WRID}, Value{"status", e.Status}, Value{"opcode", e.Opcode}, Value{"byte_len", e.ByteLen},
				Value{"imm", e.Imm}, Value{"flags", e.Flags}, Value{"qpn", e.QPN}, Value{"wqe", e.WQEIndex}, Value{"queue", e.Queue})
		}
	case "writes " + lentEntry:
		if at := s.Get("at"); at <= keyState && at+s.Get("bytes") > keyState {
			s.Values = append(s.Values, Value{"state", uint64(s.Data[keyState-at] & 0xF)})
		}
	case "writes " + eventQueue:
		if e, err := format.DecodeHost[format.EQE[uint64]](s.Data); err == nil {
			s.Values = append(s.Values, Value{"kind", e.Kind}, Value{"number", e.Number})
		}
	}
}
