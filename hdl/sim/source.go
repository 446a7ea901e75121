package sim

import (
	"fmt"
	"reflect"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// Source sends payloads into a stream of the design.
type Source struct {
	sim   *Sim
	model SourceModel
	ports StreamPorts
}

// NewSource drives an input stream of the top from now on, with the gaps of
// the pattern between payloads. It is a mistake if the stream is an output.
func NewSource[T any](s *Sim, stream hdl.Stream[T], p Pattern) *Source {
	return NewSourceOf(s, Ports(s, stream.Valid, stream.Ready, stream.Data), p)
}

// NewSourceOf is NewSource of any ports that make up a stream.
func NewSourceOf(s *Sim, ports StreamPorts, p Pattern) *Source {
	src := &Source{sim: s, ports: ports}
	s.direction(ports, "NewSource", ir.Input, "NewSink")
	if s.err == nil {
		src.model = s.backend.AddSource(ports, p)
		s.sources = append(s.sources, src)
	}
	return src
}

// Send queues payloads. A payload is a struct whose numbers are the fields of
// the stream's payload, in the same order and at any depth: unsigned integers, bool,
// []byte (lowest byte first), []uint64 (lowest word first) or *big.Int; or one
// such value alone for a payload that is one field.
func (k *Source) Send(payloads ...any) { k.SendWords(k.Pack(payloads...)) }

// Pack returns payloads packed, for SendWords: to send the same ones often.
func (k *Source) Pack(payloads ...any) []uint64 {
	n := k.ports.BeatWords()
	words := make([]uint64, n*len(payloads))
	for i, p := range payloads {
		w := fieldWriter{ports: k.ports, words: words[i*n : (i+1)*n]}
		if err := w.write(reflect.ValueOf(p)); err != nil {
			k.sim.fail(err)
			return nil
		}
		if w.next != len(k.ports.Data) {
			k.sim.fail(fmt.Errorf("Send of %T: %s for the %s of %s", p, count(w.next, "value"), count(len(k.ports.Data), "field"), k.ports))
			return nil
		}
	}
	return words
}

// SendWords queues packed payloads, StreamPorts.BeatWords words each.
func (k *Source) SendWords(words []uint64) {
	if k.model != nil {
		k.model.Push(words)
	}
}

// Ports returns the ports of the stream.
func (k *Source) Ports() StreamPorts { return k.ports }

// Pending is how many payloads have not been accepted yet.
func (k *Source) Pending() int {
	if k.model == nil {
		return 0
	}
	return k.model.Pending()
}

// SetPattern changes the gaps from the next edge on.
func (k *Source) SetPattern(p Pattern) {
	if k.model != nil {
		k.model.SetPattern(p)
	}
}

// Drained is the stop condition that all payloads were accepted.
func (k *Source) Drained() Stop {
	if k.model == nil {
		return Stop{Port: k.sim.anyPort()}
	}
	return Stop{Kind: StopDrained, Source: k.model}
}
