package simkit

import "github.com/sarchlab/akita/v4/sim"

// Message is what hooks and components of Akita see of a message of a stream.
type Message struct {
	sim.MsgMeta
	Value any
}

// Meta is Akita's part of the message.
func (m *Message) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Clone is a copy with an ID of its own.
func (m *Message) Clone() sim.Msg {
	c := *m
	c.ID = sim.GetIDGenerator().Generate()
	return &c
}

func (s *Stream[T]) message(v T) *Message {
	return &Message{Value: v, MsgMeta: sim.MsgMeta{Src: s.out.AsRemote(), Dst: s.in.AsRemote()}}
}

// port is one end of a stream, as Akita sees it.
type port[T any] struct {
	sim.HookableBase
	name   string
	stream *Stream[T]
	owner  *Component
	gives  bool
}

var _ sim.Port = (*port[int])(nil)

func (p *port[T]) Name() string                     { return p.name }
func (p *port[T]) AsRemote() sim.RemotePort         { return sim.RemotePort(p.name) }
func (p *port[T]) SetConnection(sim.Connection)     {}
func (p *port[T]) Component() sim.Component         { return p.owner }
func (p *port[T]) Deliver(m sim.Msg) *sim.SendError { return p.Send(m) }
func (p *port[T]) NotifyAvailable()                 { p.owner.Wake(p.owner.engine.now + 1) }
func (p *port[T]) CanSend() bool                    { return p.stream.Room() }

// RetrieveOutgoing and PeekOutgoing have nothing: what is given is in the stream at once.
func (p *port[T]) RetrieveOutgoing() sim.Msg { return nil }
func (p *port[T]) PeekOutgoing() sim.Msg     { return nil }

// Send gives a Message with a value of the stream's kind.
func (p *port[T]) Send(m sim.Msg) *sim.SendError {
	x, ok := m.(*Message)
	if !ok || !p.stream.Room() {
		return sim.NewSendError()
	}
	v, ok := x.Value.(T)
	if !ok {
		return sim.NewSendError()
	}
	p.stream.Push(v)
	return nil
}

func (p *port[T]) RetrieveIncoming() sim.Msg {
	if p.gives || !p.stream.Ready() {
		return nil
	}
	return p.stream.message(p.stream.Pop())
}

func (p *port[T]) PeekIncoming() sim.Msg {
	if p.gives || !p.stream.Ready() {
		return nil
	}
	return p.stream.message(*p.stream.Head())
}
