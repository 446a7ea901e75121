package top

import (
	"gornic/blocks/core"
	"gornic/fpga/blocks/ethport"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// frames is a port of the core as a stream of frames.
func frames(a core.AXIS) stream.Frame {
	return stream.Frame{Valid: a.TValid, Ready: a.TReady, Data: stream.Beat{Data: a.TData, Keep: a.TKeep, Last: a.TLast, Err: a.TUser}}
}

// network joins whom frames pass.
func (b *digital) network() {
	for i, n := range b.neighbour {
		at := b.boardregs.Ports[i]
		n.MAC.Set(at.MAC)
		n.IP.Set(at.IPv4)
		n.Enable.Set(at.IPv4.Any())
		b.pins(i)
	}
	b.corePort()
	b.hostPort()
}

// pins joins a port and its pins.
func (b *digital) pins(i int) {
	hdl.Connect(b.ports[i].RxPins, append([]ethport.Pins{b.io.Rx0}, b.io.Rx1...)[i])
	hdl.Connect(b.io.Tx[i], b.ports[i].TxPins)
}

// corePort is port 0. Neither the core nor the neighbour block waits, so the fork passes a beat in each cycle.
func (b *digital) corePort() {
	m, port, near := b.m, b.ports[0], b.neighbour[0]
	received := stream.Fork(m, "u_received", port.Rx, 2)
	hdl.Connect(frames(b.core.Rx), received[0])
	hdl.Connect(near.In, received[1])
	stream.Discard(m, near.Rest)
	stream.Discard(m, frames(b.core.RawRx))
	hdl.Connect(frames(b.core.RawTx), near.Answer)
	hdl.Connect(port.Tx, frames(b.core.Tx))
}

// hostPort is port 1, where there is one.
func (b *digital) hostPort() {
	if b.hostnet == nil {
		return
	}
	port, near := b.ports[1], b.neighbour[1]
	hdl.Connect(near.In, port.Rx)
	hdl.Connect(b.hostnet.In, near.Rest)
	sent, from := stream.RoundRobin(b.m, "u_host_frames", near.Answer, b.hostnet.Out)
	b.m.Unused(from)
	hdl.Connect(port.Tx, stream.Slice(b.m, "u_host_tx", sent))
	b.hostnet.MAC.Set(b.boardregs.Ports[1].MAC)
	b.hostnet.IP.Set(b.boardregs.Ports[1].IPv4)
}
