package main

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"gornic/tb/wire"
	"gornic/verbs"
)

// A feed posts the messages of a load: to cores all at once, to the reference as many as the
// receiver's buffer holds. The reference sends at the rate of the wire, and
// does not send again what a slower receiver has to drop.
type feed struct {
	load
	rig    *rig
	count  int // of each queue pair
	posted map[*verbs.QP]int
	open   int // messages posted and not done
}

// start posts what receivers need, and the first messages.
func (f *feed) start(ctx context.Context) error {
	for _, d := range f.way.directions() {
		if err := f.receive(ctx, f.rig.parties[1-d]); err != nil {
			return err
		}
	}
	f.posted = map[*verbs.QP]int{}
	for _, d := range f.way.directions() {
		for _, qp := range f.rig.parties[d].qps {
			if err := f.send(ctx, d, qp, f.atOnce()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *feed) receive(ctx context.Context, p *party) error {
	if f.op != verbs.WRSend {
		return nil
	}
	wr := verbs.RecvWR{SGL: []verbs.SGE{p.mr.SGE(sinkOffset, uint32(f.bytes))}}
	for _, qp := range p.qps {
		if err := qp.PostRecv(ctx, repeat(wr, f.count)...); err != nil {
			return err
		}
	}
	return nil
}

// atOnce is how many messages of a queue pair may be under way.
func (f *feed) atOnce() int {
	if f.way != receives || f.fetches() {
		return f.count
	}
	c, packets := f.rig.config, f.packets(f.rig.config.PathMTU)
	room := min(c.RxPackets, c.RxBuffer*packets/max(f.bytes, 1))
	return min(f.count, max(2, room/packets/f.qps))
}

// send posts n messages more, as far as there are any.
func (f *feed) send(ctx context.Context, d wire.Direction, qp *verbs.QP, n int) error {
	if n = min(n, f.count-f.posted[qp]); n == 0 {
		return nil
	}
	f.posted[qp] += n
	f.open += n
	from := f.rig.parties[d]
	return qp.PostSend(ctx, repeat(f.message(from, f.rig.parties[1-d], slices.Index(from.qps, qp)), n)...)
}

// run lets time pass in which only a reference looks at its completions, and posts a message for
// each: a driver's access to a core's registers would change what is measured.
func (f *feed) run(ctx context.Context, cycles int) error {
	if f.way != receives {
		return f.rig.lab.Run(cycles)
	}
	return f.attend(ctx, cycles, wire.AToB)
}

// turn is how many cycles pass between two looks at completions.
const turn = 8

// attend lets time pass, and looks at the completions of some hosts.
func (f *feed) attend(ctx context.Context, cycles int, hosts ...wire.Direction) error {
	for ; cycles > 0; cycles -= turn {
		if err := f.rig.lab.Run(min(cycles, turn)); err != nil {
			return err
		}
		for _, d := range hosts {
			if err := f.poll(ctx, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// drainLimit is how many cycles all messages of a load may take.
const drainLimit = 1_000_000

// drain lets time pass until all messages are done.
func (f *feed) drain(ctx context.Context) error {
	for begin := f.rig.lab.Cycle(); f.open > 0; {
		if f.rig.lab.Cycle() > begin+drainLimit {
			return fmt.Errorf("%d messages are not done after %d cycles", f.open, drainLimit)
		}
		if err := f.attend(ctx, turn, wire.AToB, wire.BToA); err != nil {
			return err
		}
	}
	return f.attend(ctx, settleCycles, wire.AToB, wire.BToA)
}

// poll takes the completions of a sender, of which each has to be a success, and those of what it received.
func (f *feed) poll(ctx context.Context, d wire.Direction) error {
	from := f.rig.parties[d]
	var wc [16]verbs.WC
	n, err := from.cq.Poll(ctx, wc[:])
	if err != nil {
		return err
	}
	for _, w := range wc[:n] {
		if err := w.Err(); err != nil {
			return err
		}
		if w.Recv {
			continue
		}
		f.open--
		for _, qp := range from.qps {
			if qp.QPN() != w.QPN {
				continue
			}
			if err := f.send(ctx, d, qp, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

func repeat[T any](x T, n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = x
	}
	return all
}

// powerOfTwo is the least one that is no less than n, which is more than 0.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }
