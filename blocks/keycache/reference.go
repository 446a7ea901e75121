package keycache

import (
	"gornic/blocks/link"
	"gornic/format"
)

// Entry is an entry of the key table.
type Entry = format.KeyEntry[uint64]

// Reference is a key table in host memory without a cache.
type Reference struct {
	Base    uint64
	LogSize int
	Read    func(addr uint64, b []byte) error
	Write   func(addr uint64, b []byte) error
}

// Question is a use of a key: Range bytes, not 0, from VA on.
type Question struct {
	Key, PD, QPN uint32
	Rights       uint8 // format.Access bits, or link.RightRevoke
	VA           uint64
	Range        uint32
}

// Answer says where that is; with a fault the rest is 0.
type Answer struct {
	Fault       format.VendorCode
	PageShift   int
	Translation uint64
	Offset      uint64 // VA less the region's first virtual address
	First       uint32 // low 21 bits of that
}

// Ask judges a use by protocol section 6, or ends the key.
func (r Reference) Ask(q Question) Answer {
	if q.Rights == link.RightRevoke {
		return Answer{Fault: r.revoke(q)}
	}
	e, fault := r.look(q.Key)
	if fault == format.VendorNone {
		fault = judge(e, q)
	}
	if fault != format.VendorNone {
		return Answer{Fault: fault}
	}
	return Answer{
		PageShift: int(e.PageShift), Translation: e.Translation,
		Offset: q.VA - e.VA, First: uint32(e.VA & (1<<format.PageShiftMax - 1)),
	}
}

func judge(e Entry, q Question) format.VendorCode {
	length, rights := uint64(q.Range), uint64(q.Rights)
	const remote = format.AccessRemoteWrite | format.AccessRemoteRead | format.AccessRemoteAtomic
	switch {
	case e.State != format.KeyValid:
		return format.VendorKeyUnknown
	case e.PD != uint64(q.PD), e.Type == format.KeyWindow2 && e.QPN != uint64(q.QPN):
		return format.VendorKeyPD
	case rights&^e.Rights != 0, rights&remote == 0 && e.Type >= format.KeyWindow1:
		return format.VendorKeyRights
	case q.VA < e.VA, length > e.Length, q.VA-e.VA > e.Length-length:
		return format.VendorKeyRange
	}
	return format.VendorNone
}

// place is the bus address of a key's entry, false if the table is shorter.
func (r Reference) place(key uint32) (uint64, bool) {
	index := key >> format.KeyTagBits
	return r.Base + 64*uint64(index), index>>r.LogSize == 0
}

// look reads the entry of a key.
func (r Reference) look(key uint32) (Entry, format.VendorCode) {
	addr, ok := r.place(key)
	if !ok {
		return Entry{}, format.VendorKeyUnknown
	}
	e, ok := r.entry(addr)
	switch {
	case !ok:
		return e, format.VendorBusRead
	case e.State == format.KeyInvalid || e.Key != uint64(key):
		return e, format.VendorKeyUnknown
	}
	return e, format.VendorNone
}

func (r Reference) entry(addr uint64) (Entry, bool) {
	b := make([]byte, 64)
	if r.Read(addr, b) != nil {
		return Entry{}, false
	}
	e, err := format.DecodeHost[Entry](b)
	return e, err == nil
}

func (r Reference) store(addr uint64, e Entry) format.CommandStatus {
	b, err := format.AppendHost(nil, e)
	if err != nil || r.Write(addr, b) != nil {
		return format.CmdBusError
	}
	return format.CmdOK
}
