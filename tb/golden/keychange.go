package golden

import "gornic/format"

// What queue pairs do to keys. The rules are those of protocol section 6, in the order
// in which a refusal names its reason: the entry, its domain, its type, its state, then
// what is to become of it. What is refused changes nothing.

// revoke ends a key for a LOCAL_INV or a SEND with invalidate: that of a region for fast
// registration which lends to no window, or of a window of type 2.
func (n *NIC) revoke(q *queuePair, key uint32) format.VendorCode {
	e, vendor := n.lookUp(key)
	switch {
	case vendor != format.VendorNone:
		return vendor
	case e.PD != q.pd, e.Type == format.KeyWindow2 && e.State == format.KeyValid && e.QPN != uint64(q.number):
		return format.VendorKeyPD
	case e.Type != format.KeyFastRegion && e.Type != format.KeyWindow2:
		return format.VendorKeyType
	case e.State != format.KeyValid:
		return format.VendorKeyState
	case e.Windows != 0:
		return format.VendorKeyBound
	}
	return n.free(e)
}

// free makes a valid key one that can be made valid again.
func (n *NIC) free(e keyEntry) format.VendorCode {
	now := e
	now.State = format.KeyFree
	return n.exchange(e, now)
}

// exchange writes an entry in the place of another. If that was a window that was bound, its
// region has one less: what is counted wrong after a bus fault is too many.
func (n *NIC) exchange(was, now keyEntry) format.VendorCode {
	if vendor := n.storeEntry(now); vendor != format.VendorNone {
		return vendor
	}
	return n.release(was)
}

// unbind gives a window of type 1 a new key, which lends nothing.
func (n *NIC) unbind(window keyEntry, key uint64) format.VendorCode {
	now := window
	now.Key, now.State = key, format.KeyFree
	return n.exchange(window, now)
}

// release takes a window that is bound off the count of its region. Of other keys
// nothing is known elsewhere.
func (n *NIC) release(e keyEntry) format.VendorCode {
	if e.State != format.KeyValid || e.Type != format.KeyWindow1 && e.Type != format.KeyWindow2 {
		return format.VendorNone
	}
	return n.lend(uint32(e.Parent), -1)
}

// lend counts the windows of a region. One that does not exist, or has none to take
// off, is left alone: software wrote such a window into the table itself.
func (n *NIC) lend(key uint32, windows int) format.VendorCode {
	e, vendor := n.lookUp(key)
	switch {
	case vendor == format.VendorBusRead:
		return vendor
	case vendor != format.VendorNone || windows < 0 && e.Windows == 0:
		return format.VendorNone
	}
	e.Windows += uint64(windows)
	return n.storeEntry(e)
}

// entryAt reads the entry of a key's index, whatever its tag.
func (n *NIC) entryAt(key uint32) (keyEntry, format.VendorCode) {
	addr, ok := n.keySlot(key)
	if !ok {
		return keyEntry{}, format.VendorKeyUnknown
	}
	e, ok := readHost[keyEntry](n, addr)
	switch {
	case !ok:
		return e, format.VendorBusRead
	case e.State == format.KeyInvalid:
		return e, format.VendorKeyUnknown
	}
	return e, format.VendorNone
}

// storeEntry writes an entry that was read before.
func (n *NIC) storeEntry(e keyEntry) format.VendorCode {
	if addr, _ := n.keySlot(uint32(e.Key)); !writeHost(n, addr, e) {
		return format.VendorBusWrite
	}
	return format.VendorNone
}

// at is the Translation of a key that maps virtual addresses from va on, inside of
// a region, as the region does.
func at(e keyEntry, va uint64) uint64 {
	if e.PageShift == 0 {
		return e.Translation + (va - e.VA)
	}
	return e.Translation + (va>>e.PageShift-e.VA>>e.PageShift)*8
}
