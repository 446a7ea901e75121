package golden

import "gornic/format"

type sge = format.SGE[uint64]

// sgList is the buffer of a work request: pieces, filled in their order.
type sgList []sge

// total is the bytes of the list.
func (l sgList) total() uint64 {
	var total uint64
	for _, s := range l {
		total += s.Length
	}
	return total
}

// part returns bytes [offset, offset+length) of the list, or as many as there
// are, without empty pieces.
func (l sgList) part(offset, length uint64) sgList {
	var out sgList
	for _, s := range l {
		if offset >= s.Length {
			offset -= s.Length
			continue
		}
		take := min(s.Length-offset, length)
		if take == 0 {
			break
		}
		out = append(out, sge{Addr: s.Addr + offset, Length: take, LKey: s.LKey})
		offset, length = 0, length-take
	}
	return out
}

// locate checks the keys of a list and returns where it lies. Keys are judged
// for the bytes of the list alone, in its order.
func (n *NIC) locate(l sgList, use keyUse) ([]span, format.VendorCode) {
	var spans []span
	for _, s := range l {
		e, vendor := n.checkKey(uint32(s.LKey), s.Addr, s.Length, use)
		if vendor != format.VendorNone {
			return nil, vendor
		}
		more, vendor := n.translate(e, s.Addr, s.Length)
		if vendor != format.VendorNone {
			return nil, vendor
		}
		spans = append(spans, more...)
	}
	return spans, format.VendorNone
}

// gather reads bytes [offset, offset+length) of a list.
func (n *NIC) gather(q *queuePair, l sgList, offset, length uint64) ([]byte, format.VendorCode) {
	spans, vendor := n.locate(l.part(offset, length), keyUse{queue: q})
	if vendor != format.VendorNone {
		return nil, vendor
	}
	b := make([]byte, length)
	return b, n.collect(spans, b)
}

// collect fills b from spans of its length.
func (n *NIC) collect(spans []span, b []byte) format.VendorCode {
	for _, s := range spans {
		if !n.read(s.addr, b[:s.length]) {
			return format.VendorBusRead
		}
		b = b[s.length:]
	}
	return format.VendorNone
}

// allows judges the keys of a list, each for all of its piece. A piece of no bytes
// has none.
func (n *NIC) allows(q *queuePair, l sgList, rights uint64) format.VendorCode {
	for _, s := range l {
		if s.Length == 0 {
			continue
		}
		if _, vendor := n.checkKey(uint32(s.LKey), s.Addr, s.Length, keyUse{queue: q, rights: rights}); vendor != format.VendorNone {
			return vendor
		}
	}
	return format.VendorNone
}

// scatter writes b at offset of a list that has room for it. It writes nothing
// if a key does not allow all of it.
func (n *NIC) scatter(q *queuePair, l sgList, offset uint64, b []byte) format.VendorCode {
	spans, vendor := n.locate(l.part(offset, uint64(len(b))), keyUse{queue: q, rights: format.AccessLocalWrite})
	if vendor != format.VendorNone {
		return vendor
	}
	return n.place(spans, b)
}

// place writes b over spans of its length.
func (n *NIC) place(spans []span, b []byte) format.VendorCode {
	for _, s := range spans {
		if !n.write(s.addr, b[:s.length]) {
			return format.VendorBusWrite
		}
		b = b[s.length:]
	}
	return format.VendorNone
}
