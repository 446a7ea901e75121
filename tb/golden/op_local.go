package golden

import "gornic/format"

// localOperations make no packet: they work on keys, in the order of the send queue
// (protocol section 4.7).
func localOperations() operation {
	return operation{requests: map[format.WROpcode]requestForm{
		format.WRLocalInv: {
			kind: localRequest, completion: format.WCLocalInv, failure: format.StatusLocQPOp, local: (*NIC).localInvalidate,
		},
		format.WRRegMR:  {kind: localRequest, completion: format.WCRegMR, failure: format.StatusLocQPOp, local: (*NIC).register},
		format.WRBindMW: {kind: localRequest, completion: format.WCBindMW, failure: format.StatusMWBind, local: (*NIC).bind},
	}}
}

// localInvalidate ends a key. It begins when all work requests before it are done
// (protocol section 4.7).
func (n *NIC) localInvalidate(q *queuePair, w sendWQE) format.VendorCode {
	return n.revoke(q, uint32(w.Imm))
}

// register makes a free region for fast registration valid.
func (n *NIC) register(q *queuePair, w sendWQE) format.VendorCode {
	o := decodeHost[format.RegMROperands[uint64]](w.body)
	e, vendor := n.entryAt(uint32(w.RKey))
	switch {
	case vendor != format.VendorNone:
		return vendor
	case e.PD != q.pd:
		return format.VendorKeyPD
	case e.Type != format.KeyFastRegion:
		return format.VendorKeyType
	case e.State != format.KeyFree:
		return format.VendorKeyState
	}
	e.Key, e.State, e.VA, e.Length = w.RKey, format.KeyValid, w.RemoteAddr, o.Length
	e.Translation, e.Rights, e.PageShift = o.Translation, o.Rights, o.PageShift
	switch {
	case !rightsMakeSense(e.Rights):
		return format.VendorKeyRights
	case !placeMakesSense(e):
		return format.VendorKeyRange
	}
	return n.storeEntry(e)
}

// bind makes a window a part of a region, or with no bytes one of type 1 a part of
// none.
func (n *NIC) bind(q *queuePair, w sendWQE) format.VendorCode {
	o := decodeHost[format.BindMWOperands[uint64]](w.body)
	window, vendor := n.windowFor(q, w, o)
	if vendor != format.VendorNone {
		return vendor
	}
	if o.Length == 0 {
		return n.unbind(window, w.RKey)
	}
	region, vendor := n.regionFor(q, w, o)
	if vendor != format.VendorNone {
		return vendor
	}
	if vendor := n.lend(uint32(o.Region), 1); vendor != format.VendorNone {
		return vendor
	}
	now := window
	now.Key, now.State, now.VA, now.Length = w.RKey, format.KeyValid, w.RemoteAddr, o.Length
	now.Rights, now.Parent, now.PageShift = o.Rights, o.Region, region.PageShift
	now.Translation = at(region, w.RemoteAddr)
	if now.Type == format.KeyWindow2 {
		now.QPN = uint64(q.number)
	}
	return n.exchange(window, now)
}

// windowFor judges the window of a bind.
func (n *NIC) windowFor(q *queuePair, w sendWQE, o format.BindMWOperands[uint64]) (keyEntry, format.VendorCode) {
	const lent = format.AccessRemoteWrite | format.AccessRemoteRead | format.AccessRemoteAtomic
	e, vendor := n.entryAt(uint32(w.RKey))
	switch {
	case vendor != format.VendorNone:
		return e, vendor
	case e.PD != q.pd:
		return e, format.VendorKeyPD
	case e.Type != format.KeyWindow1 && e.Type != format.KeyWindow2:
		return e, format.VendorKeyType
	case e.Type == format.KeyWindow2 && e.State != format.KeyFree:
		return e, format.VendorKeyState
	case e.Type == format.KeyWindow2 && o.Length == 0:
		return e, format.VendorKeyRange
	case o.Length != 0 && o.Rights&^lent != 0:
		return e, format.VendorKeyRights
	}
	return e, format.VendorNone
}

// regionFor judges the region that a window is to be bound to.
func (n *NIC) regionFor(q *queuePair, w sendWQE, o format.BindMWOperands[uint64]) (keyEntry, format.VendorCode) {
	const writing = format.AccessRemoteWrite | format.AccessRemoteAtomic
	e, vendor := n.lookUp(uint32(o.Region))
	switch {
	case vendor != format.VendorNone:
		return e, vendor
	case e.PD != q.pd:
		return e, format.VendorKeyPD
	case e.Type != format.KeyRegion && e.Type != format.KeyFastRegion:
		return e, format.VendorKeyType
	case e.State != format.KeyValid:
		return e, format.VendorKeyState
	case e.Rights&format.AccessMWBind == 0, o.Rights&writing != 0 && e.Rights&format.AccessLocalWrite == 0:
		return e, format.VendorKeyRights
	case !inRange(e.VA, e.Length, w.RemoteAddr, o.Length):
		return e, format.VendorKeyRange
	}
	return e, format.VendorNone
}
