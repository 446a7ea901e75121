package main

import (
	"context"

	"gornic/format"
	"gornic/tb/host"
	"gornic/verbs"
)

// spoiler is what spoil of a fault is.
type spoiler = func(ctx context.Context, r *faultRig, w *faultyWork) error

// breaks makes the bus answer with an error where the piece is.
func breaks(kinds host.Kinds, s side, where func(r *faultRig) piece) spoiler {
	return func(_ context.Context, r *faultRig, _ *faultyWork) error {
		p := where(r)
		r.hosts[s].InjectFault(p.addr, p.size, kinds)
		return nil
	}
}

// within is bytes of the buffer of the queue pair of a host.
func within(s side, at int, size uint64) func(*faultRig) piece {
	return func(r *faultRig) piece { return piece{r.ends[s].buf.Addr() + uint64(at), size} }
}

// entry is entry i of a ring.
func entry(ring func(*faultRig) piece, i, size uint64) func(*faultRig) piece {
	return func(r *faultRig) piece { return piece{ring(r).addr + i*size, size} }
}

func sendQueue(r *faultRig) piece { return r.ends[sideA].sq }
func recvQueue(r *faultRig) piece { return r.ends[sideB].rq }
func sendCQOfA(r *faultRig) piece { return r.ends[sideA].sendRing }
func recvCQOfB(r *faultRig) piece { return r.ends[sideB].recvRing }
func eventQueue(s side) func(*faultRig) piece {
	return func(r *faultRig) piece { return r.hosts[s].allowed[0] }
}

const cqeBytes = 32

// busFaults are error responses of host memory; those to key table and page list are in
// badKeys.
func busFaults() []fault {
	const all = faultBytes
	atSlot := atSlots + slotBytes
	readFault := local(format.StatusLocProt, format.VendorBusRead)
	unread := func(v verdict) verdict {
		if v.recv != nil {
			v.recv.unread = true
		} else {
			v.send.unread = true
		}
		return v
	}
	written := func(v verdict, at int) verdict {
		v = v.placing(all)
		v.nakAt, v.late = at, true
		return v
	}
	writeFault := remote(format.SyndromeNAKOp, format.EventQPFatal, format.VendorBusWrite)
	recvFault := received(format.SyndromeNAKOp, format.StatusLocProt, format.VendorBusWrite)
	return []fault{
		{name: "bus/write-first", what: "the first packet's payload of a WRITE cannot be read", op: verbs.WRWrite, want: readFault, spoil: breaks(host.Reads, sideA, within(sideA, atFault+8, 1))},
		{name: "bus/write-last", what: "the last packet's payload of a WRITE cannot be read", op: verbs.WRWrite, want: readFault.placing(512), spoil: breaks(host.Reads, sideA, within(sideA, atFault+all-1, 1))},
		{name: "bus/send-middle", what: "the second packet's payload of a SEND cannot be read", op: verbs.WRSend, want: readFault.placing(256), spoil: breaks(host.Reads, sideA, within(sideA, atFault+300, 1))},
		{name: "bus/place-first", what: "the first packet's payload of a WRITE cannot be written", op: verbs.WRWrite, want: written(writeFault, 0), spoil: breaks(host.Writes, sideB, within(sideB, atFault, 1))},
		{name: "bus/place-last", what: "the last packet's payload of a WRITE cannot be written", op: verbs.WRWrite, want: written(writeFault, 2), spoil: breaks(host.Writes, sideB, within(sideB, atFault+all-1, 1))},
		{name: "bus/place-imm", what: "payload of a WRITE with immediate cannot be written", op: verbs.WRWriteImm, size: 200, want: written(recvFault, 0), spoil: breaks(host.Writes, sideB, within(sideB, atFault+100, 1))},
		{name: "bus/place-send", what: "the second packet's payload of a SEND cannot be written", op: verbs.WRSend, want: written(recvFault, 1), spoil: breaks(host.Writes, sideB, within(sideB, atSlot+300, 1))},
		{name: "bus/send-wqe", what: "a send WQE cannot be read", op: verbs.WRWrite, want: unread(local(format.StatusLocQPOp, format.VendorWQERead)), spoil: breaks(host.Reads, sideA, entry(sendQueue, 2, format.WQEBytesMin))},
		{name: "bus/recv-wqe", what: "a receive WQE cannot be read", op: verbs.WRSend, want: unread(received(format.SyndromeNAKOp, format.StatusLocQPOp, format.VendorWQERead)), spoil: breaks(host.Reads, sideB, entry(recvQueue, 1, format.WQEBytesMin))},
		{name: "bus/send-cqe", what: "a CQE of the requester cannot be written", op: verbs.WRWrite, want: cqFailed(sideA, format.VendorBusWrite).placing(all), spoil: breaks(host.Writes, sideA, entry(sendCQOfA, 2, cqeBytes))},
		{name: "bus/recv-cqe", what: "a CQE of the responder cannot be written", op: verbs.WRSend, want: cqFailed(sideB, format.VendorBusWrite).placing(all), spoil: breaks(host.Writes, sideB, entry(recvCQOfB, 1, cqeBytes))},
		{name: "bus/eqe", what: "the event of a refused WRITE cannot be written", op: verbs.WRWrite, want: untold(), spoil: untoldFault},
	}
}

// cqFailed is a completion queue of a host that cannot take a CQE: it never takes one
// again, and the queue pair that has one to write is in ERR. What the peer hears of a
// message whose completion is lost at the responder is not certain.
func cqFailed(s side, v format.VendorCode) verdict {
	w := verdict{by: byCQ, unsure: s == sideB, late: s == sideA}
	w.events[s] = []event{{format.EventCQErr, v}, {format.EventQPFatal, format.VendorCQOverflow}}
	w.dead[s], w.lost[s] = true, true
	return w
}

// untold is a WRITE with a bad key, of which there is nobody to tell.
func untold() verdict {
	v := remote(format.SyndromeNAKAccess, 0, 0)
	v.by, v.events = byEQ, [2][]event{}
	return v
}

func untoldFault(_ context.Context, r *faultRig, w *faultyWork) error {
	p := eventQueue(sideB)(r)
	r.hosts[sideB].InjectFault(p.addr, p.size, host.Writes)
	w.send.RKey ^= 1
	return nil
}
