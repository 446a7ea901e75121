package main

import (
	"context"
	"fmt"
	"math/bits"

	"gornic/tb/wire"
	"gornic/verbs"
)

// A feed posts the messages of a load: to cores all at once, to the reference as many as the
// receiver's buffer holds twice over. The reference sends at the rate of the wire, and
// does not send again what a slower receiver has to drop.
type feed struct {
	load
	rig    *rig
	count  int            // of each queue pair
	posted map[uint32]int // by QPN, where they are counted
}

// start posts what receivers need, and the first messages.
func (f *feed) start(ctx context.Context) error {
	for _, d := range f.way.directions() {
		if err := f.receive(ctx, f.rig.parties[1-d]); err != nil {
			return err
		}
	}
	f.posted = map[uint32]int{}
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
	if f.way != receives {
		return f.count
	}
	c, packets := f.rig.config, f.packets(f.rig.config.PathMTU)
	room := min(c.RxPackets, c.RxBuffer*packets/max(f.bytes, 1)) / 2
	return min(f.count, max(2, room/packets/f.qps))
}

// send posts n messages more, as far as there are any.
func (f *feed) send(ctx context.Context, d wire.Direction, qp *verbs.QP, n int) error {
	n = min(n, f.count-f.posted[qp.QPN()])
	f.posted[qp.QPN()] += n
	return qp.PostSend(ctx, repeat(f.message(f.rig.parties[d], f.rig.parties[1-d]), n)...)
}

// run lets time pass, and posts a message for each that is done.
func (f *feed) run(ctx context.Context, cycles int) error {
	const turn = 8 // cycles
	if f.way != receives {
		return f.rig.lab.Run(cycles)
	}
	from := f.rig.parties[wire.AToB]
	wc := make([]verbs.WC, 64)
	for range cycles / turn {
		if err := f.rig.lab.Run(turn); err != nil {
			return err
		}
		done, err := poll(ctx, from.cq, wc)
		if err != nil {
			return err
		}
		for _, w := range done {
			for _, qp := range from.qps {
				if qp.QPN() == w.QPN {
					if err := f.send(ctx, wire.AToB, qp, 1); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// poll takes completions, of which each has to be a success.
func poll(ctx context.Context, cq *verbs.CQ, wc []verbs.WC) ([]verbs.WC, error) {
	n, err := cq.Poll(ctx, wc)
	if err != nil {
		return nil, err
	}
	for _, w := range wc[:n] {
		if err := w.Err(); err != nil {
			return nil, err
		}
	}
	return wc[:n], nil
}

// completionLimit is how many cycles completions may take to come.
const completionLimit = 20_000

// complete runs until each sender has so many completions of messages that it sent.
func (r *rig) complete(ctx context.Context, count int, from []wire.Direction) error {
	wc := make([]verbs.WC, 64)
	begin := r.lab.Cycle()
	for _, d := range from {
		for done := 0; done < count; {
			if r.lab.Cycle() > begin+completionLimit {
				return fmt.Errorf("%d of %d completions in %d cycles", done, count, completionLimit)
			}
			if err := r.lab.Run(16); err != nil {
				return err
			}
			came, err := poll(ctx, r.parties[d].cq, wc)
			if err != nil {
				return err
			}
			for _, w := range came {
				if !w.Recv {
					done++
				}
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
