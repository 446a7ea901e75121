package sim

import (
	"reflect"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// Sink takes payloads from a stream of the design.
type Sink struct {
	sim   *Sim
	model SinkModel
	ports StreamPorts
}

// A Beat is one accepted payload.
type Beat struct {
	Words []uint64 // the fields side by side, the first one at bit 0
	Cycle uint64   // edges of the stream's clock before the one that took it
}

// NewSink takes what comes out of an output stream of the top, with the pauses
// of the pattern. It is a mistake if the stream is an input.
func NewSink[T any](s *Sim, stream hdl.Stream[T], p Pattern) *Sink {
	return NewSinkOf(s, Ports(s, stream.Valid, stream.Ready, stream.Data), p, SinkOptions{})
}

// NewSinkOf is NewSink of any ports that make up a stream.
func NewSinkOf(s *Sim, ports StreamPorts, p Pattern, o SinkOptions) *Sink {
	k := &Sink{sim: s, ports: ports}
	s.direction(ports, "NewSink", ir.Output, "NewSource")
	if s.err == nil {
		k.model = s.backend.AddSink(ports, p, o)
		s.sinks = append(s.sinks, k)
	}
	return k
}

// Take returns the payloads accepted since the last Take.
func (k *Sink) Take() []Beat {
	if k.model == nil {
		return nil
	}
	words, cycles := k.model.Take()
	n := k.ports.BeatWords()
	beats := make([]Beat, len(cycles))
	words = append([]uint64(nil), words...)
	for i := range beats {
		beats[i] = Beat{Words: words[i*n : (i+1)*n], Cycle: cycles[i]}
	}
	return beats
}

// Ports returns the ports of the stream.
func (k *Sink) Ports() StreamPorts { return k.ports }

// Count is how many payloads were accepted in all.
func (k *Sink) Count() uint64 {
	if k.model == nil {
		return 0
	}
	return k.model.Beats()
}

// SetPattern changes the pauses from the next edge on.
func (k *Sink) SetPattern(p Pattern) {
	if k.model != nil {
		k.model.SetPattern(p)
	}
}

// Beats is the stop condition that n payloads were accepted in all.
func (k *Sink) Beats(n int) Stop { return k.stop(StopBeats, n) }

// Frames is the stop condition that n payloads with Last were accepted in all.
func (k *Sink) Frames(n int) Stop { return k.stop(StopFrames, n) }

func (k *Sink) stop(kind StopKind, n int) Stop {
	if k.model == nil {
		return Stop{Port: k.sim.anyPort()}
	}
	return Stop{Kind: kind, Sink: k.model, Value: uint64(n)}
}

// Received takes the payloads accepted since the last Take as values of U,
// which is shaped as for Source.Send: integers, bool, []byte, []uint64 or
// *big.Int for the fields in order. It is a mistake if one does not fit.
func Received[U any](k *Sink) []U {
	var out []U
	for _, b := range k.Take() {
		var u U
		r := fieldReader{ports: k.ports, beat: b}
		r.read(reflect.ValueOf(&u).Elem())
		if r.next != len(k.ports.Data) {
			r.mistake("%T has %s for the %s of %s", u, count(r.next, "value"), count(len(k.ports.Data), "field"), k.ports)
		}
		if r.err != nil {
			k.sim.fail(r.err)
			return nil
		}
		out = append(out, u)
	}
	return out
}
