package rxpath

import (
	"context"
	"fmt"

	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/sim"
)

// Frame is a frame from the MAC.
type Frame struct {
	Data []byte // without FCS; at least a byte
	Bad  bool   // the MAC marked it bad
}

// Outcome is what became of one frame.
type Outcome struct {
	Reason     format.Reason
	ICRC       uint8                       // rxbuffer.ICRCAbsent, ICRCGood or ICRCBad
	Descriptor format.RxDescriptor[uint64] // of an accepted frame
	Payload    []byte                      // of an accepted frame
	Raw        []byte                      // of a passed frame, as it left
}

// Patterns are the gaps and pauses of a [Receiver]; the zero value is full speed.
type Patterns struct{ In, Header, Payload, Raw sim.Pattern }

// Receiver drives the receive side in a simulator. It is not safe for concurrent
// use.
type Receiver struct {
	s       *sim.Sim
	width   int
	in      *sim.Source
	reports *sim.Sink
	headers *sim.Sink
	payload *sim.Sink
	raw     *sim.Sink

	accepted, passed, payloads int // so far
}

// NewReceiver attaches sources and sinks to the receive side, which is the top of
// s, and resets it.
func NewReceiver(s *sim.Sim, io *IO, p Patterns) *Receiver {
	r := &Receiver{
		s:       s,
		width:   io.In.Data.Data.Width(),
		in:      sim.NewSource(s, io.In, p.In),
		headers: sim.NewSink(s, io.Header, p.Header),
		payload: sim.NewSink(s, io.Payload, p.Payload),
		raw:     sim.NewSink(s, io.Raw, p.Raw),
	}
	report := sim.Ports(s, io.Report.Valid, hdl.Bits{}, [2]hdl.Bits{io.Report.Reason, io.Report.ICRC})
	r.reports = sim.NewSinkOf(s, report, sim.Pattern{}, sim.SinkOptions{})
	s.Reset(2)
	return r
}

// Receive puts frames on the wire, one after the other, and returns what became
// of each, in order. It fails if the receive side does not report every frame, or
// does not give out what it reports, in a time that is long for the pauses of the
// patterns; if an assertion fails; or if ctx ends.
func (r *Receiver) Receive(ctx context.Context, all []Frame) ([]Outcome, error) {
	cycles := 1000
	for _, f := range all {
		beats := packFrame(r.width, f.Data, f.Bad)
		r.in.SendWords(beats)
		cycles += 100 * (len(beats) + 8)
	}
	first := int(r.reports.Count())
	if err := r.await(ctx, cycles, r.reports.Beats(first+len(all))); err != nil {
		return nil, fmt.Errorf("rxpath: %d reports of %d frames: %w", int(r.reports.Count())-first, len(all), err)
	}
	outcomes := make([]Outcome, len(all))
	for i, x := range sim.Received[struct{ Reason, ICRC uint8 }](r.reports) {
		outcomes[i].Reason, outcomes[i].ICRC = format.Reason(x.Reason), x.ICRC
		switch outcomes[i].Reason.Verdict() {
		case format.Accepted:
			r.accepted++
		case format.Passed:
			r.passed++
		}
	}
	return outcomes, r.collect(ctx, cycles, outcomes)
}

// collect fills in what left the receive side.
func (r *Receiver) collect(ctx context.Context, cycles int, outcomes []Outcome) error {
	if err := r.await(ctx, cycles, r.headers.Beats(r.accepted)); err != nil {
		return fmt.Errorf("rxpath: %d descriptors of %d accepted packets: %w", r.headers.Count(), r.accepted, err)
	}
	headers := sim.Received[format.RxDescriptor[uint64]](r.headers)
	for _, h := range headers {
		if h.PayloadLen > 0 {
			r.payloads++
		}
	}
	if err := r.await(ctx, cycles, r.payload.Frames(r.payloads)); err != nil {
		return fmt.Errorf("rxpath: not the payload of every accepted packet: %w", err)
	}
	if err := r.await(ctx, cycles, r.raw.Frames(r.passed)); err != nil {
		return fmt.Errorf("rxpath: not every passed frame: %w", err)
	}
	payloads, raws := unpackFrames(r.width, r.payload.Take()), unpackFrames(r.width, r.raw.Take())
	for i := range outcomes {
		o := &outcomes[i]
		switch o.Reason.Verdict() {
		case format.Accepted:
			o.Descriptor, headers = headers[0], headers[1:]
			if o.Descriptor.PayloadLen > 0 {
				o.Payload, payloads = payloads[0], payloads[1:]
			}
		case format.Passed:
			o.Raw, raws = raws[0], raws[1:]
		}
	}
	if len(headers)+len(payloads)+len(raws) > 0 {
		return fmt.Errorf("rxpath: %d descriptors, %d payloads and %d raw frames too many", len(headers), len(payloads), len(raws))
	}
	return nil
}

// slice is how many cycles are run between two looks at the context.
const slice = 1 << 16

// await runs until a condition holds, cycles at most.
func (r *Receiver) await(ctx context.Context, cycles int, until sim.Stop) error {
	for ; cycles > 0; cycles -= slice {
		if err := ctx.Err(); err != nil {
			return err
		}
		stop := r.s.RunUntil(min(cycles, slice), until)
		if err := r.s.Err(); err != nil || stop >= 0 {
			return err
		}
	}
	return sim.ErrLimit
}
