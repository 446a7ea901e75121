package golden

import "gornic/format"

// span is a piece of host memory at bus addresses that follow each other.
type span struct {
	addr   uint64
	length uint64
}

// translate returns where bytes [va, va+length) of a key lie. They are in the
// key's range. The code is VendorNone, or VendorBusRead if the page list could
// not be read.
func (n *NIC) translate(e keyEntry, va, length uint64) ([]span, format.VendorCode) {
	if e.PageShift == 0 {
		return []span{{e.Translation + (va - e.VA), length}}, format.VendorNone
	}
	var spans []span
	page := uint64(1) << e.PageShift
	for length > 0 {
		b := make([]byte, 8)
		if !n.read(e.Translation+(va>>e.PageShift-e.VA>>e.PageShift)*8, b) {
			return nil, format.VendorBusRead
		}
		offset := va & (page - 1)
		part := min(length, page-offset)
		spans = append(spans, span{pageAddress(b)&^(page-1) + offset, part})
		va, length = va+part, length-part
	}
	return spans, format.VendorNone
}

// pageAddress is an entry of a page list.
func pageAddress(b []byte) uint64 {
	var addr uint64
	for i, x := range b {
		addr |= uint64(x) << (8 * i)
	}
	return addr
}
