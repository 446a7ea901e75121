package main

import (
	"context"
	"fmt"
	"math/bits"

	"gornic/configs"
	"gornic/tb/rtl"
	"gornic/tb/workload"
)

// pairScenarios have two hosts talk over a wire, each with the core or with the
// reference, host A's NIC named first.
func pairScenarios() []Scenario {
	return []Scenario{
		pairOf(rtl.Core, rtl.Core),
		pairOf(rtl.Core, rtl.Reference),
		pairOf(rtl.Reference, rtl.Core),
	}
}

// pairOf is the scenario of a pair: a workload, and every completion, every byte of
// memory and every packet is checked.
func pairOf(a, b rtl.Kind) Scenario {
	return Scenario{
		Name:    fmt.Sprintf("pairs/%v-%v", a, b),
		What:    fmt.Sprintf("hosts with %v and %v play a workload: completions, memory, packets", a, b),
		Configs: []string{"tiny"},
		Plays:   true,
		Run: func(ctx context.Context, env *Env) error {
			return playPair(ctx, env, [2]rtl.Kind{a, b})
		},
	}
}

// playPair plays the workload that was asked for, or that of the configuration.
func playPair(ctx context.Context, env *Env, sides [2]rtl.Kind) (err error) {
	w := pairWorkload(env.Config, env.Fast())
	if env.Workload != nil {
		w = *env.Workload
	}
	if err := fits(w, env.Config); err != nil {
		return err
	}
	env.Config = lossless(env.Config, w)
	p, err := openPair(env, sides, w)
	if err != nil {
		return err
	}
	defer func() { err = closing(err, p.close) }()
	return p.play(ctx)
}

// fits tells why a workload cannot run in a configuration.
func fits(w workload.Workload, c configs.Config) error {
	if n := w.Connections(); n > c.QPs || n > c.CQs {
		return fmt.Errorf("workload %s has %d queue pairs, each with a CQ; configuration %s has %d and %d CQs", w.Name, n, c.Name, c.QPs, c.CQs)
	}
	for _, q := range w.QueuePairs {
		if q.PathMTU > c.PathMTU {
			return fmt.Errorf("workload %s has a path MTU of %d bytes, configuration %s no more than %d", w.Name, q.PathMTU, c.Name, c.PathMTU)
		}
		if q.Reads > c.Reads {
			return fmt.Errorf("workload %s has %d READs and atomics at once, configuration %s no more than %d", w.Name, q.Reads, c.Name, c.Reads)
		}
	}
	return nil
}

// lossless is a configuration whose receive buffer has room for all packets of a workload
// that can be on their way at once, READ responses among them, and as many answers. The core's requester does not
// send again: a packet that finds the buffer full would end its queue pair's work.
func lossless(c configs.Config, w workload.Workload) configs.Config {
	packets := 0
	for _, q := range w.QueuePairs {
		packets += q.Count * (c.Replay + q.Reads*responses(w.Sizes.Most(), q.PathMTU))
	}
	return withRoom(c, packets)
}

// responses is how many packets a READ of so many bytes brings.
func responses(bytes, mtu int) int { return (bytes + mtu) / max(mtu, 1) }

// withRoom is a configuration whose receive buffer has room for so many packets.
func withRoom(c configs.Config, packets int) configs.Config {
	const headers = 128 // bytes of a packet, at most
	c.RxPackets = max(c.RxPackets, powerOfTwo(2*packets))
	c.RxBuffer = max(c.RxBuffer, powerOfTwo(packets*(c.PathMTU+headers)))
	return c
}

// powerOfTwo is the least one that is no less than n, which is more than 0.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

// pairWorkload is what a pair plays unless it is told: every operation both ways
// over up to four queue pairs, each with another path MTU as far as the
// configuration has them, and messages of none, one and several packets. A simulator
// that is not fast gets fewer.
func pairWorkload(c configs.Config, fast bool) workload.Workload {
	messages, pairs := 4, 2
	if fast {
		messages, pairs = 12, 4
	}
	w := workload.Workload{
		Name:       "pairs",
		Direction:  workload.BothWays,
		Messages:   messages,
		Operations: workload.Operations{Write: 2, WriteImm: 1, Send: 2, SendImm: 1, SendInv: 1, Read: 2, CmpSwap: 1, FetchAdd: 1},
		Inline:     40,
		Signaled:   60,
		Solicited:  20,
		Sizes:      workload.Sizes{List: []int{0, 1, 3, 16, 64, 255, 256, 257, 511, 1024, 1030, 2500}},
		Batch:      workload.Range{Min: 1, Max: 3},
	}
	for i := range min(pairs, c.QPs, c.CQs) {
		w.QueuePairs = append(w.QueuePairs, workload.QueuePairs{
			Count: 1, PathMTU: min(256<<i, c.PathMTU), IP: 4 + i%2*2, SendSGEs: 1 + i, RecvSGEs: 4 - i, Reads: 1 + i%2, Depth: 4 << (i % 3),
		})
	}
	return w
}

// newLab builds the core, unless neither host has one, and the lab around it.
func newLab(env *Env, o rtl.Options) (*rtl.Lab, error) {
	if o.Sides == [2]rtl.Kind{rtl.Reference, rtl.Reference} {
		return rtl.NewLab(nil, nil, o)
	}
	design, io, err := env.Built.Build(o.Config)
	if err != nil {
		return nil, err
	}
	return rtl.NewLab(design, io, o)
}
