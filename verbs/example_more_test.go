package verbs_test

import (
	"context"
	"errors"
	"fmt"

	"gornic/tb/golden/lab"
	"gornic/verbs"
)

// Waiting for completion events rather than polling: arm the CQ again before it is
// polled, and no completion is overlooked.
func ExampleEQ_Wait() {
	ctx := context.Background()
	hosts := must(lab.New(lab.Options{Seed: 1}))
	alice, bob := newEnd(ctx, hosts.A, hosts.A), newEnd(ctx, hosts.B, hosts.B)
	alice.connect(ctx, bob)
	bob.connect(ctx, alice)

	check(bob.qp.PostRecv(ctx, verbs.RecvWR{WRID: 1}, verbs.RecvWR{WRID: 2}))
	check(bob.cq.ReqNotify(ctx, false))
	check(alice.qp.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend}, verbs.SendWR{Opcode: verbs.WRSend}))

	wc := make([]verbs.WC, 4)
	for received := 0; received < 2; {
		cq := must(bob.dev.EQ().Wait(ctx))
		check(cq.ReqNotify(ctx, false))
		for n := must(cq.Poll(ctx, wc)); n > 0; n = must(cq.Poll(ctx, wc)) {
			for _, w := range wc[:n] {
				fmt.Println("received", w.WRID)
			}
			received += n
		}
	}
	// Output:
	// received 1
	// received 2
}

// A list that does not fit is posted as far as it does.
func ExampleBadWR() {
	ctx := context.Background()
	hosts := must(lab.New(lab.Options{Seed: 1}))
	alice, bob := newEnd(ctx, hosts.A, hosts.A), newEnd(ctx, hosts.B, hosts.B)
	alice.connect(ctx, bob)

	err := alice.qp.PostSend(ctx, make([]verbs.SendWR, 20)...)
	var bad *verbs.BadWR
	if errors.As(err, &bad) && errors.Is(err, verbs.ErrFull) {
		fmt.Println("posted", bad.Index, "of 20:", bad.Err)
	}
	// Output: posted 16 of 20: queue full
}
