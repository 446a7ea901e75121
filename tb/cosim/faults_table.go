package main

import (
	"context"
	"slices"

	"gornic/format"
	"gornic/verbs"
)

// faults is the table: a row for each fault. A new one is an entry in one of the lists.
func faults() []fault {
	return slices.Concat(keyFaults(), busFaults(), workFaults(), queueFaults(), doorbellFaults(), packetFaults())
}

// keyUse is a place where a key is used, and what a bad one means there.
type keyUse struct {
	name  string
	op    verbs.Opcode
	size  int  // of the message; 0: faultBytes
	at    side // whose key it is
	right verbs.Access
	// put has the work use a piece of memory.
	put func(w *faultyWork, s verbs.SGE)
	// refused is what comes of a key that does not allow the use, unread of one
	// that cannot be read.
	refused, unread func(format.VendorCode) verdict
	// unlisted is what comes of a page list that cannot be read; nil: as unread.
	unlisted func(format.VendorCode) verdict
	whole    bool // the key is judged once, for the whole message
}

func keyUses() []keyUse {
	local := func(v format.VendorCode) verdict { return local(format.StatusLocProt, v) }
	scatter := func(v format.VendorCode) verdict {
		return received(format.SyndromeNAKOp, format.StatusLocProt, v)
	}
	return []keyUse{
		{name: "write-lkey", op: verbs.WRWrite, at: sideA, put: putLocal, refused: local, unread: local},
		{name: "send-lkey", op: verbs.WRSend, at: sideA, put: putLocal, refused: local, unread: local},
		{name: "recv-lkey", op: verbs.WRSend, at: sideB, right: verbs.AccessLocalWrite, put: putReceive, refused: scatter, unread: scatter},
		{
			name: "write-rkey", op: verbs.WRWrite, at: sideB, right: verbs.AccessRemoteWrite, put: putRemote, whole: true,
			refused: deniedRemotely, unread: failedRemotely,
		},
		{
			name: "write-imm-rkey", op: verbs.WRWriteImm, size: 200, at: sideB, right: verbs.AccessRemoteWrite, put: putRemote, whole: true,
			refused: func(v format.VendorCode) verdict {
				return received(format.SyndromeNAKAccess, format.StatusLocAccess, v)
			},
			unread: scatter,
		},
		{
			name: "read-rkey", op: verbs.WRRead, at: sideB, right: verbs.AccessRemoteRead, put: putRemote, whole: true,
			refused: deniedRemotely, unread: failedRemotely,
			unlisted: func(v format.VendorCode) verdict { return lately(failedRemotely(v)) },
		},
		{
			name: "read-lkey", op: verbs.WRRead, at: sideA, right: verbs.AccessLocalWrite, put: putLocal, whole: true, refused: local, unread: local,
			unlisted: func(v format.VendorCode) verdict { return lately(local(v)) },
		},
		{
			name: "atomic-rkey", op: verbs.WRFetchAdd, size: atomicBytes, at: sideB, right: verbs.AccessRemoteAtomic, put: putRemote, whole: true,
			refused: deniedRemotely, unread: failedRemotely,
		},
		{
			name: "atomic-lkey", op: verbs.WRCompSwap, size: atomicBytes, at: sideA, right: verbs.AccessLocalWrite, put: putLocal, whole: true, refused: local, unread: local,
			unlisted: func(v format.VendorCode) verdict { return executed(lately(local(v))) },
		},
	}
}

func deniedRemotely(v format.VendorCode) verdict {
	return remote(format.SyndromeNAKAccess, format.EventQPAccessErr, v)
}

func failedRemotely(v format.VendorCode) verdict {
	return remote(format.SyndromeNAKOp, format.EventQPFatal, v)
}

// lately is a verdict of what is known when what is behind it may have been done.
func lately(v verdict) verdict {
	v.late = true
	return v
}

// executed is a verdict of an atomic that has been done all the same.
func executed(v verdict) verdict {
	v.executed = true
	return v
}

func putLocal(w *faultyWork, s verbs.SGE)   { w.send.SGL = []verbs.SGE{s} }
func putReceive(w *faultyWork, s verbs.SGE) { w.recv.SGL = []verbs.SGE{s} }
func putRemote(w *faultyWork, s verbs.SGE)  { w.send.RemoteAddr, w.send.RKey = s.Addr, s.LKey }

// keyMaker returns a piece of n bytes at an offset of the buffer of an end under a key.
type keyMaker = func(ctx context.Context, e *faultEnd, at int, n uint32, right verbs.Access) (verbs.SGE, error)

// badKey is a way in which a key does not allow what is asked of it.
type badKey struct {
	name, what string
	vendor     format.VendorCode
	make       keyMaker
	// right is the same without that.
	right keyMaker
	good  int  // packets of a message of several that the key allows
	bus   bool // host memory does not answer well
}

func badKeys() []badKey {
	return []badKey{
		{name: "unknown", what: "a key that was never made", vendor: format.VendorKeyUnknown, make: under(func(k uint32) uint32 { return k ^ 0x200<<format.KeyTagBits }), right: goodKey},
		{name: "beyond-table", what: "a key behind the end of the key table", vendor: format.VendorKeyUnknown, make: under(func(k uint32) uint32 { return k | 0xFFFFFF<<format.KeyTagBits }), right: goodKey},
		{name: "tag", what: "a key with the tag of another life", vendor: format.VendorKeyUnknown, make: under(func(k uint32) uint32 { return k ^ 1 }), right: goodKey},
		{name: "dead", what: "a key of a region that was deregistered", vendor: format.VendorKeyUnknown, make: deadKey, right: liveKey},
		{name: "pd", what: "a key of another protection domain", vendor: format.VendorKeyPD, make: otherPD, right: liveKey},
		{name: "right", what: "a key without the right that the use takes", vendor: format.VendorKeyRights, make: noRight, right: liveKey},
		{name: "below", what: "a range that starts a byte below the region", vendor: format.VendorKeyRange, make: regionOf(1, 0, 0), right: regionOf(0, 0, 0)},
		{name: "above", what: "a range that ends a byte above the region", vendor: format.VendorKeyRange, make: regionOf(0, -1, 0), right: regionOf(0, 0, 0), good: 2},
		{name: "wrap", what: "a range that wraps at 2^64, from a region at the end", vendor: format.VendorKeyRange, make: regionOf(0, -100, ^uint64(0)), right: regionOf(0, 0, ^uint64(0)), good: 1},
		{name: "wrap-to-0", what: "a range that wraps at 2^64, into a region at 0", vendor: format.VendorKeyRange, make: regionAt(^uint64(below - 1)), right: regionAt(0)},
		{name: "table-read", what: "an entry of the key table that the bus does not give", vendor: format.VendorBusRead, make: tableFault, right: liveKey, bus: true},
		{name: "list-read", what: "an entry of a page list that the bus does not give", vendor: format.VendorBusRead, make: pagesOf(true), right: pagesOf(false), bus: true},
	}
}

// keyFaults are every way for every use.
func keyFaults() []fault {
	var all []fault
	for _, u := range keyUses() {
		for _, k := range badKeys() {
			switch {
			case k.name == "right" && u.right == 0: // reading takes none
			case (k.name == "wrap" || k.name == "wrap-to-0") && isAtomic(u.op): // its address is a multiple of 8
			default:
				all = append(all, u.fault(k))
			}
		}
	}
	return all
}

func (u keyUse) fault(k badKey) fault {
	v := u.refused(k.vendor)
	switch {
	case k.name == "list-read" && u.unlisted != nil:
		v = u.unlisted(k.vendor)
	case k.bus:
		v = u.unread(k.vendor)
	}
	if !u.whole {
		v = v.placing(256 * k.good)
		v.nakAt = k.good
	}
	f := fault{name: u.name + "/" + k.name, what: k.what, op: u.op, size: u.size, want: v, spoil: u.with(k.make)}
	return f.beside(u.with(k.right))
}

// with has the work use a piece under a key.
func (u keyUse) with(key keyMaker) spoiler {
	return func(ctx context.Context, r *faultRig, w *faultyWork) error {
		at := atFault
		if u.name == "recv-lkey" {
			at = atSlots + slotBytes
		}
		s, err := key(ctx, r.ends[u.at], at, w.send.SGL[0].Length, u.right)
		u.put(w, s)
		return err
	}
}

// beside gives a fault a twin: the same with what makes it right.
func (f fault) beside(right spoiler) fault {
	twin := f
	twin.spoil, twin.want = right, fine(f.op, f.bytes())
	if twin.then == nil {
		twin.then = landed
	}
	f.twin = &twin
	return f
}

// bytes is the length of the message.
func (f fault) bytes() int {
	switch {
	case f.size != 0:
		return f.size
	case isAtomic(f.op):
		return atomicBytes
	}
	return faultBytes
}

// fine is a message that meets no fault.
func fine(op verbs.Opcode, bytes int) verdict {
	v := verdict{by: byNobody, placed: bytes, executed: isAtomic(op)}
	if isSendOp(op) || op == verbs.WRWriteImm {
		v.recv = &completion{}
	}
	return v
}

// under is the buffer under another key than its own.
func under(change func(uint32) uint32) keyMaker {
	return func(_ context.Context, e *faultEnd, at int, n uint32, _ verbs.Access) (verbs.SGE, error) {
		s := e.mr.SGE(uint64(at), n)
		s.LKey = change(s.LKey)
		return s, nil
	}
}

const allAccess = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic

func goodKey(_ context.Context, e *faultEnd, at int, n uint32, _ verbs.Access) (verbs.SGE, error) {
	return e.mr.SGE(uint64(at), n), nil
}

// liveKey is a region of its own.
func liveKey(ctx context.Context, e *faultEnd, at int, n uint32, _ verbs.Access) (verbs.SGE, error) {
	return e.host.register(ctx, e.host.pd, verbs.MRInitAttr{Addr: e.buf.Addr(), Length: faultBuffer, Access: allAccess, Bus: e.buf.Addr()}, uint64(at), n)
}

func deadKey(ctx context.Context, e *faultEnd, at int, n uint32, _ verbs.Access) (verbs.SGE, error) {
	mr, err := e.host.keyed(func() (*verbs.MR, error) {
		mr, err := e.host.pd.RegMR(ctx, e.buf.Addr(), faultBuffer, allAccess)
		if err != nil {
			return nil, err
		}
		return mr, mr.Dereg(ctx)
	})
	if err != nil {
		return verbs.SGE{}, err
	}
	return mr.SGE(uint64(at), n), nil
}

func otherPD(ctx context.Context, e *faultEnd, at int, n uint32, _ verbs.Access) (verbs.SGE, error) {
	pd, err := e.host.dev.AllocPD()
	if err != nil {
		return verbs.SGE{}, err
	}
	return e.host.register(ctx, pd, verbs.MRInitAttr{Addr: e.buf.Addr(), Length: faultBuffer, Access: allAccess, Bus: e.buf.Addr()}, uint64(at), n)
}

func noRight(ctx context.Context, e *faultEnd, at int, n uint32, right verbs.Access) (verbs.SGE, error) {
	attr := verbs.MRInitAttr{Addr: e.buf.Addr(), Length: faultBuffer, Access: verbs.AccessLocalWrite, Bus: e.buf.Addr()}
	if right == verbs.AccessLocalWrite {
		attr.Access = verbs.AccessRemoteRead
	}
	return e.host.register(ctx, e.host.pd, attr, uint64(at), n)
}

// regionOf is a region that starts some bytes behind the piece, and is as long as it
// but for some bytes; with last, one that ends at that virtual address.
func regionOf(behind, longer int, last uint64) keyMaker {
	return func(ctx context.Context, e *faultEnd, at int, n uint32, _ verbs.Access) (verbs.SGE, error) {
		bus, length := e.buf.Addr()+uint64(at+behind), uint64(int(n)+longer)
		attr := verbs.MRInitAttr{Addr: bus, Length: length, Access: allAccess, Bus: bus}
		if last != 0 {
			attr.Addr = last - (length - 1)
		}
		return e.host.register(ctx, e.host.pd, attr, uint64(-behind), n)
	}
}

// below is how many bytes below 2^64 a piece starts.
const below = 10

// regionAt is a piece at a virtual address, and a region that begins at 0.
func regionAt(va uint64) keyMaker {
	return func(ctx context.Context, e *faultEnd, at int, n uint32, _ verbs.Access) (verbs.SGE, error) {
		attr := verbs.MRInitAttr{Length: faultBuffer - uint64(at), Access: allAccess | verbs.AccessZeroBased, Bus: e.buf.Addr() + uint64(at)}
		return e.host.register(ctx, e.host.pd, attr, va, n)
	}
}

// tableFault is a good region, of which the entry cannot be read from the key table.
func tableFault(ctx context.Context, e *faultEnd, at int, n uint32, _ verbs.Access) (verbs.SGE, error) {
	s, err := e.host.register(ctx, e.host.pd, verbs.MRInitAttr{Addr: e.buf.Addr(), Length: faultBuffer, Access: allAccess, Bus: e.buf.Addr()}, uint64(at), n)
	if err == nil {
		err = e.host.unreadableKey(ctx, s.LKey)
	}
	return s, err
}

// pagesOf is a region of scattered pages, of which the list can be read or not.
func pagesOf(unreadable bool) keyMaker {
	return func(ctx context.Context, e *faultEnd, at int, n uint32, _ verbs.Access) (verbs.SGE, error) {
		return e.host.pagedKey(ctx, e.bytes(at, int(n)), unreadable)
	}
}
