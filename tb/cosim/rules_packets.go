package main

import (
	"context"
	"fmt"

	"gornic/format"
)

// requestRules are READs and atomics that no requester of ours sends (protocol sections 3.4
// and 3.5).
func requestRules() []fault {
	const n, long = 300, 16 // bytes, packets
	read := strange{op: format.OpReadRequest, length: n}
	add := strange{op: format.OpFetchAdd}
	invalid := func(v format.VendorCode, at int) verdict {
		return verdict{by: byResponder, nak: format.SyndromeNAKInv, nakAt: at, events: [2][]event{sideB: {{format.EventQPReqErr, v}}}, dead: [2]bool{sideB: true}}
	}
	inSend := func() verdict {
		w := invalid(format.VendorSequence, 1).placing(256)
		w.events, w.recv = [2][]event{}, &completion{status: format.StatusLocQPOp, vendor: format.VendorSequence}
		return w
	}
	with := func(p strange, change func(*strange)) strange {
		change(&p)
		return p
	}
	payload := func(p *strange) { p.payload = 8 }
	many := func(k int) []strange {
		var all []strange
		for range k {
			all = append(all, with(read, func(p *strange) { p.length = 256 * long }))
		}
		return all
	}
	packets := func(all ...strange) []strange { return all }
	write, send := strange{op: format.OpWriteFirst, length: 600, payload: 256}, strange{op: format.OpSendFirst, payload: 256}
	var all []fault
	for _, c := range []struct {
		name, what  string
		want        verdict
		wrong, good []strange
		answers     map[format.Opcode]int // to the good ones
	}{
		{"read-payload", "a READ with payload", invalid(format.VendorLength, 0), packets(with(read, payload)), packets(read), twoPackets()},
		{"atomic-payload", "an atomic with payload", invalid(format.VendorLength, 0), packets(with(add, payload)), packets(add), oneAtomic()},
		{"read-over-2^31", "a READ of a byte more than 2^31", invalid(format.VendorLength, 0),
			packets(with(read, func(p *strange) { p.length = format.MessageMax + 1 })), packets(read), twoPackets()},
		{"read-in-write", "a READ in the middle of a WRITE", invalid(format.VendorSequence, 1).placing(256), packets(write, read), packets(read), twoPackets()},
		{"atomic-in-write", "an atomic in the middle of a WRITE", invalid(format.VendorSequence, 1).placing(256), packets(write, add), packets(add), oneAtomic()},
		{"read-in-send", "a READ in the middle of a SEND", inSend(), packets(send, read), packets(read), twoPackets()},
		{"atomic-in-send", "an atomic in the middle of a SEND", inSend(), packets(send, add), packets(add), oneAtomic()},
		{"too-many", "a READ more than the queue pair takes, while none of the others is answered", invalid(format.VendorResources, long*readsAtOnce),
			many(readsAtOnce + 1), many(readsAtOnce), map[format.Opcode]int{
				format.OpReadResponseFirst: readsAtOnce, format.OpReadResponseMiddle: (long - 2) * readsAtOnce, format.OpReadResponseLast: readsAtOnce}},
		{"alignment-payload", "an atomic that is not aligned, with payload: the length comes first", invalid(format.VendorLength, 0),
			packets(with(add, func(p *strange) { p.payload, p.at = 8, 1 })), packets(add), oneAtomic()},
		{"alignment-key", "an atomic that is not aligned, with a bad key: the alignment comes first", invalid(format.VendorAlignment, 0),
			packets(with(add, func(p *strange) { p.rkey, p.at = 1, 4 })), packets(add), oneAtomic()},
	} {
		f := fault{name: "packet/" + c.name, what: c.what, want: c.want, injected: true, act: inject(c.wrong...)}
		twin := f
		twin.want, twin.act, twin.then = verdict{by: byNobody, executed: c.good[0].op == format.OpFetchAdd}, inject(c.good...), answered(c.answers)
		f.twin = &twin
		if c.name == "too-many" { // the reference answers each at once
			at := sideB
			f.coreAt = &at
		}
		all = append(all, f)
	}
	return all
}

func twoPackets() map[format.Opcode]int {
	return map[format.Opcode]int{format.OpReadResponseFirst: 1, format.OpReadResponseLast: 1}
}

func oneAtomic() map[format.Opcode]int { return map[format.Opcode]int{format.OpAtomicAck: 1} }

// answered waits for B's answers.
func answered(want map[format.Opcode]int) func(context.Context, *faultRig) error {
	return func(ctx context.Context, r *faultRig) error {
		err := r.until(ctx, func(context.Context) (bool, error) {
			for op, n := range want {
				if r.answers[op] < n {
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil {
			return fmt.Errorf("answers %v, expected %v: %w", r.answers, want, err)
		}
		return nil
	}
}
