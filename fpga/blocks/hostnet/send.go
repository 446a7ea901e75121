package hostnet

import (
	"gornic/format"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// answer is what the PC is told about an access.
type answer struct {
	To      address
	Session hdl.Bits `w:"32"`
	Addr    hdl.Bits `w:"64"`
	Seq     hdl.Bits `w:"32"`
	Op      hdl.Bits `w:"4"`
	Status  hdl.Bits `w:"3"`
}

// Lengths without data, in bytes.
const (
	ipBytes     = 20 + udpBytes
	udpBytes    = 8 + 22
	headerBeats = 8
)

// doing is what the sender is at.
type doing int

const (
	doIdle   doing = iota
	doSum          // the checksum of the IPv4 header is added up
	doHeader       // the words before the data
	doData
)

func (d doing) String() string { return [...]string{"idle", "sum", "header", "data"}[d] }

// sumSteps is how many cycles the checksum takes.
const sumSteps = 7

// sender is the part that makes frames.
type sender struct {
	*block
	st      *hdl.FSM[doing]
	own     hdl.Bits // the frame is a request, not an answer
	job     outgoing
	seq     hdl.Bits // of the request
	step    hdl.Bits // of the state: a number of words, or of terms
	length  hdl.Bits // bytes of the IPv4 packet
	sum     hdl.Bits // checksum of its header
	words   hdl.Bits // of data,
	final   hdl.Bits // and the number of the last one
	issue   hdl.Bits // wire: a word goes into the pipeline
	takes   hdl.Bits // wire: it could
	ends    hdl.Bits // wire: that word is the last of the frame
	isStore hdl.Bits // wire: that word is one of the store
}

// send makes frames: the next request of the window that has not been sent, or before it an answer to the PC.
func (b *block) send() {
	m := b.m
	s := &sender{
		block: b,
		st:    hdl.NewFSM(m, "sender", doIdle, doSum, doHeader, doData),
		own:   m.RegN("sender_own", 1),
		job:   hdl.NewReg(m, "sender_job", b.p.outgoing()),
		seq:   m.RegN("sender_seq", 32),
		step:  m.Reg("sender_step", 7, 0),
		sum:   m.RegN("sender_sum", 19),
		takes: m.Wire("sender_takes", 1),
		issue: m.Wire("sender_issues", 1),
	}
	s.words, s.final = m.RegN("sender_words", 8), m.RegN("sender_final", 7)
	s.final.Set(s.words.SubK(1).Trunc(7))
	s.length = hdl.Cat(s.words.ZExt(13), hdl.K(3, 0)).AddK(ipBytes)
	s.begin()
	s.control()
	s.pipeline()
}

// begin takes the next frame at hand.
func (s *sender) begin() {
	m, w := s.m, s.win
	idle := s.st.Is(doIdle)
	unsent := m.Reg("unsent", 1, 0) // a cycle ago there was one to be sent, and it was not about to be answered before it is
	unsent.Set(w.Ahead.Ne(w.Held).And(w.Ahead.None().And(s.answering).Not()))
	fresh := hdl.AndAll(s.open, unsent, s.late.Not(), s.answer.Valid.Not())
	s.start.Set(idle.And(fresh))
	s.sending.Set(idle.Not().And(s.own))
	m.If(idle, func() {
		s.own.Set(s.answer.Valid.Not())
		job := hdl.Unpack(s.job, s.sends.At(w.Next.Trunc(s.sends.AddrWidth())))
		hdl.Set(s.job, job)
		data := job.Kind.Is(kindWrite).And(s.answer.Valid.Not())
		s.words.Set(hdl.Mux(data, job.Words, job.Words.K(0)))
		s.seq.Set(w.Next)
		m.If(s.answer.Valid.Or(fresh), func() { s.st.Goto(doSum) })
	})
	m.Event("sends", s.start, hdl.Field("seq", w.Next))
}

// control goes from state to state, with a step in each cycle in which something is done. An answer is done when its last word is on its
// way: it stays offered until then.
func (s *sender) control() {
	m, st, step := s.m, s.st, s.step
	inHeader, inData := st.Is(doHeader), st.Is(doData)
	headerEnds := step.Is(headerBeats - 1)
	dataEnds := step.Eq(s.final)
	s.isStore = inData
	s.ends = hdl.Mux(inData, dataEnds, headerEnds.And(s.words.None()))
	s.issue.Set(s.takes.And(inHeader.Or(inData)))
	over := hdl.Mux(inData, dataEnds, headerEnds)
	m.If(st.Is(doSum), func() {
		step.Set(step.AddK(1))
		m.If(step.Is(sumSteps-1), func() {
			step.SetK(0)
			st.Goto(doHeader)
		})
	})
	m.If(s.issue, func() {
		step.Set(hdl.Mux(over, step.K(0), step.AddK(1)))
		m.If(s.ends, func() { st.Goto(doIdle) }).ElseIf(over, func() { st.Goto(doData) })
	})
	s.checksum()
	s.answer.Ready.Set(hdl.AndAll(s.issue, s.ends, s.own.Not()))
}

// checksum adds up the IPv4 header, a term in each step of doSum; the last two bring the carries back.
func (s *sender) checksum() {
	to := s.to()
	terms := []hdl.Bits{
		s.length, s.io.IP.Slice(31, 16), s.io.IP.Trunc(16), to.IP.Slice(31, 16), to.IP.Trunc(16),
		s.sum.Slice(18, 16).ZExt(16), s.sum.Slice(18, 16).ZExt(16),
	}
	term := hdl.Select(s.step.Trunc(3), terms...).ZExt(19)
	base := hdl.Mux(s.step.Is(0), hdl.K(19, ipConstant()), hdl.Mux(s.step.GeK(sumSteps-2), s.sum.Trunc(16).ZExt(19), s.sum))
	s.m.If(s.st.Is(doSum), func() { s.sum.Set(base.Add(term)) })
}

// ipv4 is the header as far as it is the same for all.
func ipv4() format.IPv4[uint64] {
	return format.IPv4[uint64]{Version: 4, IHL: 5, DF: 1, TTL: 64, Protocol: format.ProtocolUDP}
}

// ipConstant is the sum of the words of a header that are the same for all.
func ipConstant() uint64 {
	h := ipv4()
	return h.Version<<12 + h.IHL<<8 + h.DF<<14 + h.TTL<<8 + h.Protocol
}

// to is where the frame goes.
func (s *sender) to() address { return hdl.MuxOf(s.own, s.peer, s.answer.Data.To) }

// header is the 64 bytes of a frame before its data.
func (s *sender) header() hdl.Bits {
	to, a := s.to(), s.answer.Data
	k := func(width int, v uint64) hdl.Bits { return hdl.K(width, v) }
	h := ipv4()
	udp := k(16, format.HostnetPort)
	return hdl.Cat(
		hdl.Pack(format.Ethernet[hdl.Bits]{Dst: to.MAC, Src: s.io.MAC, Type: k(16, format.EtherTypeIPv4)}),
		hdl.Pack(format.IPv4[hdl.Bits]{
			Version: k(4, h.Version), IHL: k(4, h.IHL), TOS: k(8, 0), TotalLength: s.length, ID: k(16, 0), Reserved: k(1, 0), DF: k(1, h.DF), MF: k(1, 0),
			FragOffset: k(13, 0), TTL: k(8, h.TTL), Protocol: k(8, h.Protocol), Checksum: s.sum.Trunc(16).Not(), Src: s.io.IP, Dst: to.IP,
		}),
		hdl.Pack(format.UDP[hdl.Bits]{SrcPort: udp, DstPort: to.Port, Length: s.length.SubK(ipBytes - udpBytes), Checksum: k(16, 0)}),
		hdl.Pack(format.HostnetHeader[hdl.Bits]{
			Magic: k(16, format.HostnetMagic), Session: hdl.Mux(s.own, s.session, a.Session),
			Addr: hdl.Mux(s.own, hdl.Cat(s.job.Addr, k(3, 0)), a.Addr), Seq: hdl.Mux(s.own, s.seq, a.Seq),
			Answer: s.own.Not(), Op: hdl.Mux(s.own, op(s.job.Kind), a.Op), Status: hdl.Mux(s.own, k(3, 0), a.Status),
			Words: hdl.Mux(s.own, s.job.Words, k(8, 0)), First: hdl.Mux(s.own, s.job.First, k(8, 0)), Last: hdl.Mux(s.own, s.job.Last, k(8, 0)),
		}))
}

// pipeline brings words to the wire: the word of the header, or the register of the store's RAM; then a register.
func (s *sender) pipeline() {
	m, out := s.m, s.io.Out
	fetched, valid := m.Reg("fetched", 1, 0), m.Reg("word_valid", 1, 0)
	fetchedStore, fetchedLast, head := m.RegN("fetched_store", 1), m.RegN("fetched_last", 1), m.RegN("fetched_header", port.DataWidth)
	word, last := m.RegN("word", port.DataWidth), m.RegN("word_last", 1)

	load := out.Ready.Or(valid.Not())
	s.takes.Set(load.Or(fetched.Not()))
	at := s.job.At.Add(s.step.ZExt(s.p.storeBits()))
	read := s.store.Read("store_read", at, s.issue.And(s.isStore))
	m.If(load, func() {
		valid.Set(fetched)
		fetched.SetK(0)
		word.Set(hdl.Mux(fetchedStore, read, head))
		last.Set(fetchedLast)
	})
	m.If(s.issue, func() {
		fetched.SetK(1)
		fetchedStore.Set(s.isStore)
		fetchedLast.Set(s.ends)
		head.Set(s.headerBeat())
	})
	out.Valid.Set(valid)
	hdl.Set(out.Data, stream.Beat{Data: word, Keep: hdl.Ones(port.DataWidth / 8), Last: last, Err: hdl.K(1, 0)})
}

// headerBeat is the beat of the header whose turn it is.
func (s *sender) headerBeat() hdl.Bits {
	all := s.header()
	beats := make([]hdl.Bits, headerBeats)
	for i := range beats {
		from := all.Width() - port.DataWidth*i
		beats[i] = hdl.SwapBytes(all.Slice(from-1, from-port.DataWidth))
	}
	return hdl.Select(s.step.Trunc(3), beats...)
}
