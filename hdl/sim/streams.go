package sim

import (
	"fmt"
	"math/big"
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

// NewSource drives an input stream of the top from now on. The payload's
// fields go out in the gaps of the pattern.
func NewSource[T any](s *Sim, stream hdl.Stream[T], p Pattern) *Source {
	return NewSourceOf(s, Ports(s, stream.Valid, stream.Ready, stream.Data), p)
}

// NewSink takes what comes out of an output stream of the top, with the pauses
// of the pattern.
func NewSink[T any](s *Sim, stream hdl.Stream[T], p Pattern) *Sink {
	return NewSinkOf(s, Ports(s, stream.Valid, stream.Ready, stream.Data), p, SinkOptions{})
}

// NewSourceOf is NewSource of any ports that make up a stream.
func NewSourceOf(s *Sim, ports StreamPorts, p Pattern) *Source {
	src := &Source{sim: s, ports: ports}
	if s.err == nil {
		src.model = s.backend.AddSource(ports, p)
	}
	return src
}

// NewSinkOf is NewSink of any ports that make up a stream.
func NewSinkOf(s *Sim, ports StreamPorts, p Pattern, o SinkOptions) *Sink {
	k := &Sink{sim: s, ports: ports}
	if s.err == nil {
		k.model = s.backend.AddSink(ports, p, o)
	}
	return k
}

// Ports names the ports of a stream. ready may be the zero Bits, for a stream
// without back-pressure; payload is a bundle; a field of it with the Go name
// Last and one bit ends a frame.
func Ports(s *Sim, valid, ready hdl.Bits, payload any) StreamPorts {
	p := StreamPorts{Valid: s.port(valid, "stream", ir.Input, ir.Output)}
	if ready.Width() > 0 {
		p.Ready = s.port(ready, "stream", ir.Input, ir.Output)
	}
	for _, f := range bundleFields(reflect.ValueOf(payload), "") {
		port := s.port(f.bits, "stream", ir.Input, ir.Output)
		p.Data = append(p.Data, port)
		if f.name == "Last" && port != nil && port.Width == 1 {
			p.Last = port
		}
	}
	p.Clock = s.first()
	if p.Valid != nil && p.Valid.Clock != nil {
		p.Clock = p.Valid.Clock
	}
	return p
}

type bundleField struct {
	name string // Go name of the innermost struct field
	bits hdl.Bits
}

// bundleFields lists the Bits of a bundle in order.
func bundleFields(v reflect.Value, name string) []bundleField {
	if x, ok := v.Interface().(hdl.Bits); ok {
		return []bundleField{{name, x}}
	}
	var out []bundleField
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				out = append(out, bundleFields(v.Field(i), f.Name)...)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			out = append(out, bundleFields(v.Index(i), name)...)
		}
	}
	return out
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
			k.sim.fail(fmt.Errorf("sim: Send of %T: %d values for the %d fields of %s", p, w.next, len(k.ports.Data), k.name()))
			return nil
		}
	}
	return words
}

func (k *Source) name() string {
	if k.ports.Valid == nil {
		return "a stream"
	}
	return k.ports.Valid.Name
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

// fieldWriter packs values into a beat, field by field.
type fieldWriter struct {
	ports StreamPorts
	words []uint64
	next  int // field
	at    int // bit
}

func (w *fieldWriter) write(v reflect.Value) error {
	if words, ok := valueWords(v); ok {
		return w.field(words)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return w.write(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if err := w.write(v.Field(i)); err != nil {
					return err
				}
			}
		}
		return nil
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := w.write(v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("sim: Send: a %s is no field of a payload", v.Type())
}

// valueWords returns the words of what fills one field.
func valueWords(v reflect.Value) ([]uint64, bool) {
	switch x := v.Interface().(type) {
	case []byte:
		return wordsOf(x), true
	case []uint64:
		return x, true
	case *big.Int:
		c, _ := ir.ConstFromBig(max(x.BitLen(), 1), x)
		return c.Words, true
	}
	switch {
	case v.CanUint():
		return []uint64{v.Uint()}, true
	case v.CanInt() && v.Int() >= 0:
		return []uint64{uint64(v.Int())}, true
	case v.Kind() == reflect.Bool:
		return []uint64{b2u(v.Bool())}, true
	}
	return nil, false
}

func (w *fieldWriter) field(words []uint64) error {
	if w.next >= len(w.ports.Data) {
		return fmt.Errorf("sim: Send: more values than the %d fields of %s", len(w.ports.Data), w.ports.Valid.Name)
	}
	port := w.ports.Data[w.next]
	if !fits(words, port.Width) {
		return fmt.Errorf("sim: Send: %#x does not fit in the %d bits of %s", words, port.Width, port.Name)
	}
	for i, x := range words {
		putBits(w.words, w.at+64*i, min(64, port.Width-64*i), x)
	}
	w.next++
	w.at += port.Width
	return nil
}

// putBits ors width bits of v, at most 64, into words at a bit.
func putBits(words []uint64, at, width int, v uint64) {
	if width <= 0 {
		return
	}
	k, sh := at/64, at%64
	words[k] |= v << sh
	if sh+width > 64 {
		words[k+1] |= v >> (64 - sh)
	}
}

// takeBits returns width bits, at most 64, of words from a bit on.
func takeBits(words []uint64, at, width int) uint64 {
	k, sh := at/64, at%64
	v := words[k] >> sh
	if sh+width > 64 {
		v |= words[k+1] << (64 - sh)
	}
	return v & lowMask(width)
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

// Field returns field number i of a payload as words, the lowest first.
func (p StreamPorts) Field(b Beat, i int) []uint64 {
	at := 0
	for _, s := range p.Data[:i] {
		at += s.Width
	}
	width := p.Data[i].Width
	words := make([]uint64, ir.WordCount(width))
	for k := range words {
		words[k] = takeBits(b.Words, at+64*k, min(64, width-64*k))
	}
	return words
}

// Received takes the payloads accepted since the last Take as values of U,
// which is shaped as for Source.Send: unsigned integers, bool, []byte or
// []uint64 for the fields in order.
func Received[U any](k *Sink) []U {
	var out []U
	for _, b := range k.Take() {
		var u U
		r := fieldReader{ports: k.ports, beat: b}
		r.read(reflect.ValueOf(&u).Elem())
		if r.next != len(k.ports.Data) {
			k.sim.fail(fmt.Errorf("sim: Received: %T has %d values for the %d fields of %s", u, r.next, len(k.ports.Data), k.ports.Valid.Name))
			return nil
		}
		out = append(out, u)
	}
	return out
}

type fieldReader struct {
	ports StreamPorts
	beat  Beat
	next  int
}

func (r *fieldReader) read(v reflect.Value) {
	_, isBytes := v.Interface().([]byte)
	_, isWords := v.Interface().([]uint64)
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				r.read(v.Field(i))
			}
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			r.read(v.Index(i))
		}
	case r.next >= len(r.ports.Data):
		r.next++
	default:
		words, width := r.ports.Field(r.beat, r.next), r.ports.Data[r.next].Width
		r.next++
		switch {
		case isBytes:
			v.SetBytes(bytesOf(words, (width+7)/8))
		case isWords:
			v.Set(reflect.ValueOf(words))
		case v.CanUint():
			v.SetUint(words[0])
		case v.CanInt():
			v.SetInt(int64(words[0]))
		case v.Kind() == reflect.Bool:
			v.SetBool(words[0] != 0)
		}
	}
}
