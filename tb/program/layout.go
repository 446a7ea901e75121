package program

import (
	"math/rand/v2"

	"gornic/verbs"
)

// layout gives messages their places in the regions of one host.
type layout struct {
	r       *rand.Rand
	regions []Region
	most    int // regions of each kind that there should be in a PD
}

// farBytes are between pieces now and then, so that page lists get long.
const farBytes = 20000

// constantBytes is the most a constant region has.
const constantBytes = 6000

// fresh returns a piece of n bytes, at least 1, that no other piece overlaps, in a
// region of the domain that has the rights.
func (l *layout) fresh(pd, n int, rights verbs.Access) Piece {
	i := l.growing(pd, rights)
	l.gap(i)
	g := &l.regions[i]
	p := Piece{i, g.Length, n}
	g.Length += n
	return p
}

// word returns the piece of a word, on which atomics work, like fresh.
func (l *layout) word(pd int, rights verbs.Access) Piece {
	i := l.growing(pd, rights|verbs.AccessRemoteAtomic)
	l.gap(i)
	g := &l.regions[i]
	g.Length = (g.Length + wordBytes - 1) &^ (wordBytes - 1)
	p := Piece{i, g.Length, wordBytes}
	g.Length += wordBytes
	return p
}

const wordBytes = 8 // of an atomic

// gap leaves bytes that must stay as they are.
func (l *layout) gap(i int) {
	g := &l.regions[i]
	switch l.r.IntN(30) {
	case 0:
		g.Length += l.r.IntN(farBytes)
	case 1, 2, 3, 4, 5, 6, 7, 8, 9:
		g.Length += l.r.IntN(80)
	}
}

// growing returns a region that pieces are still added to: one of those there
// are, or a new one.
func (l *layout) growing(pd int, rights verbs.Access) int {
	var fit []int
	for i, g := range l.regions {
		if g.PD == pd && !g.Constant && !g.Kept && g.Access&rights == rights {
			fit = append(fit, i)
		}
	}
	if len(fit) >= l.most || len(fit) > 0 && l.r.IntN(3) > 0 {
		return fit[l.r.IntN(len(fit))]
	}
	access := rights
	if l.r.IntN(2) == 0 {
		access |= verbs.AccessLocalWrite | verbs.AccessRemoteWrite
	}
	access |= verbs.Access(l.r.IntN(2)) * verbs.AccessRemoteRead
	l.regions = append(l.regions, Region{PD: pd, Access: access, Words: access&verbs.AccessRemoteAtomic != 0})
	return len(l.regions) - 1
}

// kept adds a region that nobody else uses.
func (l *layout) kept(g Region) int {
	g.Kept, g.Words = true, true
	if g.Length > 0 { // else it grows yet
		g.Length = (g.Length + wordBytes - 1) &^ (wordBytes - 1)
		l.pages(&g)
	}
	l.regions = append(l.regions, g)
	return len(l.regions) - 1
}

// shared returns a piece of n bytes, at least 1, of a constant region of the domain
// that has the rights.
func (l *layout) shared(pd, n int, rights verbs.Access) Piece {
	var fit []int
	for i, g := range l.regions {
		if g.PD == pd && g.Constant && g.Length >= n && g.Access&rights == rights {
			fit = append(fit, i)
		}
	}
	if len(fit) == 0 || len(fit) < l.most && l.r.IntN(3) == 0 {
		l.regions = append(l.regions, Region{
			PD: pd, Constant: true, Length: max(n, 1+l.r.IntN(constantBytes)),
			Access: rights | verbs.Access(l.r.IntN(2))*verbs.AccessLocalWrite | verbs.Access(l.r.IntN(2))*verbs.AccessRemoteRead,
		})
		fit = append(fit, len(l.regions)-1)
	}
	i := fit[l.r.IntN(len(fit))]
	return Piece{i, l.r.IntN(l.regions[i].Length - n + 1), n}
}

// finish gives every region its end, and its place in virtual memory and in pages.
func (l *layout) finish() []Region {
	for i := range l.regions {
		g := &l.regions[i]
		if !g.Kept {
			g.Length += l.r.IntN(2) * l.r.IntN(100)
			g.Length = max(g.Length, 1)
			if g.Words {
				g.Length = (g.Length + wordBytes - 1) &^ (wordBytes - 1)
			}
			l.pages(g)
		}
		l.address(g)
	}
	return l.regions
}

const (
	logPageMin = 12 // of a page list: 4 KiB
	logPageMax = 21 // to 2 MiB
)

// pages makes half of the regions page lists, mostly of small pages.
func (l *layout) pages(g *Region) {
	if l.r.IntN(2) == 0 {
		return
	}
	log := logPageMin
	if l.r.IntN(2) == 0 {
		log += l.r.IntN(logPageMax - logPageMin + 1)
	}
	g.PageSize, g.Scattered = 1<<log, l.r.IntN(2) == 0
}

// address chooses virtual addresses: those of the bus, from 0 on, up to the last one
// there is, or any. A kept region has any, with room to move up.
func (l *layout) address(g *Region) {
	kind := l.r.IntN(6)
	switch {
	case g.Kept:
	case kind == 0:
		g.Access |= verbs.AccessZeroBased
		return
	case kind == 1:
		g.VA = -uint64(g.Length)
		return
	case kind <= 3 && g.PageSize == 0:
		g.AtBus = true
		return
	}
	g.VA = l.r.Uint64() >> 1 >> l.r.IntN(40)
	if size := uint64(g.PageSize); size > 0 && l.r.IntN(2) == 0 { // across the end of a page
		g.VA = g.VA | (size - 1) - uint64(l.r.IntN(min(g.Length, int(size))))
	}
	if g.Words {
		g.VA &^= wordBytes - 1
	}
}
