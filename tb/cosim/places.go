package main

import (
	"context"
	"slices"

	"gornic/format"
	"gornic/tb/host"
	"gornic/verbs"
)

// places is the table of destinations: where payload goes that comes in (each row of the
// scatter path's table), in buffers of every shape, and in ones of which a part fails.
func places() []fault {
	var all []fault
	for _, d := range destinations() {
		for _, s := range d.shapes {
			all = append(all, d.row(s))
			for _, b := range d.breaks(s) {
				all = append(all, b)
			}
		}
	}
	return all
}

// A destination is an operation that brings payload, and who it is that says where it
// goes.
type destination struct {
	name, what string
	op         verbs.Opcode
	at         side
	put        func(w *faultyWork, list []verbs.SGE)
	shapes     []shape
	// broken is what comes of a part that cannot be written, by the packet that has it;
	// refused of a part whose key is bad.
	broken, refused func(packet int) verdict
}

// A shape is a list of parts of memory.
type shape struct {
	name, what string
	parts      []part
}

// lender is what a key of pages is of.
type lender int

const (
	byRegion  lender = iota // of a region that a command made
	byREGMR                 // of one that a work request made
	byWindow1               // of a window of one
	byWindow2
)

// A part is an element: some bytes at an offset of the buffer, or of scattered pages.
type part struct {
	at    int // in the buffer; 0: pages
	first int // of pages: bytes of the first one
	by    lender
	n     int // 0: it is empty, and its key is bad
}

const (
	atOdd  = atFault + 1
	atOdd2 = atFault + 0x283
)

func destinations() []destination {
	registered := shape{"reg-mr", "two pages that are not in order, made by REG_MR", []part{{first: 77, n: faultBytes, by: byREGMR}}}
	windows := []shape{
		{"window-1", "a window of type 1 of two pages", []part{{first: 511, n: faultBytes, by: byWindow1}}},
		{"window-2", "a window of type 2 of two pages", []part{{first: 9, n: faultBytes, by: byWindow2}}},
	}
	odd := shape{"odd", "an odd address", []part{{at: atOdd, n: faultBytes}}}
	pages := shape{"pages", "two pages that are not in order", []part{{first: 333, n: faultBytes}}}
	listed := []shape{
		{"list", "three elements, of which one is empty", []part{{at: atOdd2, n: 101}, {}, {at: atOdd, n: faultBytes - 101}}},
		{"small", "an element of a byte", []part{{at: atOdd2, n: 1}, {at: atOdd, n: faultBytes - 1}}},
		{"mixed", "pages and a buffer", []part{{first: 13, n: 255}, {}, {at: atOdd, n: faultBytes - 255}}},
		{"empty-first", "an empty element before the others", []part{{}, {at: atOdd, n: 257}, {first: 100, n: faultBytes - 257}}},
	}
	either := append([]shape{odd, pages, registered}, listed...)
	named := append([]shape{odd, pages, registered}, windows...)
	receive := func(packet int) verdict {
		v := lately(received(format.SyndromeNAKOp, format.StatusLocProt, format.VendorBusWrite))
		v.nakAt = packet
		return v
	}
	write := func(packet int) verdict {
		v := lately(failedRemotely(format.VendorBusWrite))
		v.nakAt = packet
		return v
	}
	response := func(int) verdict { return lately(local(format.StatusLocProt, format.VendorBusWrite)) }
	return []destination{
		{name: "send", what: "the receive work request's elements", op: verbs.WRSend, at: sideB, put: putReceives, shapes: either, broken: receive,
			refused: func(packet int) verdict {
				v := received(format.SyndromeNAKOp, format.StatusLocProt, format.VendorKeyUnknown)
				v.nakAt = packet
				return v
			}},
		{name: "write", what: "the address of the RETH", op: verbs.WRWrite, at: sideB, put: putOne, shapes: named, broken: write},
		{name: "write-imm", what: "the address of the RETH, and not that of the receive work request", op: verbs.WRWriteImm, at: sideB, put: putOne,
			shapes: named, broken: func(packet int) verdict {
				if packet == 2 { // the last, which has taken the receive work request
					return receive(packet)
				}
				return write(packet)
			}},
		{name: "read", what: "the READ's elements", op: verbs.WRRead, at: sideA, put: putLocals, shapes: either, broken: response,
			refused: func(int) verdict { return local(format.StatusLocProt, format.VendorKeyUnknown) }},
		{name: "atomic", what: "the atomic's element", op: verbs.WRFetchAdd, at: sideA, put: putLocals, shapes: []shape{
			{"odd", "an odd address", []part{{at: atOdd, n: atomicBytes}}},
			{"pages", "two pages that are not in order", []part{{first: 3, n: atomicBytes}}},
		}, broken: response},
	}
}

func putReceives(w *faultyWork, list []verbs.SGE) { w.recv.SGL = list }
func putLocals(w *faultyWork, list []verbs.SGE)   { w.send.SGL = list }
func putOne(w *faultyWork, list []verbs.SGE)      { putRemote(w, list[0]) }

// row is a destination of a shape that is good.
func (d destination) row(s shape) fault {
	f := fault{name: d.name + "/" + s.name, what: d.what + ": " + s.what, op: d.op, want: fine(d.op, 0), then: landed, sges: len(s.parts), coreBest: d.at}
	f.spoil = func(ctx context.Context, r *faultRig, w *faultyWork) error {
		_, err := d.place(ctx, r, w, s)
		return err
	}
	return f
}

// place puts the parts of a shape where the message goes, and lets the device write
// there. It returns where they are on the bus, in order.
func (d destination) place(ctx context.Context, r *faultRig, w *faultyWork, s shape) ([]piece, error) {
	e := r.ends[d.at]
	var list []verbs.SGE
	var all []piece
	for _, p := range s.parts {
		x, pieces, err := keyring{ctx, r, e}.part(p)
		if err != nil {
			return nil, err
		}
		list, all = append(list, x), append(all, pieces...)
	}
	e.host.allowed = append(e.host.allowed, all...)
	d.put(w, list)
	return all, nil
}

// part makes a part.
func (k keyring) part(p part) (verbs.SGE, []piece, error) {
	switch {
	case p.n == 0:
		return verbs.SGE{Addr: ^uint64(0), LKey: ^uint32(0)}, nil, nil
	case p.at != 0:
		return k.mr.SGE(uint64(p.at), uint32(p.n)), []piece{{k.buf.Addr() + uint64(p.at), uint64(p.n)}}, nil
	}
	s, err := k.host.pages(k.ctx, p.first, p.n)
	if err == nil {
		s.sge.LKey, err = k.lend(s, p.by)
	}
	return s.sge, slices.DeleteFunc(s.pieces, func(p piece) bool { return p.size == 0 }), err
}

// lend makes a key of pages.
func (k keyring) lend(s scattered, by lender) (uint32, error) {
	if by == byRegion {
		return s.sge.LKey, nil
	}
	if by == byREGMR {
		key, err := k.free(false)
		if err != nil {
			return 0, err
		}
		w := k.register(key, allAccess)
		w.addr, w.reg.Length = s.sge.Addr, uint64(s.sge.Length)
		w.reg.Translation, w.reg.PageShift = s.list.addr, pageShift
		return key, k.do(w)
	}
	return k.bound(pick(by == byWindow1, verbs.MWType1, verbs.MWType2), func(w *keyWork) {
		w.addr, w.bind.Length, w.bind.Region = s.sge.Addr, uint64(s.sge.Length), uint64(s.sge.LKey)
	})
}

// breaks are the shape with each of its pieces that the bus does not let write, and with
// the last element under a bad key.
func (d destination) breaks(s shape) []fault {
	var all []fault
	for i, at := range s.ends() {
		f := d.row(s)
		f.name, f.what = f.name+"-"+[]string{"first", "second", "third"}[i]+"-broken", f.what+", of which one cannot be written"
		good := d.row(s)
		f.want, f.then, f.twin = d.broken((at-1)/256), nil, &good
		f.want.executed = isAtomic(d.op)
		f.spoil = func(ctx context.Context, r *faultRig, w *faultyWork) error {
			pieces, err := d.place(ctx, r, w, s)
			if err == nil {
				p := pieces[i]
				r.hosts[d.at].InjectFault(p.addr+p.size-1, 1, host.Writes)
			}
			return err
		}
		all = append(all, f)
	}
	if d.refused == nil || len(s.parts) == 1 {
		return all
	}
	f := d.row(s)
	f.name, f.what = f.name+"-key", f.what+", the last under a bad key"
	good := d.row(s)
	last := s.parts[len(s.parts)-1].n
	f.want, f.then, f.twin = d.refused((faultBytes-last)/256), nil, &good
	f.spoil = func(ctx context.Context, r *faultRig, w *faultyWork) error {
		_, err := d.place(ctx, r, w, s)
		list := pick(d.at == sideB, w.recv.SGL, w.send.SGL)
		list[len(list)-1].LKey ^= 1
		return err
	}
	return append(all, f)
}

// ends are how many bytes of a message are before the end of each piece on the bus.
func (s shape) ends() []int {
	var all []int
	at := 0
	for _, p := range s.parts {
		if p.n == 0 {
			continue
		}
		if p.at == 0 {
			all = append(all, at+p.first)
		}
		at += p.n
		all = append(all, at)
	}
	return all
}
