package main

import (
	"context"
	"fmt"
	"slices"

	"gornic/blocks/rxpath"
	"gornic/configs"
	"gornic/hdl"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/golden"
)

// core is the bench of the real core, of its receive side and of its packet builder
// alone, in both simulators, which prepare each design once. The end of ctx ends a compilation.
func core(ctx context.Context) bench {
	return bench{
		simulators: []simulator{
			{sim.NativeSimulator.Cached(ctx), openReceiver},
			{verilator.Simulator.Cached(ctx), openReceiver},
		},
		scenarios: slices.Concat(receiveScenarios(), buildScenarios(), pairScenarios(), programScenarios(), captureScenarios(), sentScenarios(), longestScenarios(), walkScenarios(), faultScenarios()),
	}
}

// receivePath is the receive side in a simulator.
type receivePath struct {
	sim *sim.Sim
	io  *rxpath.IO
}

func openReceivePath(s sim.Simulator, c configs.Config, o sim.Options) (receivePath, error) {
	beat := c.DataWidth / 8
	design, io, err := hdl.Build(rxpath.Def(rxpath.Params{
		DataWidth: c.DataWidth,
		Beats:     c.RxBuffer / beat,
		Frames:    c.RxPackets,
		RawBeats:  c.RawBuffer / beat,
	}))
	if err != nil {
		return receivePath{}, err
	}
	running, err := sim.Start(s.Open, design, o)
	if err != nil {
		return receivePath{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	return receivePath{running, io}, nil
}

// openReceiver opens the receive side with takers that always take.
func openReceiver(_ context.Context, s sim.Simulator, c configs.Config, o sim.Options) (Receiver, error) {
	path, err := openReceivePath(s, c, o)
	if err != nil {
		return nil, err
	}
	return &coreReceiver{
		path: path,
		rx:   rxpath.NewReceiver(path.sim, path.io, rxpath.Patterns{}),
		most: min(c.RxBuffer, c.RawBuffer) / 2,
	}, nil
}

// A coreReceiver puts frames into the core in groups that fit its buffers
// together: what the reference expects of a frame alone then holds.
type coreReceiver struct {
	path receivePath
	rx   *rxpath.Receiver
	most int // bytes of a group
}

func (r *coreReceiver) Close() error { return r.path.sim.Close() }

func (r *coreReceiver) Receive(ctx context.Context, frames [][]byte) ([]Outcome, error) {
	var all []Outcome
	for len(frames) > 0 {
		n := r.group(frames)
		out, err := receive(ctx, r.rx, fromMAC(frames[:n]))
		if err != nil {
			return all, err
		}
		all, frames = append(all, out...), frames[n:]
	}
	return all, nil
}

// smallest is what the shortest frame counts for in a group: room for its
// descriptor.
const smallest = 256

// group returns how many of the frames go in together, at least one.
func (r *coreReceiver) group(frames [][]byte) int {
	size := 0
	for i, f := range frames {
		if size += max(len(f), smallest); size > r.most && i > 0 {
			return i
		}
	}
	return len(frames)
}

// fromMAC is frames as a MAC gives them that found nothing bad.
func fromMAC(frames [][]byte) []rxpath.Frame {
	in := make([]rxpath.Frame, len(frames))
	for i, f := range frames {
		in[i].Data = f
	}
	return in
}

// receive is one call of the receive side's driver.
func receive(ctx context.Context, rx *rxpath.Receiver, frames []rxpath.Frame) ([]Outcome, error) {
	got, err := rx.Receive(ctx, frames)
	if err != nil {
		return nil, err
	}
	out := make([]Outcome, len(got))
	for i, g := range got {
		out[i] = Outcome{g.Reason, golden.ICRC(g.ICRC), g.Descriptor, g.Payload, g.Raw}
	}
	return out, nil
}
