package hdl

// Stream is a bundle with a handshake: Data moves in each cycle in which both
// Valid and Ready are one. Valid, once raised, stays with its Data until Ready;
// whoever drives Valid does not wait for Ready. Ready runs against the
// direction of the stream.
//
// A payload struct's fields become ports of their own: a stream named in with
// a payload {Opcode, Last} has in_valid, in_ready, in_opcode and in_last.
type Stream[T any] struct {
	Valid Bits `w:"1"`
	Ready Bits `w:"1" hdl:"flip"`
	Data  T    `name:"data,inline"`
}

// StreamOf returns the prototype of a stream of payloads shaped like proto.
func StreamOf[T any](proto T) Stream[T] {
	return Stream[T]{Valid: W(1), Ready: W(1), Data: Proto(proto)}
}

// Fire returns one bit: a payload moves in this cycle.
func (s Stream[T]) Fire() Bits { return s.Valid.And(s.Ready) }

// NewStream returns a stream of wires inside a module, named like a port.
func NewStream[T any](m *Module, name string, proto T) Stream[T] {
	return NewWire(m, name, StreamOf(proto))
}
