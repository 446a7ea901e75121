package golden

import "gornic/format"

const (
	queueRights = format.AccessLocalWrite | format.AccessRemoteWrite | format.AccessRemoteRead | format.AccessRemoteAtomic
	allRights   = queueRights | format.AccessMWBind | format.AccessZeroBased
)

// writeKey makes a key whose place in the table is free.
func (n *NIC) writeKey() format.CommandStatus {
	e := argument[keyEntry](n)
	addr, ok := n.keySlot(uint32(e.Key))
	if !ok {
		return format.CmdBadNumber
	}
	if !keyMakesSense(e) {
		return format.CmdBadParameter
	}
	old, ok := readHost[keyEntry](n, addr)
	switch {
	case !ok:
		return format.CmdBusError
	case old.State != format.KeyInvalid:
		return format.CmdBadNumber
	case !writeHost(n, addr, e):
		return format.CmdBusError
	}
	return format.CmdOK
}

func keyMakesSense(e keyEntry) bool {
	return (e.State == format.KeyFree || e.State == format.KeyValid) &&
		e.Type <= format.KeyWindow2 && rightsMakeSense(e.Rights) && placeMakesSense(e) && e.Windows == 0
}

// rightsMakeSense: who may write from afar may write here (protocol section 6).
func rightsMakeSense(rights uint64) bool {
	const writing = format.AccessRemoteWrite | format.AccessRemoteAtomic
	return rights&^allRights == 0 && (rights&writing == 0 || rights&format.AccessLocalWrite != 0)
}

// placeMakesSense judges where a key lies.
func placeMakesSense(e keyEntry) bool {
	paged := e.PageShift != 0
	return (!paged || e.PageShift >= format.PageShiftMin && e.PageShift <= format.PageShiftMax) &&
		(!paged || e.Translation%8 == 0) &&
		endsInSpace(e.VA, e.Length) &&
		(paged || endsInSpace(e.Translation, e.Length))
}

// endsInSpace tells whether [start, start+length) does not wrap.
func endsInSpace(start, length uint64) bool { return length == 0 || start+(length-1) >= start }

// invalidate ends a key, that of a window whether it is bound or not. A region that
// lends to windows stays.
func (n *NIC) invalidate() format.CommandStatus {
	key := uint32(argument[format.KeyRef[uint64]](n).Key)
	e, vendor := n.lookUp(key)
	switch {
	case vendor == format.VendorBusRead:
		return format.CmdBusError
	case vendor != format.VendorNone:
		return format.CmdBadNumber
	case e.Windows != 0:
		return format.CmdBusy
	}
	now := e
	now.State = format.KeyInvalid
	if n.exchange(e, now) != format.VendorNone {
		return format.CmdBusError
	}
	return format.CmdOK
}

func (n *NIC) queryKey() format.CommandStatus {
	e, vendor := n.lookUp(uint32(argument[format.KeyRef[uint64]](n).Key))
	switch vendor {
	case format.VendorNone:
		answer(n, e)
		return format.CmdOK
	case format.VendorBusRead:
		return format.CmdBusError
	}
	return format.CmdBadNumber
}
