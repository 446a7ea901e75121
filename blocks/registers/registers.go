package registers

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/blocks/pulses"
	"gornic/format"
	"gornic/hdl"
)

// Params are the parameters of the block.
type Params struct {
	Sizes link.Sizes
	MTU   int // largest path MTU in bytes
	// LineRate is what queue pairs that are not slowed down have, in Mb/s, as software finds it; 0: not known, so the largest number.
	LineRate int
	Tick     int // clock cycles of 4.096 us, the unit of retry timers; 0: not told

	// NoCongestion leaves out the registers of congestion control, as no queue pair can have it.
	NoCongestion bool
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	s := p.Sizes
	if s.QPBits < 1 || s.QPBits > 16 || s.EQBits < 1 || s.EQBits > 5 {
		return fmt.Errorf("registers: 2^%d queue pairs, 2^%d event queues: not 2^1 to 2^16, 2^1 to 2^5", s.QPBits, s.EQBits)
	}
	if mtuCode(p.MTU) == 0 {
		return fmt.Errorf("registers: path MTU of %d bytes: not 256, 512, 1024, 2048 or 4096", p.MTU)
	}
	if p.LineRate < 0 || p.LineRate > maxRate {
		return fmt.Errorf("registers: a line rate of %d Mb/s: not 0 to %d", p.LineRate, maxRate)
	}
	if p.Tick < 0 || p.Tick > maxTick {
		return fmt.Errorf("registers: a tick of %d cycles: not 0 to %d", p.Tick, maxTick)
	}
	return nil
}

// maxTick is the longest tick that the registers hold.
const maxTick = 1<<16 - 1

// maxRate is the largest rate that the registers hold.
const maxRate = 1<<18 - 1

// congestion is what congestion control is set to after reset.
func (p Params) congestion() format.Congestion[uint64] {
	if p.LineRate == 0 {
		return format.CongestionDefaults(maxRate)
	}
	return format.CongestionDefaults(uint64(p.LineRate))
}

// mtuCode is the code of a path MTU, 0 if there is none.
func mtuCode(mtu int) int {
	for code := format.MTU256; code <= format.MTU4096; code++ {
		if 128<<code == mtu {
			return code
		}
	}
	return 0
}

// Version of the device: major and minor.
const Version = 1 << 16

// Settings are what software has set.
type Settings struct {
	Enabled    hdl.Bits `w:"1"`
	MAC        hdl.Bits `w:"48"`
	KeyBase    hdl.Bits `w:"64"`
	KeyLogSize hdl.Bits `w:"5"`
	Moderation hdl.Bits `w:"32"` // least cycles between two interrupts of a vector
	Congestion format.Congestion[hdl.Bits]
}

// IO is the ports of the block.
type IO struct {
	Bus      link.AXILite          `hdl:"in" name:"s_axil"`
	Bell     hdl.Stream[link.Bell] `hdl:"out"`
	Go       hdl.Stream[link.Go]   `hdl:"out"`
	Done     hdl.Stream[link.Done] `hdl:"in"`
	Settings Settings              `hdl:"out"`
	Counts   hdl.Bits              `hdl:"in"`  // a pulse of each counter: bit i of format.Counter i
	Raise    hdl.Bits              `hdl:"in"`  // vectors that get an interrupt
	Pending  hdl.Bits              `hdl:"out"` // vectors that have one
}

// name is that of the module.
func (p Params) name() string {
	s := p.Sizes
	name := fmt.Sprintf("registers_qp%d_cq%d_eq%d_r%d_rd%d_%d_mtu%d_t%d", s.QPBits, s.CQBits, s.EQBits, s.ReplayBits, s.ReadBits, s.DataWidth, p.MTU, p.Tick) + s.Tag(link.Atomics|link.KeyRequests)
	if p.NoCongestion {
		return name
	}
	return fmt.Sprintf("%s_l%d", name, p.LineRate)
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: p.name(),
		Doc:  "AXI4-Lite slave: registers, counters, command mailbox, doorbell pages.",
		IO: IO{
			Bus: s.AXILite(), Bell: hdl.StreamOf(link.Bell{}), Go: hdl.StreamOf(link.Go{}), Done: hdl.StreamOf(link.Done{}),
			Counts: hdl.W(format.CounterCount), Raise: hdl.W(1 << s.EQBits), Pending: hdl.W(1 << s.EQBits),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.write()
			b.command()
			b.interrupts()
			b.read()
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	mailbox  mailbox
	runs     hdl.Bits // a command runs
	starts   hdl.Bits // it has what it takes from the mailbox, and has not been taken
	code     hdl.Bits
	status   hdl.Bits // of the last one
	pending  hdl.Bits
	counters pulses.Totals

	writes hdl.Bits // a word is written to
	at     hdl.Bits // this offset in words, of the first page
	data   hdl.Bits
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	b := &block{
		m: m, p: p, io: io,
		runs: m.Reg("runs", 1, 0), starts: m.Reg("starts", 1, 0), code: m.Reg("code", 8, 0), status: m.Reg("status", 8, 0),
		pending: m.Reg("pending_now", 1<<p.Sizes.EQBits, 0),
		writes:  m.Wire("writes", 1),
	}
	b.mailbox = newMailbox(m)
	b.counters = b.count()
	return b
}

// Responses of AXI.
const (
	respOKAY   = 0
	respSLVERR = 2
)

// write takes address and data together, when the answer before has left.
func (b *block) write() {
	m, bus, bell := b.m, &b.io.Bus, b.io.Bell
	answers := m.Reg("write_answers", 1, 0)
	resp := m.Reg("write_resp", 2, respOKAY)
	m.Unused(bus.AWProt, bus.AWAddr.Slice(1, 0))
	page := bus.AWAddr.Slice(bus.AWAddr.Width()-1, 12)
	isBell := page.Any()
	whole := bus.WStrb.All()
	comes := hdl.AndAll(bus.AWValid, bus.WValid, answers.Not().Or(bus.BReady))
	rings := hdl.AndAll(comes, isBell, whole)
	bell.Valid.Set(rings)
	hdl.Set(bell.Data, link.Bell{
		Page: page.SubK(1).ZExt(16), Offset: bus.AWAddr.Slice(11, 2), Index: bus.WData.Slice(31, 16), Number: bus.WData.Slice(15, 0),
	})
	takes := comes.And(rings.Not().Or(bell.Ready))
	bus.AWReady.Set(takes)
	bus.WReady.Set(takes)
	b.at, b.data = bus.AWAddr.Slice(11, 2), bus.WData
	b.writes.Set(hdl.AndAll(takes, isBell.Not(), whole))
	good := whole.And(isBell.Or(b.writable()))
	m.If(bus.BReady, func() { answers.SetK(0) })
	m.If(takes, func() {
		answers.SetK(1)
		resp.Set(hdl.Mux(good, hdl.K(2, respOKAY), hdl.K(2, respSLVERR)))
	})
	bus.BValid.Set(answers)
	bus.BResp.Set(resp)
	b.settings()
}

// is returns one bit: the write is to this offset.
func (b *block) is(offset uint64) hdl.Bits { return b.at.Is(offset / 4) }

// inMailbox returns one bit: it is to the mailbox.
func (b *block) inMailbox(at hdl.Bits) hdl.Bits {
	return at.Slice(9, 5).Is(format.RegMailbox / format.MailboxBytes)
}

// writable returns one bit: the write has an effect.
func (b *block) writable() hdl.Bits {
	known := hdl.K(1, 0)
	for _, r := range format.Registers() {
		if r.Access == format.ReadWrite && !(b.p.NoCongestion && isCongestion(r.Offset)) {
			known = known.Or(b.is(uint64(r.Offset)))
		}
	}
	command := b.inMailbox(b.at).Or(b.is(format.RegMailboxGo))
	return known.Or(command.And(b.runs.Not()))
}

// isCongestion tells whether a register is one of congestion control.
func isCongestion(offset uint32) bool {
	all := format.CongestionRegisters()
	return offset >= all[0].Offset && offset <= all[len(all)-1].Offset
}

// settings are the registers that software sets.
func (b *block) settings() {
	m := b.m
	setFrom := func(offset uint64, name string, width int, reset uint64) hdl.Bits {
		r := m.Reg(name, width, reset)
		m.If(b.writes.And(b.is(offset)), func() { r.Set(b.data.Trunc(width)) })
		return r
	}
	set := func(offset uint64, name string, width int) hdl.Bits { return setFrom(offset, name, width, 0) }
	out, reset := b.io.Settings.Congestion.Fields(), b.p.congestion().Fields()
	for i, r := range format.CongestionRegisters() {
		if b.p.NoCongestion {
			out[i].SetK(reset[i])
			continue
		}
		out[i].Set(setFrom(uint64(r.Offset), r.Name, out[i].Width(), reset[i]))
	}
	low, high := set(format.RegMACLow, "mac_low", 32), set(format.RegMACHigh, "mac_high", 16)
	baseLow, baseHigh := set(format.RegKeyBaseLow, "key_base_low", 32), set(format.RegKeyBaseHigh, "key_base_high", 32)
	s := b.io.Settings
	s.Enabled.Set(set(format.RegControl, "enabled", 1))
	s.MAC.Set(hdl.Cat(high, low))
	s.KeyBase.Set(hdl.Cat(baseHigh, baseLow))
	s.KeyLogSize.Set(set(format.RegKeyLogSize, "key_log_size", 5))
	s.Moderation.Set(set(format.RegModeration, "moderation", 32))
}

// command runs a command on the mailbox: its words are loaded, it goes, and the words that it gives are put back.
func (b *block) command() {
	m, io, mail := b.m, b.io, b.mailbox
	m.If(hdl.AndAll(b.writes, b.runs.Not(), b.is(format.RegMailboxGo)), func() {
		b.runs.SetK(1)
		mail.loads.SetK(1)
		b.code.Set(b.data.Trunc(8))
	})
	m.If(mail.load(), func() { b.starts.SetK(1) })
	io.Go.Valid.Set(b.starts)
	hdl.Set(io.Go.Data, link.Go{Code: b.code, In: mail.loaded})
	m.If(io.Go.Fire(), func() { b.starts.SetK(0) })

	replies := io.Done.Valid.And(io.Done.Data.Replies)
	last := mail.write(b, replies)
	io.Done.Ready.Set(replies.Not().Or(last))
	m.If(io.Done.Fire(), func() {
		b.runs.SetK(0)
		b.status.Set(io.Done.Data.Status)
	})
}

// interrupts keeps the vectors with an interrupt until software clears them.
func (b *block) interrupts() {
	n := b.pending.Width()
	clear := hdl.Mux(b.writes.And(b.is(format.RegIRQPending)), b.data.Trunc(n), hdl.K(n, 0))
	b.pending.Set(b.pending.And(clear.Not()).Or(b.io.Raise))
	b.io.Pending.Set(b.pending)
}
