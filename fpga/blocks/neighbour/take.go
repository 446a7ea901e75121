package neighbour

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/stream"
)

// storeWords is how much of a frame is kept: 1514 bytes and a VLAN tag.
const storeWords = 190

// phase is what becomes of the request in the store.
type phase int

const (
	free    phase = iota
	taking        // it comes
	judging       // it is there, and its checksums are about to be
	sending
	flushing // it is bad
)

func (p phase) String() string {
	return [...]string{"FREE", "TAKING", "JUDGING", "SENDING", "FLUSHING"}[p]
}

// judgeCycles is how long the checksums and the length take behind the last word.
const judgeCycles = 6

// kept is a word of the store.
type kept struct {
	Data     hdl.Bits `w:"64"`
	LastByte hdl.Bits `w:"3"` // its index; 7 but in the last word
	Last     hdl.Bits `w:"1"`
}

// taker takes a request.
type taker struct {
	m     *hdl.Module
	io    *IO
	in    stream.Frame // requests; always taken
	kind  hdl.Bits     // of the request that comes in
	kinds kind         // that there are
	phase *hdl.FSM[phase]
	store *stream.FIFOIO[kept]

	at     hdl.Bits // word of the request that comes in
	chosen hdl.Bits // the kind of the request in the store
	takes  hdl.Bits // a word of it comes
	bad    hdl.Bits // it has Err or does not fit
	words  hdl.Bits // of the request, less one
	last   hdl.Bits // index of its last byte in its last word
}

func newTaker(m *hdl.Module, p Params, io *IO, in stream.Frame, kind hdl.Bits) *taker {
	return &taker{
		m: m, io: io, in: in, kind: kind, kinds: p.kinds(),
		phase:  hdl.NewFSM(m, "phase", free, taking, judging, sending, flushing),
		store:  hdl.Instance(m, "u_store", stream.BlockFIFODef(kept{}, storeWords)),
		chosen: m.RegN("chosen", kind.Width()), bad: m.RegN("bad", 1), words: m.RegN("words", 8), last: m.RegN("last_byte", 3),
	}
}

// take puts one request into the store; the others are dropped, which the result says at their end.
func (t *taker) take() (dropped hdl.Bits) {
	m, in := t.m, t.in.Data
	comes := t.in.Valid
	t.in.Ready.SetK(1)
	t.at = wordCounter(m, "take_at", comes, in.Last)
	t.takes = comes.And(t.phase.Is(taking).Or(t.phase.Is(free).And(t.at.Is(0))))

	t.store.In.Valid.Set(t.takes.And(t.store.In.Ready))
	hdl.Set(t.store.In.Data, kept{Data: in.Data, LastByte: stream.LastByte(in.Keep), Last: in.Last})
	m.Unused(in.Keep.Bit(0), t.store.HighWater)
	first := t.phase.Is(free)
	m.If(t.takes, func() {
		m.If(first, func() { t.chosen.Set(t.kind) })
		t.words.Set(hdl.Mux(first, t.words.K(0), t.words.AddK(1)))
		t.last.Set(stream.LastByte(in.Keep))
		t.bad.Set(in.Err.Or(t.store.In.Ready.Not()).Or(t.bad.And(first.Not())))
		m.If(in.Last, func() { t.phase.Goto(judging) }).Else(func() { t.phase.Goto(taking) })
	})
	return hdl.AndAll(comes, in.Last, t.takes.Not())
}

// field is the register of a field of the request, in network order, given where it is in each untagged kind.
func (t *taker) field(name string, bytes, inARP, inPing int) hdl.Bits {
	m := t.m
	parts := make([]hdl.Bits, bytes)
	for i := range parts {
		parts[i] = m.RegN(fmt.Sprintf("%s_%d", name, i), 8)
		here := make([]hdl.Bits, 8) // by lane
		for k := range t.kinds {
			offset := inPing
			if k.isARP() {
				offset = inARP
			}
			if offset == none {
				continue
			}
			place := k.at(offset + i)
			now := hdl.AndAll(t.takes, t.at.Is(uint64(place/8)), t.isPresent(k))
			if here[place%8].Width() > 0 {
				now = now.Or(here[place%8])
			}
			here[place%8] = now
		}
		for lane, now := range here {
			if now.Width() > 0 {
				m.If(now, func() { parts[i].Set(t.in.Data.Data.Byte(lane)) })
			}
		}
	}
	return hdl.Cat(parts...)
}

// none is the offset of a field that a kind does not have.
const none = -1

// isPresent says that the request whose word comes is of kind k, and isChosen that the one in the store is.
func (t *taker) isPresent(k kind) hdl.Bits {
	return hdl.Mux(t.phase.Is(free), t.kind, t.chosen).Is(uint64(k))
}

func (t *taker) isChosen(k kind) hdl.Bits { return t.chosen.Is(uint64(k)) }

// isTagged says that the request whose word comes has a tag.
func (t *taker) isTagged() hdl.Bits {
	if t.kinds <= taggedARP {
		return hdl.K(1, 0)
	}
	return t.isPresent(taggedARP).Or(t.isPresent(taggedPing))
}

// isPing says that the one in the store is an echo request.
func (t *taker) isPing() hdl.Bits { return t.chosen.Bit(0) }

// fields makes those of the answer. Checksums are one's complement sums (RFC 1071); a change of a field from old to new makes of a
// checksum c: ^(^c + ^old + new) (RFC 1624).
func (t *taker) fields() (f fields, total hdl.Bits) {
	f.mac, f.ip = t.io.MAC, t.io.IP
	f.peerMAC = t.field("peer_mac", 6, arpSenderMAC, ethSource)
	f.peerIP = t.field("peer_ip", 4, arpSenderIP, ipSource)
	ipSum := t.field("ip_sum", 2, none, ipChecksum)
	ttl := t.field("ttl", 1, none, ipTTL)
	icmpSum := t.field("icmp_sum", 2, none, icmpChecksum)
	total = t.field("total", 2, none, ipLength)

	less := t.registered("ttl_change", onesAdd(hdl.Cat(ttl, hdl.K(8, protocol)).Not(), hdl.K(16, freshTTL<<8|protocol)))
	f.ipSum = t.registered("ip_sum_new", onesAdd(ipSum.Not(), less).Not())
	f.icmpSum = t.registered("icmp_sum_new", onesAdd(icmpSum.Not(), hdl.K(16, 0xFFFF^echoRequest<<8)).Not())
	return f, total
}

func (t *taker) registered(name string, x hdl.Bits) hdl.Bits {
	r := t.m.RegN(name, x.Width())
	r.Set(x)
	return r
}

// onesAdd is the one's complement sum of two words of 16 bits.
func onesAdd(a, b hdl.Bits) hdl.Bits {
	sum := a.AddC(b)
	return sum.Trunc(16).Add(sum.MSB().ZExt(16))
}

// headerGood says, some cycles behind the header, that the words of the IPv4 header sum up to ones.
func (t *taker) headerGood() hdl.Bits {
	m := t.m
	tagged := t.isTagged()
	sum := hdl.K(18, 0)
	for half := range 4 { // of a word
		var inside []hdl.Bits
		for word := range headWord + 1 {
			byUntagged := covers(arp, 8*word+2*half)
			byTagged := t.kinds > taggedARP && covers(taggedARP, 8*word+2*half)
			here := t.at.Is(uint64(word))
			switch {
			case byUntagged && (byTagged || t.kinds <= taggedARP):
				inside = append(inside, here)
			case byUntagged:
				inside = append(inside, here.And(tagged.Not()))
			case byTagged:
				inside = append(inside, here.And(tagged))
			}
		}
		x := t.in.Data.Data.Slice(16*half+15, 16*half)
		sum = sum.Add(hdl.SwapBytes(x).And(hdl.OrAll(inside...).Rep(16)).ZExt(18))
	}
	part := m.RegN("header_part", 18)
	adds, begins := m.Reg("header_adds", 1, 0), m.RegN("header_begins", 1)
	part.Set(sum)
	adds.Set(t.takes)
	begins.Set(t.phase.Is(free))
	whole := m.RegN("header_sum", 20)
	m.If(adds, func() { whole.Set(hdl.Mux(begins, part.ZExt(20), whole.Add(part.ZExt(20)))) })
	folded := t.registered("header_folded", whole.Trunc(16).AddC(whole.Slice(19, 16).ZExt(16)))
	return folded.Is(0xFFFF)
}

// covers says that the IPv4 header has the two bytes at an offset of a frame of kind k.
func covers(k kind, offset int) bool { return offset >= k.at(ipHead) && offset < k.at(ipEnd) }

// lengthGood says, some cycles behind the end, that the frame has all bytes of its IPv4 packet, and that this has an ICMP header.
func (t *taker) lengthGood(total hdl.Bits) hdl.Bits {
	head := hdl.K(17, ipHead)
	if t.kinds > taggedARP {
		head = hdl.Mux(t.isChosen(taggedPing), hdl.K(17, ipHead+tagBytes), head)
	}
	wanted := t.registered("wanted", total.ZExt(17).Add(head))
	have := hdl.Cat(t.words, t.last).ZExt(17) // less one
	fits := t.registered("length_fits", wanted.Le(have.AddK(1)))
	return fits.And(total.GeK(ipEnd - ipHead + 8))
}

// judge ends the wait for the checksums; it returns one bit: a bad request is about to be flushed.
func (t *taker) judge(headerGood, lengthGood hdl.Bits) (bad hdl.Bits) {
	m := t.m
	wait := m.Reg("waits", 3, 0)
	done := t.phase.Is(judging).And(wait.Is(judgeCycles))
	wait.Set(hdl.Mux(t.phase.Is(judging).And(done.Not()), wait.AddK(1), wait.K(0)))
	bad = done.And(t.bad.Or(t.isPing().And(headerGood.And(lengthGood).Not())))
	m.If(done, func() {
		m.If(bad, func() { t.phase.Goto(flushing) }).Else(func() { t.phase.Goto(sending) })
	})
	m.If(t.phase.Is(flushing).And(t.store.Level.Is(0)), func() { t.phase.Goto(free) })
	return bad
}
