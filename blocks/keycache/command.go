package keycache

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// commandState is the step of a command on the key table.
type commandState int

const (
	stIdle   commandState = iota
	stBound               // does the table go as far?
	stRead                // the entry is to be read
	stWait                // it has been asked for
	stJudge               // it is here: may it be done?
	stLock                // from here on nobody reads the entry
	stKill                // the entry that is held dies
	stBurst               // the write is announced
	stBeats               // what is written
	stAck                 // memory has to answer
	stForget              // nothing is held any more
	stEnd                 // the command is taken
	stDone                // the answer waits for its taker
)

func (s commandState) String() string {
	return [...]string{"idle", "bound", "read", "wait", "judge", "lock", "kill", "burst", "beats", "ack", "forget", "end", "done"}[s]
}

// command runs commands, one by one.
func (b *block) command() {
	m, in, done := b.m, b.io.Command, b.io.Done
	st := hdl.NewFSM(m, "command", stIdle, stBound, stRead, stWait, stJudge, stLock, stKill, stBurst, stBeats, stAck, stForget, stEnd, stDone)
	b.state = st
	c := &commander{
		block: b, st: st, status: m.RegN("status", done.Data.Status.Width()), keyType: m.RegN("key_type", 4),
		writes: in.Data.Kind.Is(link.KeyWrite), ends: in.Data.Kind.Is(link.KeyInvalidate),
	}
	beyond := m.RegN("key_beyond", 1)
	beyond.Set(b.beyond(in.Data.Entry.Key))
	query := in.Data.Kind.Is(link.KeyQuery)
	b.wants.Set(st.Is(stRead))
	b.quiet.Set(query.And(hdl.OrAll(st.Is(stWait), st.Is(stJudge), st.Is(stEnd))).Or(st.Is(stDone)))
	b.lock.Set(hdl.OrAll(st.Is(stLock), st.Is(stKill), st.Is(stBurst), st.Is(stBeats), st.Is(stAck)))
	b.kill.Set(st.Is(stKill))
	b.forgets.Set(st.Is(stForget))

	write := b.io.Write
	st.Switch(
		hdl.On(stIdle, func() { m.If(in.Valid, func() { st.Goto(stBound) }) }),
		hdl.On(stBound, func() {
			st.Goto(stRead)
			m.If(in.Data.Kind.Is(link.KeyForget), func() { st.Goto(stForget) }).ElseIf(beyond, func() { c.end(format.CmdBadNumber) })
		}),
		hdl.On(stRead, func() { m.If(b.reads, func() { st.Goto(stWait) }) }),
		hdl.On(stWait, func() { m.If(b.ended, func() { st.Goto(stJudge) }) }),
		hdl.On(stJudge, c.judge),
		hdl.On(stLock, func() { st.Goto(stKill) }),
		hdl.On(stKill, func() { m.If(b.killed, func() { st.Goto(stBurst) }) }),
		hdl.On(stBurst, func() { m.If(write.Burst.Ready, func() { st.Goto(stBeats) }) }),
		hdl.On(stBeats, func() { m.If(write.Beat.Fire().And(write.Beat.Data.Last), func() { st.Goto(stAck) }) }),
		hdl.On(stAck, func() {
			m.If(write.Done.Valid, func() {
				c.end(format.CmdOK)
				m.If(write.Done.Data.Err, func() { c.end(format.CmdBusError) })
			})
		}),
		hdl.On(stForget, func() { c.end(format.CmdOK) }),
		hdl.On(stEnd, func() { st.Goto(stDone) }),
		hdl.On(stDone, func() { m.If(done.Ready, func() { st.Goto(stIdle) }) }),
	)
	c.write()
	in.Ready.Set(st.Is(stEnd))
	done.Valid.Set(st.Is(stDone))
	done.Data.Status.Set(c.status)
	done.Data.Vendor.SetK(0)
	hdl.Set(done.Data.Entry, b.entry())
}

// commander is the registers of who runs commands.
type commander struct {
	*block
	st           *hdl.FSM[commandState]
	status       hdl.Bits
	keyType      hdl.Bits // of the key that ends
	writes, ends hdl.Bits // the command is a KeyWrite, a KeyInvalidate
}

func (c *commander) end(status format.CommandStatus) {
	c.status.SetK(uint64(status))
	c.st.Goto(stEnd)
}

// judge looks at the entry that has been read. A key is made where there is none, and
// ended where there is that very one, to which no windows are bound.
func (c *commander) judge() {
	m, e := c.m, c.entry()
	none := e.State.Is(format.KeyInvalid)
	other := none.Or(e.Key.Ne(c.io.Command.Data.Entry.Key))
	c.keyType.Set(e.Type)
	m.If(c.bad, func() {
		c.end(format.CmdBusError)
	}).ElseIf(hdl.Mux(c.writes, none.Not(), other), func() {
		c.end(format.CmdBadNumber)
	}).ElseIf(c.writes, func() {
		c.st.Goto(stLock)
	}).ElseIf(c.ends.Not(), func() {
		c.end(format.CmdOK)
	}).ElseIf(e.Windows.Any(), func() {
		c.end(format.CmdBusy)
	}).Else(func() {
		c.st.Goto(stLock)
	})
}

// stateByte is the byte of an entry that has the state in its low half, and the type above.
const stateByte = 7

// write writes a whole entry, or the byte of its first beat that ends the key.
func (c *commander) write() {
	m, burst, beat, p := c.m, c.io.Write.Burst, c.io.Write.Beat, c.p
	bytes, n := p.Sizes.DataWidth/8, p.beats()
	burst.Valid.Set(c.st.Is(stBurst))
	burst.Data.Addr.Set(c.addressOf(c.io.Command.Data.Entry.Key))
	burst.Data.Len.Set(hdl.Mux(c.writes, hdl.K(8, uint64(n-1)), hdl.K(8, 0)))

	whole := hdl.PackLow(c.io.Command.Data.Entry)
	data, last := whole.Trunc(8*bytes), hdl.K(1, 1)
	if n > 1 {
		at := m.Reg("beat", bitsFor(n-1), 0)
		m.If(beat.Fire(), func() { at.Set(hdl.Mux(c.writes, at.AddK(1), at.K(0))) })
		var words []hdl.Bits
		for i := range n {
			words = append(words, whole.Slice(8*bytes*(i+1)-1, 8*bytes*i))
		}
		data, last = hdl.Select(at, words...), at.All().Or(c.writes.Not())
	}
	state := hdl.Cat(c.keyType, hdl.K(4, format.KeyInvalid), hdl.K(8*stateByte, 0)).ZExt(8 * bytes)
	beat.Valid.Set(c.st.Is(stBeats))
	beat.Data.Data.Set(hdl.Mux(c.writes, data, state))
	beat.Data.Strb.Set(hdl.Mux(c.writes, hdl.Ones(bytes), hdl.K(bytes, 1<<stateByte)))
	beat.Data.Last.Set(last)
	c.io.Write.Done.Ready.SetK(1)
}
