package play

import (
	"context"
	"math/rand/v2"

	"gornic/tb/wire"
	"gornic/verbs"
)

const pageBytes = 4096

// area is a registered buffer. Its pages lie in any order, or all in one piece.
type area struct {
	buf    *verbs.Buffer
	mr     *verbs.MR
	start  uint64   // offset of the first byte in its first page
	pages  []uint64 // offsets in the buffer; nil: in one piece
	length int
}

// paged allocates and registers size bytes in scattered pages, from an offset in the first one on. The
// seed decides how they lie.
func (e *end) paged(ctx context.Context, pd *verbs.PD, size int, access verbs.Access, start, seed uint64) (*area, error) {
	a := &area{start: start, length: size}
	count := (int(a.start) + size + pageBytes - 1) / pageBytes
	buf, err := e.buffer(uint64(count*pageBytes), pageBytes)
	if err != nil {
		return nil, err
	}
	a.buf = buf
	bus := make([]uint64, count)
	for i, page := range rand.New(rand.NewPCG(seed, 0)).Perm(count) {
		a.pages = append(a.pages, uint64(page*pageBytes))
		bus[i] = buf.Addr() + a.pages[i]
	}
	base := wire.Hash(seed) >> 20 << 12 // any virtual page
	a.mr, err = pd.CreateMR(ctx, verbs.MRInitAttr{Addr: base + a.start, Length: uint64(size), Access: access, Pages: bus, PageSize: pageBytes})
	e.regions = append(e.regions, a.mr)
	return a, err
}

// contiguous allocates and registers size bytes in one piece.
func (e *end) contiguous(ctx context.Context, pd *verbs.PD, size, align int, access verbs.Access) (*area, error) {
	buf, err := e.buffer(uint64(size), uint64(align))
	if err != nil {
		return nil, err
	}
	mr, err := pd.RegMR(ctx, buf.Addr(), uint64(size), access)
	e.regions = append(e.regions, mr)
	return &area{buf: buf, mr: mr, length: size}, err
}

func (e *end) buffer(size, align uint64) (*verbs.Buffer, error) {
	buf, err := e.host.Device.AllocBuffer(size, align)
	if err == nil {
		e.buffers = append(e.buffers, buf)
	}
	return buf, err
}

// each calls f for every piece of [offset, offset+length) that is one on the bus.
func (a *area) each(offset, length int, f func(at uint64, from, to int) error) error {
	for done := 0; done < length; {
		at, n := uint64(offset+done), length-done
		if a.pages != nil {
			in := a.start + at
			n = min(n, int(pageBytes-in%pageBytes))
			at = a.pages[in/pageBytes] + in%pageBytes
		}
		if err := f(at, done, done+n); err != nil {
			return err
		}
		done += n
	}
	return nil
}

func (a *area) read(ctx context.Context, offset, length int) ([]byte, error) {
	b := make([]byte, length)
	err := a.each(offset, length, func(at uint64, from, to int) error { return a.buf.Read(ctx, at, b[from:to]) })
	return b, err
}

func (a *area) write(ctx context.Context, offset int, b []byte) error {
	return a.each(offset, len(b), func(at uint64, from, to int) error { return a.buf.Write(ctx, at, b[from:to]) })
}

// sge names a piece of the area.
func (a *area) sge(offset, length int) verbs.SGE { return a.mr.SGE(uint64(offset), uint32(length)) }

// noise is what a buffer holds at first: bytes of a seed, from offset on.
func noise(seed uint64, offset, length int) []byte {
	b := make([]byte, length)
	var word uint64
	for i := range b {
		at := uint64(offset + i)
		if i == 0 || at%8 == 0 {
			word = wire.Hash(seed, at/8)
		}
		b[i] = byte(word >> (8 * (at % 8)))
	}
	return b
}
