package golden

import "gornic/format"

type keyEntry = format.KeyEntry[uint64]

const keyEntryBytes = 64

// keyUse is what somebody wants of a key.
type keyUse struct {
	queue  *queuePair
	remote bool   // the key came from the wire
	rights uint64 // Access... that are needed; 0: reading for the own host
}

// checkKey looks up a key and judges the use of bytes [va, va+length) by the
// rules of protocol section 6. length is not 0: nobody looks at the key of no
// bytes. The code is VendorNone if the use is granted.
func (n *NIC) checkKey(key uint32, va, length uint64, use keyUse) (keyEntry, format.VendorCode) {
	e, vendor := n.lookUp(key)
	switch {
	case vendor != format.VendorNone:
		return e, vendor
	case e.State != format.KeyValid:
		return e, format.VendorKeyUnknown
	case e.PD != use.queue.pd, e.Type == format.KeyWindow2 && e.QPN != uint64(use.queue.number):
		return e, format.VendorKeyPD
	case !use.remote && e.Type != format.KeyRegion && e.Type != format.KeyFastRegion:
		return e, format.VendorKeyRights // a window lends to others
	case use.rights&^e.Rights != 0:
		return e, format.VendorKeyRights
	case !inRange(e.VA, e.Length, va, length):
		return e, format.VendorKeyRange
	}
	return e, format.VendorNone
}

// lookUp reads the entry of a key: it exists, and all 32 bits agree.
func (n *NIC) lookUp(key uint32) (keyEntry, format.VendorCode) {
	addr, ok := n.keySlot(key)
	if !ok {
		return keyEntry{}, format.VendorKeyUnknown
	}
	n.count(format.CntKeyMisses)
	e, ok := readHost[keyEntry](n, addr)
	switch {
	case !ok:
		return e, format.VendorBusRead
	case e.State == format.KeyInvalid || e.Key != uint64(key):
		return e, format.VendorKeyUnknown
	}
	return e, format.VendorNone
}

// keySlot is the bus address of a key's entry, false if the table is shorter.
func (n *NIC) keySlot(key uint32) (uint64, bool) {
	index := key >> format.KeyTagBits
	return n.port.keyBase + uint64(index)*keyEntryBytes, index>>n.port.keyLogSize == 0
}

// inRange tells whether [va, va+length) lies in [base, base+size), in arithmetic
// that does not wrap.
func inRange(base, size, va, length uint64) bool {
	return va >= base && length <= size && va-base <= size-length
}
