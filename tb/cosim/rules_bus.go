package main

import (
	"context"

	"gornic/format"
	"gornic/tb/host"
	"gornic/verbs"
)

// readBusFaults are error responses of host memory to what READs and atomics do there.
func readBusFaults() []fault {
	const all = faultBytes
	number := func(s side) func(*faultRig) piece { return within(s, atFault, atomicBytes) }
	scatter := func(op verbs.Opcode) verdict {
		v := executed(lately(local(format.StatusLocProt, format.VendorBusWrite).placing(sizeOf(op))))
		v.executed = isAtomic(op)
		return v
	}
	gather := func(packet int) verdict {
		v := lately(failedRemotely(format.VendorBusRead)).placing(256 * packet)
		v.nakAt = packet
		return v
	}
	var rows []fault
	for _, c := range []struct {
		name, what string
		op         verbs.Opcode
		want       verdict
		spoil      spoiler
	}{
		{"scatter-first", "the first response of a READ cannot be written", verbs.WRRead, scatter(verbs.WRRead), breaks(host.Writes, sideA, within(sideA, atFault+8, 1))},
		{"scatter-middle", "the second response of a READ cannot be written", verbs.WRRead, scatter(verbs.WRRead), breaks(host.Writes, sideA, within(sideA, atFault+300, 1))},
		{"scatter-last", "the last byte of a READ cannot be written", verbs.WRRead, scatter(verbs.WRRead), breaks(host.Writes, sideA, within(sideA, atFault+all-1, 1))},
		{"result", "the result of an atomic cannot be written", verbs.WRFetchAdd, scatter(verbs.WRFetchAdd), breaks(host.Writes, sideA, number(sideA))},
		{"gather-first", "what the first response of a READ is to have cannot be read", verbs.WRRead, gather(0), breaks(host.Reads, sideB, within(sideB, atFault, 1))},
		{"gather-middle", "what the second response of a READ is to have cannot be read", verbs.WRRead, gather(1), breaks(host.Reads, sideB, within(sideB, atFault+300, 1))},
		{"gather-last", "what the last response of a READ is to have cannot be read", verbs.WRRead, gather(2), breaks(host.Reads, sideB, within(sideB, atFault+all-1, 1))},
		{"number-read", "the number of an atomic cannot be read", verbs.WRFetchAdd, lately(failedRemotely(format.VendorBusRead)), breaks(host.Reads, sideB, number(sideB))},
		{"number-write", "the number of a fetch-and-add cannot be written", verbs.WRFetchAdd, executed(lately(failedRemotely(format.VendorBusWrite))), breaks(host.Writes, sideB, number(sideB))},
		{"swap-write", "the number of a compare-and-swap cannot be written", verbs.WRCompSwap, executed(lately(failedRemotely(format.VendorBusWrite))), breaks(host.Writes, sideB, number(sideB))},
		{"read-wqe", "the WQE of a READ cannot be read", verbs.WRRead, unreadWQE(), breaks(host.Reads, sideA, entry(sendQueue, 2, format.WQEBytesMin))},
	} {
		f := fault{name: "bus/" + c.name, what: c.what, op: c.op, want: c.want, spoil: c.spoil}
		rows = append(rows, f.beside(nil))
	}
	return append(rows, unreadList())
}

func unreadWQE() verdict {
	v := local(format.StatusLocQPOp, format.VendorWQERead)
	v.send.unread = true
	return v
}

// unreadList is a READ into two SGEs of which the core cannot read the second again when
// the responses come: it does not keep it.
func unreadList() fault {
	at := sideA
	f := ruled("bus/read-list", "the second SGE of a READ cannot be read when its response comes", verbs.WRRead,
		lately(local(format.StatusLocProt, format.VendorWQERead).placing(faultBytes)),
		func(_ context.Context, r *faultRig, w *faultyWork, wrong bool) error {
			s := w.send.SGL[0]
			w.send.SGL = []verbs.SGE{{Addr: s.Addr, Length: 300, LKey: s.LKey}, {Addr: s.Addr + 300, Length: s.Length - 300, LKey: s.LKey}}
			r.onRequest = func() {
				if wrong {
					slot := entry(sendQueue, 2, format.WQEBytesMin)(r)
					r.hosts[sideA].InjectFault(slot.addr, slot.size, host.Reads)
				}
			}
			return nil
		})
	f.coreAt, f.twin.coreAt = &at, &at
	return f
}
