package main

import (
	"bytes"
	"context"
	"fmt"

	"gornic/configs"
	"gornic/format"
	"gornic/hdl/sim"
	"gornic/tb/golden"
)

// Receiver is the receive side of the core, running in a simulator.
type Receiver interface {
	// Receive puts whole frames on the stream from the MAC, one after the other,
	// and returns what became of each, in order. No frame is empty.
	Receive(ctx context.Context, frames [][]byte) ([]Outcome, error)
	// Close ends the simulation.
	Close() error
}

// Outcome is what the core made of one frame.
type Outcome struct {
	Reason format.Reason
	ICRC   golden.ICRC
	// Descriptor and Payload are what left for the transport: of accepted frames.
	Descriptor format.RxDescriptor[uint64]
	Payload    []byte
	// Raw is what left on the raw stream: of passed frames.
	Raw []byte
}

// A simulator is one way to run the core. In tests of the command itself a
// stand-in takes the core's place.
type simulator struct {
	sim.Simulator
	receiver func(context.Context, sim.Simulator, configs.Config, sim.Options) (Receiver, error)
}

// A bench is what the command works with.
type bench struct {
	simulators []simulator // the fastest one last
	scenarios  []Scenario
}

func (b bench) simulator(name string) *simulator {
	for i := range b.simulators {
		if b.simulators[i].Name == name {
			return &b.simulators[i]
		}
	}
	return nil
}

// A room is what the core's receive buffers hold.
type room struct {
	beat     int // bytes
	payload  int // beats of one packet's payload
	rawFrame int // beats of one frame for the host
}

func roomOf(c configs.Config) room {
	beat := c.DataWidth / 8
	return room{beat: beat, payload: c.RxBuffer / beat, rawFrame: c.RawBuffer / beat}
}

func (r room) beats(b []byte) int { return (len(b) + r.beat - 1) / r.beat }

// expect is what the reference says of a frame that finds the core's buffers
// empty; bad tells that the MAC marked it bad.
func expect(frame []byte, bad bool, r room) Outcome {
	ref := golden.Receive(frame, bad)
	o := Outcome{Reason: ref.Reason, ICRC: ref.ICRC, Descriptor: ref.Descriptor, Payload: ref.Payload}
	if o.Reason.Verdict() == format.Passed {
		o.Raw = frame
	}
	if r.beats(o.Payload) > r.payload || r.beats(o.Raw) > r.rawFrame {
		return Outcome{Reason: format.ReasonBufferFull, ICRC: ref.ICRC}
	}
	return o
}

// differ returns the first difference between what the core did and what the
// reference expects, nil if there is none.
func differ(got, want Outcome) error {
	switch {
	case got.Reason != want.Reason:
		return fmt.Errorf("the core says %v (%v), the reference %v (%v)",
			got.Reason.Verdict(), got.Reason, want.Reason.Verdict(), want.Reason)
	case got.ICRC != want.ICRC:
		return fmt.Errorf("the core says ICRC %v, the reference %v", got.ICRC, want.ICRC)
	case !format.Same(got.Descriptor, want.Descriptor):
		return fmt.Errorf("descriptors differ:\n core      %+v\n reference %+v", got.Descriptor, want.Descriptor)
	case !bytes.Equal(got.Payload, want.Payload):
		return fmt.Errorf("payloads differ: %s", firstDifference(got.Payload, want.Payload))
	case !bytes.Equal(got.Raw, want.Raw):
		return fmt.Errorf("raw frames differ: %s", firstDifference(got.Raw, want.Raw))
	}
	return nil
}

func firstDifference(got, want []byte) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("byte %d is %#02x, the reference has %#02x", i, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d bytes, the reference has %d", len(got), len(want))
}
