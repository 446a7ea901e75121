package main

import (
	"context"
	"fmt"

	"gornic/format"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/tb/workload"
	"gornic/verbs"
)

// longestScenarios send the longest message that there is, of 2^31 bytes. That it goes
// through to its end takes more packets than a simulator can send in a short time: the
// blocks that count them are tested with all of them on their own (blocks/requester).
func longestScenarios() []Scenario {
	return []Scenario{
		{
			Name: "longest/begin", What: "a WRITE one way and a SEND the other of 2^31 bytes each: as much of it as there is time for",
			Configs: []string{"tiny", "board"}, Run: func(ctx context.Context, env *Env) error {
				packets := 40
				if env.Fast() {
					packets = 2000
				}
				return (&longest{env: env, length: format.MessageMax}).send(ctx, packets)
			},
		},
		{
			Name: "longest/whole", What: "the same to the end: an hour, so only where -run is given and matches", Configs: []string{"dc"}, Asked: true,
			Run: func(ctx context.Context, env *Env) error {
				return (&longest{env: env, length: format.MessageMax}).send(ctx, format.MessageMax)
			},
		},
	}
}

// A longest is two cores that send each other the longest message.
type longest struct {
	env    *Env
	sides  [2]rtl.Kind
	length int // bytes of the message
	lab    *rtl.Lab
	watch  *monitor.Monitor
	ends   [2]longEnd
	mtu    int
	seen   [2]int // packets that crossed the wire, from either end
	dma    uint64 // length in the RETH that was seen
}

// longEnd is a host with a source and a target, each 2^31 bytes that are a few pages
// over and over again.
type longEnd struct {
	host   *rtl.Host
	device *verbs.Device
	cq     *verbs.CQ
	qp     *verbs.QP

	source, target *verbs.Buffer
	from, to       *verbs.MR
}

const (
	longPages    = 8                        // of a source or target
	longPage     = 1 << format.PageShiftMin // bytes
	longFirstPSN = 0xFFFFF0                 // in either direction
	longVA       = 0x1234_5678 << 32        // of every region
	longWait     = 100                      // thousands of cycles without a packet that end a run
)

// pageOf is which page of a source or target comes at a place of its region.
func pageOf(i int) int { return int(wire.Hash(1, uint64(i)) % longPages) }

// send sends so many packets of the message each way, or all.
func (l *longest) send(ctx context.Context, packets int) (err error) {
	l.watch, l.mtu = monitor.New(), l.env.Config.PathMTU
	config := lossless(l.env.Config, workload.Workload{QueuePairs: []workload.QueuePairs{{Count: 1}}})
	if l.length/l.mtu >= 1<<23 { // too many packets (protocol section 10, row 25)
		l.length = (1<<23 - 1) * l.mtu
	}
	packets = min(packets, l.packets())
	l.lab, err = newLab(l.env, rtl.Options{
		Config: config, Sides: l.sides, Seed: l.env.Seed, Taps: []wire.Tap{l.watch.Tap, l.tap, l.env.counts(l.sides)}, NIC: rtl.NICOptions{Simulator: l.env.Simulator},
	})
	if err != nil {
		return err
	}
	defer func() { err = closing(err, l.lab.Close) }()
	for i, h := range []*rtl.Host{l.lab.A, l.lab.B} {
		if err := l.ends[i].open(ctx, h, uint64(l.length)); err != nil {
			return err
		}
	}
	if err := l.connect(ctx); err != nil {
		return err
	}
	if err := l.post(ctx); err != nil {
		return err
	}
	if err := l.run(ctx, packets); err != nil {
		return err
	}
	return l.check(ctx, packets)
}

// packets of the message.
func (l *longest) packets() int { return (l.length + l.mtu - 1) / l.mtu }

// tap counts requests, and looks at the RETH.
func (l *longest) tap(c wire.Crossing) {
	if !c.RoCE || c.Packet.Response {
		return
	}
	if l.seen[c.Direction]++; l.seen[wire.AToB] == 1 && c.Direction == wire.AToB {
		const reth = 14 + 20 + 8 + 12
		if h, err := format.Decode[format.RETH[uint64]](c.Frame[reth:]); err == nil {
			l.dma = h.DMALen
		}
	}
}

func (e *longEnd) open(ctx context.Context, h *rtl.Host, length uint64) (err error) {
	e.host = h
	if e.device, err = verbs.Open(ctx, h, verbs.Config{MAC: h.MAC}); err != nil {
		return err
	}
	pd, err := e.device.AllocPD()
	if err != nil {
		return err
	}
	for _, r := range []struct {
		buffer **verbs.Buffer
		mr     **verbs.MR
	}{{&e.source, &e.from}, {&e.target, &e.to}} {
		if *r.buffer, err = e.device.AllocBuffer(longPages*longPage, longPage); err != nil {
			return err
		}
		attr := verbs.MRInitAttr{Addr: longVA, Length: length, PageSize: longPage, Access: verbs.AccessLocalWrite | verbs.AccessRemoteWrite}
		for i := range (length + longPage - 1) / longPage {
			attr.Pages = append(attr.Pages, (*r.buffer).Addr()+uint64(pageOf(int(i)))*longPage)
		}
		if *r.mr, err = pd.CreateMR(ctx, attr); err != nil {
			return err
		}
	}
	if e.cq, err = e.device.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4}); err != nil {
		return err
	}
	e.qp, err = pd.CreateQP(ctx, verbs.QPInitAttr{
		SendCQ: e.cq, RecvCQ: e.cq, Cap: verbs.QPCap{MaxSendWR: 2, MaxRecvWR: 2, MaxSendSGE: 2, MaxRecvSGE: 2},
	})
	return err
}

func (l *longest) connect(ctx context.Context) error {
	mtu := verbs.MTU256
	for mtu.Bytes() < l.mtu {
		mtu++
	}
	for i := range l.ends {
		e, peer := &l.ends[i], &l.ends[1-i]
		if err := e.qp.Connect(ctx, verbs.QPAttr{
			Access: verbs.AccessRemoteWrite, Port: 1, PathMTU: mtu, DestQPN: peer.qp.QPN(), SQPSN: longFirstPSN, RQPSN: longFirstPSN,
			AH:          verbs.AHAttr{Src: e.host.IPv4, Dst: peer.host.IPv4, DstMAC: peer.host.MAC},
			MaxRDAtomic: 1, MaxDestRDAtomic: 1, MinRNRTimer: 1, Timeout: 20, RetryCnt: 7, RNRRetry: 7,
		}); err != nil {
			return err
		}
	}
	l.watch.Add(monitor.Connection{
		QPN: [2]uint32{l.ends[0].qp.QPN(), l.ends[1].qp.QPN()}, PSN: [2]uint32{longFirstPSN, longFirstPSN}, PathMTU: l.mtu,
	})
	return nil
}

// post has host A WRITE to B, and B SEND to A.
func (l *longest) post(ctx context.Context) error {
	a, b := &l.ends[0], &l.ends[1]
	n := uint32(l.length)
	err := a.qp.PostRecv(ctx, verbs.RecvWR{WRID: 1, SGL: []verbs.SGE{a.to.SGE(0, n)}})
	if err == nil {
		err = b.qp.PostSend(ctx, verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, Flags: verbs.SendSignaled, SGL: []verbs.SGE{b.from.SGE(0, 1), b.from.SGE(1, n-1)}})
	}
	if err == nil {
		err = a.qp.PostSend(ctx, verbs.SendWR{
			WRID: 3, Opcode: verbs.WRWrite, Flags: verbs.SendSignaled, SGL: []verbs.SGE{a.from.SGE(0, n)}, RemoteAddr: b.to.Addr(), RKey: b.to.RKey(),
		})
	}
	return err
}

// run lets the cores work until each has sent so many packets.
func (l *longest) run(ctx context.Context, packets int) error {
	idle := 0
	for done := 0; done < packets; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.lab.Run(1000); err != nil {
			return err
		}
		was := done
		done = min(l.seen[0], l.seen[1])
		l.env.Progress(min(1, float64(done)/float64(packets)))
		if idle++; done > was {
			idle = 0
		}
		if idle > longWait {
			return fmt.Errorf("nothing happens any more after %d and %d packets%s", l.seen[0], l.seen[1], counters(ctx, l.lab))
		}
	}
	return l.watch.Err()
}

// check looks at what has come of it.
func (l *longest) check(ctx context.Context, packets int) error {
	if l.dma != uint64(l.length) {
		return fmt.Errorf("the RETH has a length of %#x, expected %#x", l.dma, l.length)
	}
	if packets == l.packets() {
		for i, id := range [2][]uint64{{1, 3}, {2}} {
			if err := l.ends[i].completions(ctx, id, uint32(l.length)); err != nil {
				return err
			}
		}
	}
	for i := range l.ends {
		status, err := l.ends[i].qp.Status(ctx)
		if err != nil {
			return err
		}
		acked := int(status.OldestPSN-longFirstPSN) & 0xFFFFFF                     // packets
		if least := min(l.seen[i], packets) - l.env.Config.Replay; acked < least { // a window's worth may be on its way
			return fmt.Errorf("host %v sent %d packets, %d are acknowledged, expected %d", workload.Side(i), l.seen[i], acked, least)
		}
		if err := l.ends[1-i].holds(ctx, &l.ends[i], min(acked*l.mtu, l.length)); err != nil {
			return fmt.Errorf("host %v, to which %d packets were acknowledged: %w", workload.Side(1-i), acked, err)
		}
	}
	l.env.Note("%d and %d packets of messages of %d bytes; %d cycles", l.seen[0], l.seen[1], l.length, l.lab.Cycle())
	return l.lab.CheckGuards()
}

// completions waits for those of some work requests, in order.
func (e *longEnd) completions(ctx context.Context, ids []uint64, length uint32) error {
	for range longWait {
		var got [4]verbs.WC
		n, err := e.cq.Poll(ctx, got[:])
		if err != nil {
			return err
		}
		for _, c := range got[:n] {
			if len(ids) == 0 || c.WRID != ids[0] || c.Status != verbs.StatusSuccess || c.WRID == 1 && c.ByteLen != length {
				return fmt.Errorf("completion %+v, expected success of work requests %v, %d bytes", c, ids, length)
			}
			ids = ids[1:]
		}
		if len(ids) == 0 {
			return nil
		}
		if err := e.device.Wait(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("no completion of work requests %v", ids)
}

// holds compares the target with the source of the peer: what was acknowledged is there,
// and all else is as before, or has arrived as well.
func (e *longEnd) holds(ctx context.Context, peer *longEnd, acked int) error {
	got, want := make([]byte, longPages*longPage), make([]byte, longPages*longPage)
	if err := e.target.Read(ctx, 0, got); err != nil {
		return err
	}
	if err := peer.source.Read(ctx, 0, want); err != nil {
		return err
	}
	before := e.host.Pattern(e.target.Addr(), len(got))
	there := map[int]int{} // bytes of each page that have to be there
	for at := 0; at < acked && at < 64*longPages*longPage; at += longPage {
		page := pageOf(at / longPage)
		there[page] = max(there[page], min(longPage, acked-at))
	}
	for i := range got {
		arrived := got[i] == want[i]
		if !arrived && (got[i] != before[i] || i%longPage < there[i/longPage]) {
			return fmt.Errorf("byte %d of page %d is %#02x, expected %#02x", i%longPage, i/longPage, got[i], want[i])
		}
	}
	return nil
}
