package program

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"

	"gornic/tb/wire"
	"gornic/verbs"
)

// margin is how many bytes on either side of a region in its pages are watched.
const margin = 64

// area is a region in the memory of a host.
type area struct {
	Region
	mr    *verbs.MR
	fast  *verbs.FastMR    // that is mr
	attr  verbs.MRInitAttr // as it was made
	gone  bool             // it is no region any more
	parts []part
	lead  int    // bytes watched before the region
	image []byte // what memory has to hold, from lead bytes before the region on
}

// part is a run of the image that is one on the bus.
type part struct {
	buf      *verbs.Buffer
	at       uint64 // in buf
	from, to int    // of the image
}

// newArea allocates, registers and fills a region.
func (s *side) newArea(ctx context.Context, g Region, seed uint64) (*area, error) {
	a := &area{Region: g}
	s.areas = append(s.areas, a)
	attr := verbs.MRInitAttr{Addr: g.VA, Length: uint64(g.Length), Access: g.Access}
	var err error
	if g.PageSize == 0 {
		err = s.contiguous(a, &attr)
	} else {
		err = s.paged(a, &attr, seed)
	}
	if err != nil {
		return a, err
	}
	a.attr = attr
	if a.Fast {
		if a.fast, err = s.pds[g.PD].AllocFastMR(ctx, len(attr.Pages)); err == nil {
			a.mr = a.fast.MR
		}
	} else {
		a.mr, err = s.pds[g.PD].CreateMR(ctx, attr)
	}
	if err != nil {
		return a, err
	}
	return a, a.write(ctx, 0, noise(seed, len(a.image)))
}

func (s *side) buffer(size, align uint64) (*verbs.Buffer, error) {
	b, err := s.Device.AllocBuffer(size, align)
	if err == nil {
		s.buffers = append(s.buffers, b)
	}
	return b, err
}

// contiguous has no margin but the guard zones of the allocation.
func (s *side) contiguous(a *area, attr *verbs.MRInitAttr) error {
	align := uint64(1)
	if a.Words {
		align = wordBytes
	}
	buf, err := s.buffer(attr.Length, align)
	if err != nil {
		return err
	}
	attr.Bus = buf.Addr()
	if a.AtBus {
		attr.Addr = buf.Addr()
	}
	a.image = make([]byte, a.Length)
	a.parts = []part{{buf, 0, 0, a.Length}}
	return nil
}

// paged makes a page list. The seed decides where the pages lie.
func (s *side) paged(a *area, attr *verbs.MRInitAttr, seed uint64) error {
	size := uint64(a.PageSize)
	start := int(a.VA & (size - 1))
	count := (start + a.Length + a.PageSize - 1) / a.PageSize
	a.lead = min(margin, start)
	a.image = make([]byte, a.lead+a.Length+min(margin, count*a.PageSize-start-a.Length))
	attr.PageSize = size
	order := rand.New(rand.NewPCG(seed, 0)).Perm(count)
	var buf *verbs.Buffer
	for i := range count {
		at := uint64(0)
		var err error
		switch {
		case a.Scattered:
			buf, err = s.buffer(size, size)
		case i == 0:
			buf, err = s.buffer(size*uint64(count), size)
		}
		if err != nil {
			return err
		}
		if !a.Scattered {
			at = uint64(order[i]) * size
		}
		attr.Pages = append(attr.Pages, buf.Addr()+at)
		first := i*a.PageSize - (start - a.lead) // of the page in the image
		from, to := max(first, 0), min(first+a.PageSize, len(a.image))
		a.parts = append(a.parts, part{buf, at + uint64(from-first), from, to})
	}
	return nil
}

// each calls f for every run of n bytes of the image that is one on the bus.
func (a *area) each(at, n int, f func(p part, busOffset uint64, from, to int) error) error {
	for _, p := range a.parts {
		from, to := max(p.from, at), min(p.to, at+n)
		if from >= to {
			continue
		}
		if err := f(p, p.at+uint64(from-p.from), from-at, to-at); err != nil {
			return err
		}
	}
	return nil
}

// read reads n bytes, from an offset in the image on.
func (a *area) read(ctx context.Context, at, n int) ([]byte, error) {
	b := make([]byte, n)
	err := a.each(at, n, func(p part, bus uint64, from, to int) error { return p.buf.Read(ctx, bus, b[from:to]) })
	return b, err
}

// write writes memory and image.
func (a *area) write(ctx context.Context, at int, b []byte) error {
	copy(a.image[at:], b)
	return a.each(at, len(b), func(p part, bus uint64, from, to int) error { return p.buf.Write(ctx, bus, b[from:to]) })
}

// holds is what a piece has to hold.
func (a *area) holds(p Piece) []byte { return a.image[a.lead+p.Offset:][:p.Length] }

// check compares memory with the image.
func (a *area) check(ctx context.Context) error {
	got, err := a.read(ctx, 0, len(a.image))
	if err != nil {
		return err
	}
	if i := firstDifference(got, a.image); i >= 0 {
		return fmt.Errorf("byte %d of %d (%v) is %#02x, expected %#02x; %d bytes differ", i-a.lead, a.Length, a.Region, got[i], a.image[i], differences(got, a.image))
	}
	return nil
}

// firstDifference is where two slices of one length differ, -1 if they do not.
func firstDifference(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

func differences(a, b []byte) int {
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// String says what kind of a region it is.
func (g Region) String() string {
	kind := "contiguous"
	if g.PageSize > 0 {
		kind = fmt.Sprintf("pages of %d", g.PageSize)
	}
	if g.AtBus {
		return kind + ", at its bus address"
	}
	return fmt.Sprintf("%s, VA %#x", kind, g.VA)
}

// noise is n bytes of a seed.
func noise(seed uint64, n int) []byte {
	b := make([]byte, 0, n+8)
	for i := uint64(0); len(b) < n; i++ {
		word := wire.Hash(seed, i)
		for range 8 {
			b, word = append(b, byte(word)), word>>8
		}
	}
	return b[:n]
}
