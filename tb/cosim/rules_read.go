package main

import (
	"context"

	"gornic/format"
	"gornic/verbs"
)

// readRules are READs and atomics that a queue pair or its peer does not take (protocol
// sections 3.4 and 4.1).
func readRules() []fault {
	invalid := func(v format.VendorCode) verdict { return remote(format.SyndromeNAKInv, format.EventQPReqErr, v) }
	unaligned := func(by uint64) maker {
		return func(_ context.Context, _ *faultRig, w *faultyWork, wrong bool) error {
			w.send.RemoteAddr += pick(wrong, by, 0)
			return nil
		}
	}
	var all []fault
	for _, u := range uses()[1:] { // the WRITE is in faults/qp
		all = append(all, withAttr(u, "no-right", "a queue pair that does not grant it", invalid(format.VendorAccess), sideB,
			func(a *verbs.QPAttr) { a.Access &^= u.right }))
		all = append(all,
			withAttr(u, "none-taken", "a queue pair that takes no READs and atomics", invalid(format.VendorResources), sideB,
				func(a *verbs.QPAttr) { a.MaxDestRDAtomic = 0 }),
			withAttr(u, "none-sent", "a queue pair that sends no READs and atomics", local(format.StatusLocQPOp, format.VendorResources), sideA,
				func(a *verbs.QPAttr) { a.MaxRDAtomic = 0 }))
	}
	empty := withAttr(uses()[1], "no-right-empty", "a READ of no bytes from a queue pair that does not grant it", invalid(format.VendorAccess), sideB,
		func(a *verbs.QPAttr) { a.Access &^= verbs.AccessRemoteRead })
	empty = empty.changed(emptyRead)
	all = append(all, empty)
	for _, u := range uses()[2:] {
		all = append(all,
			ruled("qp/"+u.name+"-alignment", "a number that is not aligned to 8 bytes", u.op, invalid(format.VendorAlignment), unaligned(4)),
			ruled("qp/"+u.name+"-odd", "a number at an odd address", u.op, invalid(format.VendorAlignment), unaligned(1)),
			ruled("qp/"+u.name+"-bus", "a number that is aligned by its virtual address, but not on the bus", u.op, invalid(format.VendorAlignment), onTheBus))
	}
	return append(all, readWQEs()...)
}

// fineRules are what looks bad and is allowed.
func fineRules() []fault {
	row := func(name, what string, op verbs.Opcode, spoil spoiler) fault {
		return fault{name: "fine/" + name, what: what, op: op, want: fine(op, sizeOf(op)), spoil: spoil, then: landed, coreBest: sideB}
	}
	empty := row("read-no-bytes-rkey", "a READ of no bytes with a bad rkey, which nobody looks at", verbs.WRRead,
		func(_ context.Context, _ *faultRig, w *faultyWork) error {
			emptyRead(w)
			return nil
		})
	empty.want.placed = 0
	all := []fault{empty,
		row("read-no-bytes-lkey", "an SGE of no bytes with a bad lkey, which nobody looks at", verbs.WRRead,
			func(_ context.Context, _ *faultRig, w *faultyWork) error {
				w.send.SGL = append([]verbs.SGE{{Addr: ^uint64(0), LKey: ^uint32(0)}}, w.send.SGL...)
				return nil
			})}
	for _, u := range uses() {
		all = append(all, row(u.name+"-window-1-qp", "a window of type 1 that another queue pair bound", u.op,
			func(ctx context.Context, r *faultRig, w *faultyWork) error {
				return remoteKey(boundBy(verbs.MWType1))(ctx, r, w, true)
			}))
	}
	return all
}

// withAttr is a use of a queue pair of a side that was connected with another attribute.
func withAttr(u use, name, what string, want verdict, at side, change func(*verbs.QPAttr)) fault {
	f := ruled("qp/"+u.name+"-"+name, what, u.op, want, func(context.Context, *faultRig, *faultyWork, bool) error { return nil })
	f.attr = func(s side, a *verbs.QPAttr) {
		if s == at {
			change(a)
		}
	}
	return f
}

// changed does something to the work of a rule and of its twin.
func (f fault) changed(change func(*faultyWork)) fault {
	twin := *f.twin
	for _, x := range []*fault{&f, &twin} {
		before := x.spoil
		x.spoil = func(ctx context.Context, r *faultRig, w *faultyWork) error {
			change(w)
			return before(ctx, r, w)
		}
	}
	f.twin = &twin
	return f
}

// emptyRead reads nothing, from nowhere.
func emptyRead(w *faultyWork) {
	w.send.SGL, w.send.RemoteAddr, w.send.RKey = nil, ^uint64(0)-2, ^uint32(0)
}

// onTheBus has an atomic work on a region that begins at an odd bus address.
func onTheBus(ctx context.Context, r *faultRig, w *faultyWork, wrong bool) error {
	b := r.ends[sideB]
	s, err := b.host.register(ctx, b.host.pd, verbs.MRInitAttr{
		Addr: b.buf.Addr() + atFault, Length: 64, Access: allAccess, Bus: b.buf.Addr() + atFault + pick[uint64](wrong, 1, 0),
	}, 0, atomicBytes)
	putRemote(w, s)
	return err
}

// readWQEs are WQEs of READs and atomics that make no sense.
func readWQEs() []fault {
	var all []fault
	for _, c := range []struct {
		name, what string
		op         verbs.Opcode
		want       verdict
		change     func(*format.SendControl[uint64], []format.SGE[uint64])
	}{
		{"read-inline", "a READ into inline data", verbs.WRRead, badCount(), inlineBytes},
		{"read-sges", "a READ of more SGEs than its slot has", verbs.WRRead, badCount(), func(c *format.SendControl[uint64], _ []format.SGE[uint64]) {
			c.NumSGE = uint64(format.SendSGEs(0)) + 1
		}},
		{"read-over-2^31", "a READ of a byte more than 2^31", verbs.WRRead, local(format.StatusLocLen, format.VendorTooLong), lengths(format.MessageMax, 1)},
		{"read-packets", "a READ of 2^23 packets", verbs.WRRead, local(format.StatusLocLen, format.VendorTooLong), lengths(format.MessageMax, 0)},
		{"atomic-inline", "an atomic into inline data", verbs.WRFetchAdd, badCount(), inlineBytes},
		{"atomic-no-sge", "an atomic without an SGE", verbs.WRFetchAdd, badCount(), func(c *format.SendControl[uint64], _ []format.SGE[uint64]) { c.NumSGE = 0 }},
		{"atomic-sges", "an atomic of two SGEs", verbs.WRCompSwap, badCount(), func(c *format.SendControl[uint64], _ []format.SGE[uint64]) { c.NumSGE = 2 }},
		{"atomic-7", "an atomic into 7 bytes", verbs.WRCompSwap, local(format.StatusLocLen, format.VendorLength), lengths(7, 0)},
		{"atomic-16", "an atomic into 16 bytes", verbs.WRFetchAdd, local(format.StatusLocLen, format.VendorLength), lengths(16, 0)},
	} {
		all = append(all, ruled("wqe/"+c.name, c.what, c.op, c.want, func(_ context.Context, _ *faultRig, w *faultyWork, wrong bool) (err error) {
			w.rawSend, err = rawRead(w, pick(wrong, c.change, nil))
			return err
		}))
	}
	return all
}

func badCount() verdict { return local(format.StatusLocQPOp, format.VendorBadSGECount) }

func inlineBytes(c *format.SendControl[uint64], _ []format.SGE[uint64]) {
	c.Flags |= format.WRFlagInline
	c.NumSGE, c.InlineLen = 0, atomicBytes
}

func lengths(first, second uint64) func(*format.SendControl[uint64], []format.SGE[uint64]) {
	return func(c *format.SendControl[uint64], list []format.SGE[uint64]) {
		list[0].Length, list[1].Length = first, second
		c.NumSGE += pick[uint64](second == 0, 0, 1)
	}
}

// rawRead is the bytes of a READ or atomic of one SGE, with something changed.
func rawRead(w *faultyWork, change func(*format.SendControl[uint64], []format.SGE[uint64])) ([]byte, error) {
	x, s := w.send, w.send.SGL[0]
	c := format.SendControl[uint64]{
		Opcode: uint64(x.Opcode), Flags: uint64(x.Flags), NumSGE: 1, WRID: x.WRID, RemoteAddr: x.RemoteAddr, RKey: uint64(x.RKey),
	}
	element := format.SGE[uint64]{Addr: s.Addr, Length: uint64(s.Length), LKey: uint64(s.LKey)}
	list := []format.SGE[uint64]{element, element}
	if change != nil {
		change(&c, list)
	}
	b, err := format.AppendHost(nil, c)
	if isAtomic(x.Opcode) && err == nil {
		o := format.AtomicOperands[uint64]{SwapOrAdd: x.CompareAdd}
		if x.Opcode == verbs.WRCompSwap {
			o = format.AtomicOperands[uint64]{SwapOrAdd: x.Swap, Compare: x.CompareAdd}
		}
		b, err = format.AppendHost(b, o)
		list = list[:1]
	}
	for _, s := range list {
		if err == nil {
			b, err = format.AppendHost(b, s)
		}
	}
	return b, err
}
