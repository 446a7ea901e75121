package board

import (
	"fmt"

	"gornic/hdl/sim"
	"gornic/tb/board/rgmii"
)

// Port is an Ethernet port of the board, as a link partner sees it: a wire.End.
type Port struct {
	// Shape, where it is not nil, says how a frame is put on the pins: with which errors.
	Shape func(frame []byte) rgmii.Frame

	number   int
	in       *sim.Source
	out      *sim.Sink
	receiver rgmii.Receiver
	seen     uint64
	frames   [][]byte
	aborted  int
	err      error
	words    []uint64
}

// Receive puts a frame on the pins behind those that wait there.
func (p *Port) Receive(frame []byte) {
	f := rgmii.Frame{Data: frame}
	if p.Shape != nil {
		f = p.Shape(frame)
	}
	p.Put(f.Symbols(rgmii.Gigabit))
}

// Put puts cycles on the pins.
func (p *Port) Put(symbols []rgmii.Symbol) {
	p.words = p.words[:0]
	for _, s := range symbols {
		p.words = append(p.words, uint64(s))
	}
	p.in.SendWords(p.words)
}

// Pending is how many cycles wait for the pins.
func (p *Port) Pending() int { return p.in.Pending() }

// Send returns the next frame that the board has sent, with its pad. It lets no time pass.
func (p *Port) Send() ([]byte, bool) {
	if len(p.frames) == 0 {
		return nil, false
	}
	frame := p.frames[0]
	p.frames = p.frames[1:]
	return frame, true
}

// Aborted is how many frames the board has sent with a wrong FCS.
func (p *Port) Aborted() int { return p.aborted }

// collect takes what was on the pins until a cycle of the net clock.
func (p *Port) collect(cycle uint64) error {
	if p.err != nil {
		return p.err
	}
	if n := p.out.Count(); n != p.seen {
		p.seen = n
		for _, b := range p.out.Take() {
			if p.err = p.receiver.Take(rgmii.Symbol(b.Words[0]), b.Cycle); p.err != nil {
				p.err = fmt.Errorf("port %d: %w", p.number, p.err)
				return p.err
			}
		}
	}
	if p.err = p.receiver.Idle(cycle); p.err != nil {
		p.err = fmt.Errorf("port %d: %w", p.number, p.err)
		return p.err
	}
	for _, f := range p.receiver.Frames() {
		if f.Abort {
			p.aborted++
			continue
		}
		p.frames = append(p.frames, f.Data)
	}
	return nil
}
