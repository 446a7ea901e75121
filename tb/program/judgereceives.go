package program

import (
	"fmt"

	"gornic/format"
	"gornic/verbs"
)

// fitReceives compares receives and events with a cut.
func (r *racer) fitReceives(stream []packet, c int, refused int) error {
	want := r.received(stream[:c])
	events := 0
	if refused >= 0 {
		byReceive, err := r.refusedReceive(stream, c, len(want), refused)
		if err != nil {
			return err
		}
		events = 1
		if byReceive {
			want = append(want, r.failedReceive(len(want), verbs.StatusLocAccess, format.VendorKeyUnknown))
			events = 0
		}
		for len(want) < r.owner.offered {
			want = append(want, r.failedReceive(len(want), verbs.StatusFlush, format.VendorNone))
		}
		if r.user.Messages[refused].Op == verbs.WRRead && len(r.events) <= 1 { // READ and request may both have found the key dead
			events = max(events, len(r.events))
		}
	}
	if len(r.events) != events {
		return fmt.Errorf("events %v, expected %d", r.events, events)
	}
	if len(r.receives) != len(want) {
		return fmt.Errorf("%d receives completed, expected %d", len(r.receives), len(want))
	}
	for i, c := range r.receives {
		if c != want[i] {
			return fmt.Errorf("receive %d: completion %+v, expected %+v", i, c, want[i])
		}
	}
	return nil
}

// refusedReceive tells whether receive i tells of the refusal: that of a WRITE with immediate, by its last packet.
func (r *racer) refusedReceive(stream []packet, c, i, refused int) (bool, error) {
	byImm := c < len(stream) && stream[c].last && r.user.Messages[stream[c].message].Op == verbs.WRWriteImm
	tells := i < len(r.receives) && r.receives[i].Status == verbs.StatusLocAccess
	switch {
	case tells && !byImm:
		return false, fmt.Errorf("receive %d completes with %v, and is of no WRITE that was refused", i, r.receives[i].Status)
	case byImm && !tells && stream[c].message == refused:
		return false, fmt.Errorf("receive %d does not tell of the WRITE that was refused", i)
	}
	return tells, nil
}

// received are the completions of the receives that packets use.
func (r *racer) received(packets []packet) []verbs.WC {
	var all []verbs.WC
	for _, p := range packets {
		if m := r.user.Messages[p.message]; p.last && consumes(m.Op) {
			all = append(all, r.receivedOne(m, len(all)))
		}
	}
	return all
}

func (r *racer) receivedOne(m Message, i int) verbs.WC {
	want := verbs.WC{WRID: recvID(i), Opcode: verbs.WCRecv, ByteLen: uint32(m.Length), QPN: r.owner.qp.QPN(), Recv: true, WQEIndex: uint16(i)}
	switch m.Op {
	case verbs.WRWriteImm:
		want.Opcode = verbs.WCRecvWrite
		fallthrough
	case verbs.WRSendImm:
		want.Flags, want.Imm = verbs.WCWithImm, m.Imm
	case verbs.WRSendInv:
		want.Flags = verbs.WCWithInv
		want.InvalidatedRKey = r.key
	}
	return want
}

func (r *racer) failedReceive(i int, status verbs.WCStatus, vendor format.VendorCode) verbs.WC {
	return verbs.WC{WRID: recvID(i), Status: status, Vendor: vendor, QPN: r.owner.qp.QPN(), Recv: true, WQEIndex: uint16(i)}
}
