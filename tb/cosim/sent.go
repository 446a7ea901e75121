package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/frames/talk"
	"gornic/tb/frames/tshark"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/workload"
	"gornic/tools/toolset"
)

// sentScenarios look at what the core sends as a bystander does.
func sentScenarios() []Scenario {
	return []Scenario{{
		Name: "sent", What: "each kind of packet that the core sends, all path MTUs, paddings, NAKs: zlib's ICRC, no complaint of Wireshark's dissector",
		Configs: []string{"tiny", "board", "dc"}, Run: sent,
	}}
}

// errNoTshark tells that frames were not dissected.
var errNoTshark = errors.New("no tshark here")

// checkSent looks at frames that the core sent: each has the ICRC that zlib computes, and
// Wireshark's dissector takes it for a good RoCEv2 packet.
func checkSent(ctx context.Context, sent [][]byte) error {
	for i, frame := range sent {
		got, want, ok := frames.CheckICRC(frame)
		if !ok || got != want {
			return fmt.Errorf("frame %d that the core sent has the ICRC %#08x, computed %#08x: %x", i+1, got, want, frame)
		}
	}
	complaints, err := tshark.Complaints(ctx, sent)
	switch {
	case errors.Is(err, toolset.ErrAbsent) && os.Getenv(toolset.RequireEnv) == "":
		return errNoTshark
	case err != nil:
		return err
	case len(complaints) > 0:
		c := complaints[0]
		return fmt.Errorf("%d of %d frames that the core sent draw a complaint of tshark, first %v: %x", len(complaints), len(sent), c, sent[c.Number-1])
	}
	return nil
}

// sent has the core send packets of every kind.
func sent(ctx context.Context, env *Env) error {
	w := sentWorkload(env.Config.PathMTU, env.Config.QPs, env.Fast())
	want := kindsOf(w)
	all, err := sentInPairs(ctx, env, w, want)
	if err != nil {
		return err
	}
	naks, err := sentNAKs(ctx, env)
	if err != nil {
		return err
	}
	all = append(all, naks...)
	if missing := want.without(all); len(missing) > 0 {
		return fmt.Errorf("the core never sent: %s", strings.Join(missing, "; "))
	}
	err = checkSent(ctx, all)
	if errors.Is(err, errNoTshark) {
		return fmt.Errorf("%w: %w, only the ICRC of %d frames was checked", ErrSkip, errNoTshark, len(all))
	}
	env.Note("%d frames of %d kinds", len(all), len(want))
	return err
}

// sentWorkload has each path MTU, over both versions of IP where there is time and room
// for as many queue pairs.
func sentWorkload(most, qps int, fast bool) workload.Workload {
	w := workload.Workload{
		Name: "sent", Direction: workload.AToB, Messages: 8, Signaled: 50, Solicited: 50, Inline: 10, Batch: workload.Range{Min: 1, Max: 2},
		Operations: workload.Operations{Write: 1, WriteImm: 1, Send: 1, SendImm: 1},
		Sizes:      workload.Sizes{List: []int{0, 1, 2, 3, 4, 2*most + 1, 2*most + 2, 2*most + 3, 2*most + 4}},
	}
	for i, mtu := 0, 256; mtu <= most; i, mtu = i+1, 2*mtu {
		for _, ip := range []int{4 + 2*(i%2), 6 - 2*(i%2)} {
			if len(w.QueuePairs) == 0 || len(w.QueuePairs) < qps && (fast || ip == 4+2*(i%2) || most == 256) {
				w.QueuePairs = append(w.QueuePairs, workload.QueuePairs{Count: 1, PathMTU: mtu, IP: ip, SendSGEs: 2, RecvSGEs: 3, Depth: 8})
			}
		}
	}
	return w
}

// kinds are kinds of frames, in words.
type kinds map[string]bool

// kindsOf are the kinds of packets that a workload can make the core send, and the NAKs.
func kindsOf(w workload.Workload) kinds {
	k := kinds{}
	for _, info := range format.Opcodes() {
		if info.Code > format.OpWriteOnlyImm {
			continue
		}
		for pad := range 4 {
			if info.End {
				k[fmt.Sprintf("%s, pad %d", info.Name, pad)] = true
			}
		}
		for _, q := range w.QueuePairs {
			if info.Payload == format.PayloadFull {
				k[fmt.Sprintf("%s, %d bytes, IPv%d", info.Name, q.PathMTU, q.IP)] = true
			}
		}
	}
	for _, syndrome := range []int{
		format.SyndromeACK, format.SyndromeRNR, format.SyndromeNAK, format.SyndromeNAKInv, format.SyndromeNAKAccess, format.SyndromeNAKOp,
	} {
		for _, ip := range []int{4, 6} {
			k[fmt.Sprintf("ACKNOWLEDGE %#02x, IPv%d", syndrome, ip)] = true
		}
	}
	return k
}

// kindOf is the kind of a frame.
func kindOf(frame []byte) string {
	p, ok := talk.Parse(1, frame)
	ip := 4
	if p.Path.Src.Is6() {
		ip = 6
	}
	info := p.Info()
	switch {
	case !ok:
		return "no RoCEv2 packet"
	case p.Op == format.OpAcknowledge:
		syndrome := p.AETH.Syndrome
		if syndrome < format.SyndromeNAK {
			syndrome &^= 0x1F // credits, or a timer
		}
		return fmt.Sprintf("%s %#02x, IPv%d", info.Name, syndrome, ip)
	case info.Payload == format.PayloadFull:
		return fmt.Sprintf("%s, %d bytes, IPv%d", info.Name, len(p.Payload), ip)
	}
	return fmt.Sprintf("%s, pad %d", info.Name, p.BTH.PadCnt)
}

// without returns the kinds of which there is no frame.
func (k kinds) without(all [][]byte) []string {
	left := map[string]bool{}
	for kind := range k {
		left[kind] = true
	}
	for _, frame := range all {
		delete(left, kindOf(frame))
	}
	var missing []string
	for kind := range left {
		missing = append(missing, kind)
	}
	slices.Sort(missing)
	return missing
}

// sentRounds is how often the workload is played, with other seeds, at most.
const sentRounds = 12

// sentInPairs plays a workload between the core and a reference until the core has sent
// each kind of request.
func sentInPairs(ctx context.Context, env *Env, w workload.Workload, want kinds) ([][]byte, error) {
	var all [][]byte
	for round := range sentRounds {
		missing := want.without(all)
		env.Progress(1 - float64(len(missing))/float64(len(want)))
		if !slices.ContainsFunc(missing, func(kind string) bool { return !strings.HasPrefix(kind, "ACKNOWLEDGE") }) {
			break
		}
		again := *env
		again.Seed += uint64(round)
		frames, err := sentInPair(ctx, &again, w)
		if err != nil {
			return nil, err
		}
		all = append(all, frames...)
	}
	return all, nil
}

// sentInPair plays the workload once. The reference only answers, so that nothing finds the
// core's receive buffer full.
func sentInPair(ctx context.Context, env *Env, w workload.Workload) (all [][]byte, err error) {
	env.Progress, env.Note = func(float64) {}, func(string, ...any) {}
	env.Tap = func(c wire.Crossing) {
		if c.Direction == wire.AToB {
			all = append(all, c.Frame)
		}
	}
	p, err := openPair(env, [2]rtl.Kind{rtl.Core, rtl.Reference}, w)
	if err != nil {
		return nil, err
	}
	defer func() { err = closing(err, p.close) }()
	return all, p.play(ctx)
}

// sentNAKs has the core answer what is made up to draw every NAK.
func sentNAKs(ctx context.Context, env *Env) ([][]byte, error) {
	r, err := newReplay(env)
	if err != nil {
		return nil, err
	}
	for _, ipv6 := range []bool{false, true} {
		made, err := talk.Made(ipv6)
		if err != nil {
			return nil, err
		}
		if err := r.capture(ctx, made); err != nil {
			return nil, err
		}
	}
	return r.sent, nil
}
