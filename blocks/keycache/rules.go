package keycache

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// facts is what a command looks at of an entry that was read.
type facts struct {
	Bad     hdl.Bits `w:"1"` // it could not be read
	None    hdl.Bits `w:"1"` // there is no key
	Tag     hdl.Bits `w:"1"` // it is another key than the one wanted
	PD      hdl.Bits `w:"1"` // its protection domain is another
	QP      hdl.Bits `w:"1"` // it is a window that another queue pair bound for itself
	Free    hdl.Bits `w:"1"`
	Valid   hdl.Bits `w:"1"`
	Windows hdl.Bits `w:"1"` // some are bound to it
	Type    hdl.Bits `w:"4"`
	Binds   hdl.Bits `w:"1"`  // it lets windows be bound to it
	Local   hdl.Bits `w:"1"`  // it grants local writes
	Count   hdl.Bits `w:"24"` // of its windows, when the command is done
}

// values is what is wrong with the values of a command itself.
type values struct {
	Empty   hdl.Bits `w:"1"` // no bytes
	Writes  hdl.Bits `w:"1"` // remote writes or atomics are granted, which needs local ones
	Strange hdl.Bits `w:"1"` // rights that do not exist
	Lends   hdl.Bits `w:"1"` // rights that no window can have
	Range   hdl.Bits `w:"1"` // an address range or a page list that cannot be
}

const (
	remoteWrites = format.AccessRemoteWrite | format.AccessRemoteAtomic
	allRights    = format.AccessZeroBased<<1 - 1
)

// judgeValues judges the values of a command, in two cycles, long before they are wanted.
func (c *commander) judgeValues() {
	e := c.io.Command.Data.Entry
	any := func(of int) hdl.Bits { return e.Rights.And(hdl.K(8, uint64(of))).Any() }
	listed := e.PageShift.GeK(format.PageShiftMin).And(e.PageShift.LeK(format.PageShiftMax))
	contiguous := e.PageShift.None()
	behind, behindBus := c.m.RegN("behind", 65), c.m.RegN("behind_bus", 65)
	behind.Set(e.VA.AddC(e.Length))
	behindBus.Set(e.Translation.AddC(e.Length))
	hdl.Set(c.values, values{
		Empty: e.Length.None(), Writes: any(remoteWrites), Strange: any(^allRights & 0xFF), Lends: any(^remoteRights & 0xFF),
		Range: hdl.OrAll(
			contiguous.Or(listed).Not(), wraps(behind), contiguous.And(wraps(behindBus)),
			listed.And(e.Translation.Slice(2, 0).Any()),
		),
	})
}

// wraps returns one bit: a range with this address behind its last byte goes beyond 2^64.
func wraps(behind hdl.Bits) hdl.Bits { return behind.MSB().And(behind.Trunc(64).Any()) }

// look looks at the entry that was read. Another may come in the next cycle.
func (c *commander) look() {
	e, in := c.block.entry(), c.io.Command.Data.Entry
	valid, window2 := e.State.Is(format.KeyValid), e.Type.Is(format.KeyWindow2)
	hdl.Set(c.entry, facts{
		Bad: c.bad, None: e.State.Is(format.KeyInvalid), Tag: e.Key.Ne(c.target), PD: e.PD.Ne(in.PD),
		QP: hdl.AndAll(window2, valid, e.QPN.Ne(in.QPN)), Free: e.State.Is(format.KeyFree), Valid: valid,
		Windows: e.Windows.Any(), Type: e.Type,
		Binds: grants(e, format.AccessMWBind), Local: grants(e, format.AccessLocalWrite),
		Count: hdl.Mux(c.on.Is(onRegion), e.Windows.AddK(1), e.Windows.SubK(1)),
	})
	c.m.If(c.on.Is(onKey), func() {
		c.keyType.Set(e.Type)
		c.valid.Set(valid)
		c.bound.Set(e.Type.GeK(format.KeyWindow1).And(valid))
		c.parent.Set(e.Parent)
		c.same.Set(e.Parent.Eq(in.Parent))
	})
	c.lay(e) // the last one that is read before a window is written is its region
	c.st.Goto(stRule)
}

// act refuses a command, or goes on with it: to the region, to the count of a region, to the entry
// of the key.
func (c *commander) act() {
	m, e := c.m, c.entry
	lost := hdl.OrAll(e.None, e.Tag, e.Windows.Not()) // not the region that the window was bound to
	m.If(e.Bad, func() {
		c.fail(format.VendorBusRead)
	}).ElseIf(c.on.Is(onParent), func() {
		c.st.Goto(stLock)
		m.If(lost, func() { c.end(format.CmdOK) })
	}).ElseIf(c.unknown.Or(c.why.Any()), func() {
		c.refuse(c.why)
		c.end(format.CmdBadNumber)
	}).ElseIf(c.is(link.KeyQuery), func() {
		c.end(format.CmdOK)
	}).ElseIf(c.is(link.KeyInvalidate).And(e.Windows), func() {
		c.end(format.CmdBusy)
	}).ElseIf(hdl.AndAll(c.is(link.KeyBind), c.on.Is(onKey), c.values.Empty.Not()), func() {
		c.on.SetK(onRegion)
		c.target.Set(c.io.Command.Data.Entry.Parent)
		c.st.Goto(stBound)
	}).ElseIf(c.on.Is(onRegion).And(c.bound.And(c.same).Not()), func() {
		c.st.Goto(stLock)
	}).Else(func() {
		m.If(c.on.Is(onRegion), func() { c.bound.SetK(0) }) // bound to the same again: it counts already
		c.change()
	})
}

// refusal says whether there is no such key, or one where there should be none, and for what a queue pair
// is refused what it asked for, 0 if for nothing. The table is that of package link.
func (c *commander) refusal() (unknown, why hdl.Bits) {
	e, v := c.entry, c.values
	local, registers, region := c.is(link.KeyLocalInv), c.is(link.KeyRegister), c.on.Is(onRegion)
	window := c.is(link.KeyBind).And(region.Not())
	is := func(kind uint64) hdl.Bits { return e.Type.Is(kind) }
	plain, fast, window1, window2 := is(format.KeyRegion), is(format.KeyFastRegion), is(format.KeyWindow1), is(format.KeyWindow2)
	writesLocally := grants(c.io.Command.Data.Entry, format.AccessLocalWrite)

	tagged := registers.Or(window) // only the tag may change
	unknown = hdl.Mux(c.is(link.KeyWrite), e.None.Not(), e.None.Or(e.Tag.And(tagged.Not())))
	why = hdl.K(link.FaultBits, 0)
	for _, x := range []struct {
		is   hdl.Bits
		code format.VendorCode
	}{ // the last one that is one counts
		{registers.And(v.Range).Or(region.And(c.outside())), format.VendorKeyRange},
		{hdl.OrAll(
			registers.And(v.Strange.Or(v.Writes.And(writesLocally.Not()))), hdl.AndAll(window, v.Empty.Not(), v.Lends),
			region.And(e.Binds.Not().Or(v.Writes.And(e.Local.Not()))),
		), format.VendorKeyRights},
		{hdl.AndAll(window, window2, v.Empty), format.VendorKeyRange},
		{local.And(e.Windows), format.VendorKeyBound},
		{hdl.OrAll(local.Or(region).And(e.Valid.Not()), registers.Or(window.And(window2)).And(e.Free.Not())), format.VendorKeyState},
		{hdl.OrAll(
			local.And(fast.Or(window2).Not()), registers.And(fast.Not()), window.And(window1.Or(window2).Not()), region.And(plain.Or(fast).Not()),
		), format.VendorKeyType},
		{hdl.OrAll(local, registers, window, region).And(e.PD.Or(e.QP.And(region.Not()))), format.VendorKeyPD},
		{unknown, format.VendorKeyUnknown},
	} {
		why = hdl.Mux(x.is, why.K(uint64(x.code)), why)
	}
	return unknown, why
}

// grants returns one bit: an entry grants a right.
func grants(e format.KeyEntry[hdl.Bits], right int) hdl.Bits { return e.Rights.Bit(hdl.Log2(right)) }
