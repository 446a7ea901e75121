package rxpath

import (
	"fmt"

	"gornic/blocks/icrc"
	"gornic/blocks/rxbuffer"
	"gornic/blocks/rxparse"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the receive side.
type Params struct {
	DataWidth int // of a beat in bits: 64, 128, 256 or 512
	Beats     int // room for payload, in beats: a power of two, at least 4
	Frames    int // room for packets: a power of two, at least 2
	RawBeats  int // room for frames of the host, in beats: a power of two, at least 4
}

// Validate returns an error for parameters that the receive side cannot have.
func (p Params) Validate() error {
	if err := p.buffer().Validate(); err != nil {
		return err
	}
	if p.RawBeats < 4 || p.RawBeats&(p.RawBeats-1) != 0 {
		return fmt.Errorf("rxpath: room for %d beats of raw frames: not a power of two from 4", p.RawBeats)
	}
	return nil
}

func (p Params) buffer() rxbuffer.Params {
	return rxbuffer.Params{DataWidth: p.DataWidth, Beats: p.Beats, Frames: p.Frames}
}

// IO is the ports of the receive side. The package comment tells what each
// stream carries.
type IO struct {
	In      stream.Frame                              `hdl:"in"`
	Header  hdl.Stream[format.RxDescriptor[hdl.Bits]] `hdl:"out"`
	Payload stream.Frame                              `hdl:"out"`
	Raw     stream.Frame                              `hdl:"out"`
	Report  rxbuffer.Report                           `hdl:"out"`

	Accepted  hdl.Bits `hdl:"out" w:"32"` // counters of reports, which wrap: ok
	Passed    hdl.Bits `hdl:"out" w:"32"` // passed to Raw
	Full      hdl.Bits `hdl:"out" w:"32"` // dropped: no room in one of the buffers
	Refused   hdl.Bits `hdl:"out" w:"32"` // dropped for another reason
	HighWater hdl.Bits `hdl:"out"`        // the most beats of payload that ever waited
	RawHigh   hdl.Bits `hdl:"out"`        // the most beats of raw frames that ever waited
}

// Def is the receive side. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: fmt.Sprintf("rxpath_%d_x%d_x%d_x%d", p.DataWidth, p.Beats, p.Frames, p.RawBeats),
		Doc:  "The receive side: good RoCEv2 packets as descriptor and payload, the host's frames, a report for each frame.",
		IO: IO{
			In:        stream.FrameOf(p.DataWidth),
			Header:    hdl.StreamOf(format.RxDescriptor[hdl.Bits]{}),
			Payload:   stream.FrameOf(p.DataWidth),
			Raw:       stream.FrameOf(p.DataWidth),
			HighWater: hdl.W(hdl.Log2(p.Beats) + 1),
			RawHigh:   hdl.W(hdl.Log2(p.RawBeats) + 1),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			body(m, p, io)
		},
	}
}

func body(m *hdl.Module, p Params, io *IO) {
	parser := hdl.Instance(m, "u_parse", rxparse.Def(rxparse.Params{DataWidth: p.DataWidth}))
	checker := hdl.Instance(m, "u_icrc", icrc.CheckDef(icrc.Params{DataWidth: p.DataWidth}))
	buffer := hdl.Instance(m, "u_buffer", rxbuffer.Def(p.buffer()))
	raw := hdl.Instance(m, "u_raw", stream.FrameFIFODef(stream.FrameFIFOOptions{
		Width: p.DataWidth, Depth: p.RawBeats, DropWhenFull: true,
	}))

	in := stream.Fork(m, "u_in", io.In, 2)
	hdl.Connect(parser.In, in[0])
	hdl.Connect(checker.In, in[1])
	hdl.Connect(raw.In, parser.Raw)
	hdl.Connect(io.Raw, raw.Out)

	hdl.Connect(buffer.Header, parser.Header)
	hdl.Connect(buffer.Payload, parser.Payload)
	hdl.Connect(buffer.Verdict, checker.Verdict)
	status := parser.Status
	status.Data.Reason = afterRaw(status.Data.Reason, raw.DroppedFull)
	hdl.Connect(buffer.Status, status)

	hdl.Connect(io.Header, buffer.OutHeader)
	hdl.Connect(io.Payload, buffer.OutPayload)
	hdl.Connect(io.Report, buffer.Report)
	h := io.Header.Data
	m.Event("packet_accepted", io.Header.Fire(),
		hdl.Field("dest_qp", h.DestQP), hdl.Field("opcode", h.Opcode), hdl.Field("psn", h.PSN), hdl.Field("bytes", h.PayloadLen))
	io.Accepted.Set(buffer.Stored)
	io.Full.Set(buffer.Full)
	io.Refused.Set(buffer.Refused)
	io.HighWater.Set(buffer.HighWater)
	io.RawHigh.Set(raw.HighWater)
	passed := m.Reg("count_passed", rxbuffer.CounterBits, 0)
	m.If(io.Report.Valid.And(isPassed(io.Report.Reason)), func() { passed.Set(passed.AddK(1)) })
	io.Passed.Set(passed)
	m.Unused(buffer.Used, raw.Level, raw.DroppedErr)

	properties(m, io, raw.In.Ready)
}

// afterRaw is the reason of a frame, given that the raw buffer has just said
// whether it found no room. It says so a cycle after the frame's last beat, which
// is when the status is there.
func afterRaw(reason, noRoom hdl.Bits) hdl.Bits {
	full := hdl.K(format.ReasonBits, uint64(format.ReasonBufferFull))
	return hdl.Mux(isPassed(reason).And(noRoom), full, reason)
}

// isPassed returns one bit: the reason is one that passes a frame to the host.
func isPassed(reason hdl.Bits) hdl.Bits {
	return reason.LtK(uint64(format.ReasonBadFrame)).And(reason.IsNot(uint64(format.ReasonOK)))
}
