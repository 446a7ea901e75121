package verbs_test

import (
	"context"
	"fmt"

	"gornic/tb/golden/lab"
	"gornic/tb/wire"
	"gornic/verbs"
)

// A SEND whose packet is lost once, and what the device of the sender counts of it. [QP.Connect] of both ends is in the
// package's first example.
func ExampleDevice_Counters() {
	ctx := context.Background()
	lost := wire.Faults{Rules: []wire.Rule{{Action: wire.Drop, Class: wire.Requests, Rate: wire.Million, Nth: 1}}}
	l, err := lab.New(lab.Options{Seed: 1, Faults: lost})
	if err != nil {
		fmt.Println(err)
		return
	}
	device, err := connectAndSend(ctx, l)
	if err != nil {
		fmt.Println(err)
		return
	}
	counters, err := device.Counters(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(counters["local_ack_timeout_err"], "timeout,", counters["tx_packets"], "packets,", counters["tx_resent"], "of them sent again")
	// Output:
	// 1 timeout, 2 packets, 1 of them sent again
}

// connectAndSend connects a queue pair at either host, sends a message from A to B, and returns the device of A.
func connectAndSend(ctx context.Context, l *lab.Lab) (*verbs.Device, error) {
	var devices [2]*verbs.Device
	var qps [2]*verbs.QP
	var cq *verbs.CQ
	buses := []*lab.Bus{l.B, l.A}
	for i, bus := range buses {
		var err error
		if devices[i], err = verbs.Open(ctx, bus, verbs.Config{MAC: bus.MAC}); err != nil {
			return nil, err
		}
		pd, err := devices[i].AllocPD()
		if err != nil {
			return nil, err
		}
		if cq, err = devices[i].CreateCQ(ctx, verbs.CQInitAttr{Entries: 4}); err != nil {
			return nil, err
		}
		if qps[i], err = pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: cq, RecvCQ: cq, Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1}}); err != nil {
			return nil, err
		}
	}
	for i, qp := range qps {
		here, there := buses[i], buses[1-i]
		err := qp.Connect(ctx, verbs.QPAttr{
			Port: 1, PathMTU: verbs.MTU1024, DestQPN: qps[1-i].QPN(), AH: verbs.AHAttr{Src: here.IPv4, Dst: there.IPv4, DstMAC: there.MAC},
			Timeout: 4, RetryCnt: 7, RNRRetry: 7, MinRNRTimer: 1,
		})
		if err != nil {
			return nil, err
		}
	}
	if err := qps[0].PostRecv(ctx, verbs.RecvWR{}); err != nil {
		return nil, err
	}
	if err := qps[1].PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend, Flags: verbs.SendSignaled}); err != nil {
		return nil, err
	}
	_, err := cq.PollWait(ctx, make([]verbs.WC, 1))
	return devices[1], err
}
