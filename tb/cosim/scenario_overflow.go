package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/tb/frames"
	"gornic/tb/golden"
)

// overflow sends three times what the buffers hold to takers that take nothing,
// first packets, then frames for the host. What was reported as stored has to be
// there, whole and in order, once they take; what was not has to be gone; the
// next frame is stored again.
func overflow(_ context.Context, env *Env) (err error) {
	path, err := openReceivePath(env.Simulator, env.Config, env.Options())
	if err != nil {
		return err
	}
	defer func() { err = closing(err, path.sim.Close) }()
	o := newOverflow(env, path)
	stored, err := o.packets(3 * env.Config.RxPackets)
	if err != nil {
		return fmt.Errorf("packets: %w", err)
	}
	env.Progress(0.5)
	raw, err := o.hostFrames(3 * env.Config.RawBuffer)
	if err != nil {
		return fmt.Errorf("frames for the host: %w", err)
	}
	env.Note("stored %s, %s for the host", stored, raw)
	return nil
}

// An overflowRun is the receive side with takers under control.
type overflowRun struct {
	sim       *sim.Sim
	generator *frames.Generator
	rawBuffer int // bytes
	in        *sim.Source
	reports   *sim.Sink
	headers   *sim.Sink
	payload   *sim.Sink
	raw       *sim.Sink

	// So far have to have left:
	packetsOut, payloadsOut, rawOut int
}

func newOverflow(env *Env, path receivePath) *overflowRun {
	s, io := path.sim, path.io
	never := sim.Pattern{Kind: sim.Never}
	o := &overflowRun{
		sim:       s,
		generator: frames.NewGenerator(env.Seed),
		rawBuffer: env.Config.RawBuffer,
		in:        sim.NewSource(s, io.In, sim.Pattern{}),
		headers:   sim.NewSink(s, io.Header, never),
		payload:   sim.NewSink(s, io.Payload, never),
		raw:       sim.NewSink(s, io.Raw, never),
	}
	report := sim.Ports(s, io.Report.Valid, hdl.Bits{}, [2]hdl.Bits{io.Report.Reason, io.Report.ICRC})
	o.reports = sim.NewSinkOf(s, report, sim.Pattern{}, sim.SinkOptions{})
	o.generator.MaxPayload = min(env.Config.RxBuffer/4, format.MTUMax)
	s.Reset(2)
	return o
}

// packets sends n good packets and one more.
func (o *overflowRun) packets(n int) (string, error) {
	var all [][]byte
	for range n {
		all = append(all, o.generator.Good().Data)
	}
	stored, err := o.send(all, format.ReasonOK)
	if err != nil {
		return "", err
	}
	o.headers.SetPattern(sim.Pattern{})
	o.payload.SetPattern(sim.Pattern{})
	if err := o.comparePackets(stored); err != nil {
		return "", err
	}
	again, err := o.send([][]byte{o.generator.Good().Data}, format.ReasonOK)
	if err != nil {
		return "", err
	}
	if len(again) != 1 {
		return "", errors.New("the buffer is empty, but the next packet was dropped")
	}
	return fmt.Sprintf("%d of %d packets", len(stored), n), o.comparePackets(again)
}

// hostFrames sends frames for the host, at least so many bytes, and one more.
func (o *overflowRun) hostFrames(size int) (string, error) {
	var all [][]byte
	for size > 0 {
		all = append(all, o.hostFrame())
		size -= len(all[len(all)-1])
	}
	stored, err := o.send(all, format.ReasonEtherType)
	if err != nil {
		return "", err
	}
	o.raw.SetPattern(sim.Pattern{})
	if err := o.compareRaw(stored); err != nil {
		return "", err
	}
	again, err := o.send([][]byte{o.hostFrame()}, format.ReasonEtherType)
	if err != nil {
		return "", err
	}
	if len(again) != 1 {
		return "", errors.New("the buffer is empty, but the next frame was dropped")
	}
	return fmt.Sprintf("%d of %d frames", len(stored), len(all)), o.compareRaw(again)
}

// hostFrame is a frame whose reason is ReasonEtherType, at most half as long as
// the buffer.
func (o *overflowRun) hostFrame() []byte {
	for {
		f := o.generator.Foreign().Data
		if len(f) <= o.rawBuffer/2 && golden.Receive(f, false).Reason == format.ReasonEtherType {
			return f
		}
	}
}

// send sends frames that have the given reason and returns those that were
// stored: the others have to be reported as lost for lack of room. Some of
// several have to be, or the test would test nothing.
func (o *overflowRun) send(all [][]byte, reason format.Reason) ([][]byte, error) {
	cycles := 1000
	for _, f := range all {
		hdltest.SendFrame(o.in, f)
		cycles += len(f)
	}
	o.sim.Await(cycles, o.reports.Beats(int(o.reports.Count())+len(all)))
	if err := o.sim.Err(); err != nil {
		return nil, err
	}
	var stored [][]byte
	for i, r := range sim.Received[struct{ Reason, ICRC uint8 }](o.reports) {
		switch format.Reason(r.Reason) {
		case reason:
			stored = append(stored, all[i])
		case format.ReasonBufferFull:
		default:
			return nil, fmt.Errorf("frame %d is reported as %v, want %v or %v", i+1, format.Reason(r.Reason), reason, format.ReasonBufferFull)
		}
	}
	if len(all) > 1 && (len(stored) == 0 || len(stored) == len(all)) {
		return nil, fmt.Errorf("%d of %d frames were stored", len(stored), len(all))
	}
	return stored, nil
}

// drainCycles is more than it takes to empty the largest buffer.
const drainCycles = 1 << 18

// comparePackets waits for packets to leave and compares them with the frames
// they came in.
func (o *overflowRun) comparePackets(stored [][]byte) error {
	var want []golden.Received
	for _, f := range stored {
		r := golden.Receive(f, false)
		want = append(want, r)
		if len(r.Payload) > 0 {
			o.payloadsOut++
		}
	}
	o.packetsOut += len(stored)
	o.sim.Await(drainCycles, o.headers.Beats(o.packetsOut))
	o.sim.Await(drainCycles, o.payload.Frames(o.payloadsOut))
	if err := o.sim.Err(); err != nil {
		return err
	}
	headers := sim.Received[format.RxDescriptor[uint64]](o.headers)
	payloads := hdltest.TakeFrames(o.payload)
	if len(headers) != len(want) {
		return fmt.Errorf("%d packets left, want %d", len(headers), len(want))
	}
	for i, w := range want {
		got := Outcome{Reason: format.ReasonOK, ICRC: golden.ICRCGood, Descriptor: headers[i]}
		if len(w.Payload) > 0 && len(payloads) > 0 {
			got.Payload, payloads = payloads[0].Data, payloads[1:]
		}
		if err := differ(got, Outcome{w.Reason, w.ICRC, w.Descriptor, w.Payload, nil}); err != nil {
			return fmt.Errorf("packet %d: %w", i+1, err)
		}
	}
	return nil
}

// compareRaw waits for frames to leave to the host.
func (o *overflowRun) compareRaw(stored [][]byte) error {
	o.rawOut += len(stored)
	o.sim.Await(drainCycles, o.raw.Frames(o.rawOut))
	if err := o.sim.Err(); err != nil {
		return err
	}
	got := hdltest.TakeFrames(o.raw)
	if len(got) != len(stored) {
		return fmt.Errorf("%d frames left, want %d", len(got), len(stored))
	}
	for i, want := range stored {
		if !bytes.Equal(got[i].Data, want) {
			return fmt.Errorf("frame %d: %s", i+1, firstDifference(got[i].Data, want))
		}
	}
	return nil
}
