package golden_test

import (
	"testing"

	"gornic/format"
	"gornic/tb/golden"
)

// BenchmarkWrite sends 4 KiB WRITEs from one NIC to another: from the doorbell to
// the completion of both.
func BenchmarkWrite(b *testing.B) {
	x, y := newStation(b, 1, golden.DefaultConfig()), newStation(b, 2, golden.DefaultConfig())
	from, to := x.newQP(qpConfig{mtu: format.MTU4096}), y.newQP(qpConfig{mtu: format.MTU4096})
	connect(from, to)
	source, sink := x.region(4096, 0), y.region(4096, allAccess)
	b.SetBytes(4096)
	for b.Loop() {
		from.send(sendWR{op: format.WRWrite, flags: format.WRFlagSignaled, remote: sink.va, rkey: sink.key, list: source.whole()})
		frame, _ := x.nic.Send()
		y.nic.Receive(frame)
		answer, _ := y.nic.Send()
		x.nic.Receive(answer)
		if len(x.poll(from.sendCQ)) != 1 {
			b.Fatal("no completion")
		}
	}
}
