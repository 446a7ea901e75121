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
	for i := range b.ports {
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

// corePort is port 0.
func (b *digital) corePort() {
	m, raw, at := b.m, frames(b.core.RawTx), b.boardregs.Ports[0]
	hdl.Connect(frames(b.core.Rx), b.ports[0].Rx)
	hdl.Connect(b.ports[0].Tx, frames(b.core.Tx))
	stream.Discard(m, frames(b.core.RawRx))
	raw.Valid.SetK(0)
	for _, x := range []hdl.Bits{raw.Data.Data, raw.Data.Keep, raw.Data.Last, raw.Data.Err} {
		x.Set(x.K(0))
	}
	m.Unused(raw.Ready, at.MAC, at.IPv4)
}

// hostPort is port 1, where there is one.
func (b *digital) hostPort() {
	if b.hostnet == nil {
		return
	}
	port := b.ports[1]
	hdl.Connect(b.hostnet.In, port.Rx)
	hdl.Connect(port.Tx, stream.Slice(b.m, "u_host_tx", b.hostnet.Out))
	b.hostnet.MAC.Set(b.boardregs.Ports[1].MAC)
	b.hostnet.IP.Set(b.boardregs.Ports[1].IPv4)
}
