package doorbell

import "gornic/format"

// Queue names a queue by the kind of doorbell that it takes and its index.
type Queue struct {
	Kind  int // link.OwnerQP or link.OwnerCQ
	Index uint32
}

// Owner is what a queue was given.
type Owner struct{ Page, Number uint32 }

// Reference is the block in plain Go.
type Reference struct {
	QPBits, CQBits, EQBits int
	Owners                 map[Queue]Owner // those that exist
}

// Ring is a doorbell that was let through: for which queue, and the arming.
type Ring struct {
	Offset uint32 // format.DoorbellSQ, DoorbellRQ, DoorbellCQ or DoorbellEQ
	Queue  uint32
	Index  uint32
	Arm    int
}

// Ring judges a write of data to offset bytes within a page; false: refused.
func (r Reference) Ring(page, offset, data uint32) (Ring, bool) {
	index, number := data>>16, data&0xFFFF
	allowed := func(kind, bits int) (uint32, bool) {
		q := number & (1<<bits - 1)
		o, exists := r.Owners[Queue{kind, q}]
		return q, exists && o == Owner{page, number}
	}
	switch offset {
	case format.DoorbellSQ, format.DoorbellRQ:
		q, ok := allowed(0, r.QPBits)
		return Ring{Offset: offset, Queue: q, Index: index}, ok
	case format.DoorbellCQ, format.DoorbellArm, format.DoorbellArmSolicited:
		q, ok := allowed(1, r.CQBits)
		arm := map[uint32]int{format.DoorbellArm: 1, format.DoorbellArmSolicited: 2}[offset]
		return Ring{Offset: format.DoorbellCQ, Queue: q, Index: index, Arm: arm}, ok
	case format.DoorbellEQ:
		return Ring{Offset: offset, Queue: number, Index: index}, page == 0 && number>>r.EQBits == 0
	}
	return Ring{}, false
}
