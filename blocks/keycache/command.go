package keycache

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// commandState is the step of a change of the key table.
type commandState int

const (
	stIdle   commandState = iota
	stOpen                // a question that ends its key may enter the pipeline
	stRevoke              // it is in there, or waits for its entry
	stBound               // does the table go as far?
	stRead                // the entry is to be read
	stWait                // it has been asked for
	stJudge               // it is here: it is looked at
	stRule                // is it refused?
	stAct                 // what is next
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
	return [...]string{
		"idle", "open", "revoke", "bound", "read", "wait", "judge", "rule", "act", "lock", "kill", "burst", "beats", "ack", "forget", "end", "done",
	}[s]
}

// Whose entry a command is about.
const (
	onKey    = iota // that of its key, which is read
	onRegion        // that of the region which a window is to be bound to: it is read, and counts one more
	onChange        // that of its key, which is written
	onParent        // that of the region which the window was bound to: it is read, and counts one less
	onBits   = 2
)

// commander is the registers of who runs commands, one by one.
type commander struct {
	*block
	st      *hdl.FSM[commandState]
	status  hdl.Bits
	vendor  hdl.Bits
	kinds   hdl.Bits // a bit for each kind of command
	on      hdl.Bits // onKey and others
	beyond  hdl.Bits // the table does not go as far as the target
	entry   facts    // of the entry that was read last
	keyType hdl.Bits // of the entry of the key,
	valid   hdl.Bits // which was valid,
	died    hdl.Bits // and may not be so any more
	bound   hdl.Bits // it is a window that is bound
	parent  hdl.Bits // to this region
	same    hdl.Bits // and is to be bound to it again
	unknown hdl.Bits // there is no such key, or one where there should be none
	why     hdl.Bits // why a queue pair is refused, else 0
	values  values   // what is wrong with the command itself
	place   placed   // where a window comes to be
}

// command runs commands, one by one, and between them questions that end their key.
func (b *block) command() {
	m, in, done := b.m, b.io.Command, b.io.Done
	c := b.newCommander()
	c.rest()
	write, st := b.io.Write, c.st
	st.Switch(
		hdl.On(stIdle, c.begin),
		hdl.On(stOpen, func() {
			c.target.Set(b.asked.Request.Key)
			m.If(b.looks.And(isRevoke(b.asked.Request)), func() {
				b.grant.SetK(0)
				st.Goto(stRevoke)
			})
		}),
		hdl.On(stRevoke, func() {
			m.If(b.revoked, func() { st.Goto(stLock) }).ElseIf(b.spared, func() { st.Goto(stIdle) })
		}),
		hdl.On(stBound, func() {
			st.Goto(stRead)
			m.If(in.Data.Kind.Is(link.KeyForget).And(b.alone.Not()), func() { st.Goto(stForget) })
		}),
		hdl.On(stRead, func() {
			m.If(c.beyond, c.absent).ElseIf(b.reads, func() { st.Goto(stWait) })
		}),
		hdl.On(stWait, func() { m.If(b.ended, func() { st.Goto(stJudge) }) }),
		hdl.On(stJudge, c.look),
		hdl.On(stRule, func() { st.Goto(stAct) }),
		hdl.On(stAct, c.act),
		hdl.On(stLock, func() {
			c.died.Set(c.died.Or(c.on.Is(onChange).And(c.valid)))
			st.Goto(stKill)
		}),
		hdl.On(stKill, func() { m.If(b.killed, func() { st.Goto(stBurst) }) }),
		hdl.On(stBurst, func() { m.If(write.Burst.Ready, func() { st.Goto(stBeats) }) }),
		hdl.On(stBeats, func() { m.If(write.Beat.Fire().And(write.Beat.Data.Last), func() { st.Goto(stAck) }) }),
		hdl.On(stAck, func() {
			m.If(write.Done.Valid, func() {
				c.next()
				m.If(write.Done.Data.Err, func() { c.fail(format.VendorBusWrite) })
			})
		}),
		hdl.On(stForget, func() { c.end(format.CmdOK) }),
		hdl.On(stEnd, func() { st.Goto(stDone) }),
		hdl.On(stDone, func() { m.If(done.Ready, func() { st.Goto(stIdle) }) }),
	)
	c.write()
	c.events()
	in.Ready.Set(st.Is(stEnd))
	done.Valid.Set(st.Is(stDone))
	hdl.Set(done.Data, link.KeyDone{Status: c.status, Vendor: c.vendor, Ended: c.died, Entry: b.entry()})
}

func (b *block) newCommander() *commander {
	m := b.m
	return &commander{
		block: b, st: b.state, status: m.RegN("status", b.io.Done.Data.Status.Width()), vendor: m.RegN("vendor", link.FaultBits),
		kinds: m.RegN("kinds", link.KeyBind+1), on: m.RegN("on", onBits), beyond: m.RegN("key_beyond", 1),
		entry: hdl.NewReg(m, "entry", facts{}), keyType: m.RegN("key_type", 4),
		valid: m.RegN("was_valid", 1), died: m.RegN("died", 1), bound: m.RegN("was_bound", 1), parent: m.RegN("parent", 32), same: m.RegN("same_parent", 1),
		unknown: m.RegN("unknown", 1), why: m.RegN("why", link.FaultBits),
		values: hdl.NewReg(m, "values", values{}), place: hdl.NewReg(m, "place", placed{}),
	}
}

// rest drives what others know of the step, and registers that follow others.
func (c *commander) rest() {
	st, b := c.st, c.block
	b.wants.Set(st.Is(stRead).And(c.beyond.Not()))
	held := hdl.OrAll(st.Is(stWait), st.Is(stJudge), st.Is(stRule), st.Is(stAct), st.Is(stEnd))
	b.quiet.Set(c.is(link.KeyQuery).And(held).Or(st.Is(stDone)))
	b.lock.Set(hdl.OrAll(st.Is(stLock), st.Is(stKill), st.Is(stBurst), st.Is(stBeats), st.Is(stAck)))
	b.kill.Set(st.Is(stKill))
	b.forgets.Set(st.Is(stForget))
	c.beyond.Set(c.beyondTable(c.target))
	c.kinds.Set(hdl.K(link.KeyBind+1, 1).Shl(c.io.Command.Data.Kind).And(c.alone.Not().Rep(link.KeyBind + 1)))
	c.m.Unused(c.is(link.KeyForget)) // it is over before its second cycle
	c.judgeValues()
	unknown, why := c.refusal()
	c.unknown.Set(unknown)
	c.why.Set(why)
	c.move()
	c.m.If(b.finding.now, func() { // of the entry of a key that is to end
		c.keyType.Set(b.finding.entry.Type)
		c.bound.Set(b.finding.entry.Type.Is(format.KeyWindow2))
		c.parent.Set(b.finding.entry.Parent)
	})
}

// is returns one bit: a command of this kind is under way, from its second cycle on.
func (c *commander) is(kind uint64) hdl.Bits { return c.kinds.Bit(int(kind)) }

// begin begins a command; without one it is the turn of a question that ends its key.
func (c *commander) begin() {
	in := c.io.Command
	c.vendor.SetK(0)
	c.died.SetK(0)
	c.m.If(in.Valid, func() {
		c.target.Set(in.Data.Entry.Key)
		c.on.SetK(onKey)
		c.alone.SetK(0)
		c.st.Goto(stBound)
	}).ElseIf(c.wanted.Any(), func() {
		c.choose()
		c.on.SetK(onChange)
		c.alone.SetK(1)
		c.st.Goto(stOpen)
	})
}

// next goes on when a write has ended: to the key itself, or to the region which the window was
// bound to.
func (c *commander) next() {
	c.m.If(c.on.Is(onRegion), func() { c.change() }).
		ElseIf(c.on.Is(onChange).And(c.bound), func() {
			c.on.SetK(onParent)
			c.target.Set(c.parent)
			c.st.Goto(stBound)
		}).Else(func() { c.end(format.CmdOK) })
}

// change goes to the entry of the key, to write it.
func (c *commander) change() {
	c.on.SetK(onChange)
	c.target.Set(c.io.Command.Data.Entry.Key)
	c.st.Goto(stLock)
}

// end ends a command. Of a question that ended its key the answer is out.
func (c *commander) end(status format.CommandStatus) {
	c.status.SetK(uint64(status))
	c.st.Goto(stEnd)
	c.m.If(c.alone, func() { c.st.Goto(stIdle) })
}

// refuse ends a command that a queue pair asked for with its reason.
func (c *commander) refuse(why hdl.Bits) {
	c.vendor.Set(hdl.Mux(c.io.Command.Data.Kind.GeK(link.KeyLocalInv), why, why.K(0)))
}

// fail ends a command that host memory failed.
func (c *commander) fail(why format.VendorCode) {
	c.refuse(hdl.K(link.FaultBits, uint64(why)))
	c.end(format.CmdBusError)
}

// absent ends a command on a key that the table has no place for. A window was bound to
// none such.
func (c *commander) absent() {
	c.m.If(c.on.Is(onParent), func() { c.end(format.CmdOK) }).Else(func() {
		c.refuse(hdl.K(link.FaultBits, uint64(format.VendorKeyUnknown)))
		c.end(format.CmdBadNumber)
	})
}

// events tells what became of keys.
func (c *commander) events() {
	m, e := c.m, c.io.Command.Data.Entry
	done := hdl.AndAll(c.st.Is(stAck), c.io.Write.Done.Valid, c.io.Write.Done.Data.Err.Not(), c.on.Is(onChange))
	m.Event("key_revoked", hdl.AndAll(c.st.Is(stLock), c.alone, c.on.Is(onChange)), hdl.Field("key", c.target))
	ends := hdl.OrAll(c.is(link.KeyInvalidate), c.is(link.KeyLocalInv), c.is(link.KeyBind).And(c.values.Empty))
	m.Event("invalidated", done.And(ends), hdl.Field("key", e.Key), hdl.Field("kind", c.io.Command.Data.Kind))
	m.Event("registered", done.And(c.is(link.KeyRegister)), hdl.Field("key", e.Key), hdl.Field("va", e.VA), hdl.Field("bytes", e.Length))
	m.Event("bound", hdl.AndAll(done, c.is(link.KeyBind), c.values.Empty.Not()),
		hdl.Field("key", e.Key), hdl.Field("region", e.Parent), hdl.Field("va", e.VA), hdl.Field("bytes", e.Length))
	m.Cover("bound_again", hdl.AndAll(done, c.is(link.KeyBind), c.bound, c.same.Not()))
	m.Cover("revoked_window", hdl.AndAll(c.alone, c.on.Is(onParent), c.st.Is(stAck)))
}
