package stream

import "gornic/hdl"

// wantDepth rejects a FIFO without room.
func wantDepth(m *hdl.Module, depth int) {
	if depth < 1 {
		m.Reject("a depth of %d: at least 1", depth)
	}
}

// wantRing rejects the depth of a FIFO whose addresses have one bit more than
// its RAM needs.
func wantRing(m *hdl.Module, depth int) {
	if depth < 4 || !powerOfTwo(depth) {
		m.Reject("a depth of %d: a power of two from 4", depth)
	}
}

// wantBytes rejects beats that are not whole bytes.
func wantBytes(m *hdl.Module, width int) {
	if width < 8 || width%8 != 0 {
		m.Reject("beats of %d bits: a multiple of 8", width)
	}
}

// wantRatio rejects a width converter unless both widths are whole bytes and
// wide is narrow times a power of two above one.
func wantRatio(m *hdl.Module, wide, narrow int) {
	whole := narrow >= 8 && narrow%8 == 0 && wide%narrow == 0
	if !whole || wide == narrow || !powerOfTwo(wide/narrow) {
		m.Reject("beats of %d bits into or from beats of %d: whole bytes, and the ratio is a power of two above 1", wide, narrow)
	}
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }
