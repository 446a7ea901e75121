package top

import (
	"encoding/binary"

	"gornic/format"
	"gornic/fpga/blocks/boardregs"
	"gornic/fpga/blocks/ethport"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// resetBytes is how many bytes of the serial line pass from the write that resets the board to the reset: the answer to it,
// every byte escaped, leaves by then. An answer over UDP is faster.
const resetBytes = 40

// Registers are what the board's registers tell and begin with.
func (p Params) Registers() boardregs.Params {
	b := p.Board
	kHz := b.PLL.CoreHz() / 1000
	r := boardregs.Params{
		Name: b.Name, ClockKHz: kHz, Memory: b.HostMemory, Divisor: b.Divisor(), ResetAfter: resetBytes * 10 * b.Divisor(),
	}
	if b.Hosts.Serial {
		r.Hosts |= format.BoardHostSerial
	}
	if b.Hosts.UDP {
		r.Hosts |= format.BoardHostUDP
	}
	for _, at := range b.Ports {
		ip := at.IPv4.As4()
		mac := binary.BigEndian.Uint64(append([]byte{0, 0}, at.MAC[:]...))
		r.Ports = append(r.Ports, boardregs.Defaults{MAC: mac, IPv4: binary.BigEndian.Uint32(ip[:]), RxDelay: at.RxDelay})
	}
	return r
}

// host joins those who reach the board and what they reach.
func (b *digital) host() {
	var clients []port.Client
	if b.serial != nil {
		clients = append(clients, b.serial.Client)
	}
	b.line()
	if b.hostnet != nil {
		clients = append(clients, b.hostnet.Host)
		hdl.Connect(b.hostnet.AXI, b.hostmem.Remote[0])
		b.hostnet.IRQ.Set(b.core.IRQ)
	}
	for i, c := range clients {
		hdl.Connect(b.access.Clients[i], c)
	}
	hdl.Connect(b.core.Registers, b.access.Core)
	hdl.Connect(b.boardregs.Bus, b.access.Board)
	hdl.Connect(b.hostmem.Host, b.access.Memory)
	hdl.Connect(b.hostmem.AXI, b.core.Memory)
	stream.Discard(b.m, b.core.Interrupt) // vectors are for MSI-X: here there is one line
	b.tell()
}

// line is the serial line, or one that is idle for ever.
func (b *digital) line() {
	if b.uart == nil {
		b.io.UARTTx.SetK(1)
		b.m.Unused(b.io.UARTRx, b.boardregs.Divisor)
		return
	}
	b.uart.Divisor.Set(b.boardregs.Divisor)
	b.uart.RxPin.Set(b.io.UARTRx)
	b.io.UARTTx.Set(b.uart.TxPin)
	hdl.Connect(b.uart.Send, b.serial.Send)
	hdl.Connect(b.serial.Received, b.uart.Received)
}

// tell joins the registers of the board and what they show and set.
func (b *digital) tell() {
	for i := range b.io.RxDelay {
		b.io.RxDelay[i].Set(b.boardregs.Ports[i].RxDelay)
	}
	b.io.Reset.Set(b.boardregs.Reset)
	for i := range b.boardregs.Links {
		s := b.ports[i].Status
		hdl.Set(b.boardregs.Links[i], boardregs.Link{Up: s.Link, Speed: s.Speed, Duplex: s.Duplex})
	}
	hdl.Set(b.boardregs.Peer, b.peer())
}

// peer is the PC whose memory the board has.
func (b *digital) peer() boardregs.Peer {
	h := b.hostnet
	if h == nil {
		return boardregs.Peer{Up: hdl.K(1, 0), UDPPort: hdl.K(16, 0), IPv4: hdl.K(32, 0), Session: hdl.K(32, 0)}
	}
	return boardregs.Peer{Up: h.Open, UDPPort: h.PeerPort, IPv4: h.PeerIP, Session: h.Session}
}

// count gives the board's registers a pulse for each counter.
func (b *digital) count() {
	pulses := make([]hdl.Bits, format.BoardCounterCount)
	for i := range pulses {
		pulses[i] = hdl.K(1, 0)
	}
	for i, p := range b.ports {
		b.countPort(pulses[i*format.BoardPortCounters:], p.Count, i)
	}
	if b.serial != nil {
		for i := range b.serial.Counts.Width() {
			pulses[int(format.BoardSerialFraming)+i] = b.serial.Counts.Bit(i)
		}
	}
	if h := b.hostnet; h != nil {
		pulses[format.BoardUDPSent] = h.Out.Fire().And(h.Out.Data.Last)
		pulses[format.BoardUDPResent] = h.Resent
		pulses[format.BoardUDPIgnored] = h.Dropped
		pulses[format.BoardUDPLost] = h.Lost
	}
	var bits []hdl.Bits
	for i := range pulses {
		bits = append(bits, pulses[len(pulses)-1-i])
	}
	b.boardregs.Counts.Set(hdl.Cat(bits...))
}

func (b *digital) countPort(pulses []hdl.Bits, c ethport.Count, i int) {
	near := b.neighbour[i]
	pulses[format.BoardRxFrames] = c.RxGood
	pulses[format.BoardRxBadFCS] = c.RxBadFCS
	pulses[format.BoardRxBadSize] = c.RxShort.Or(c.RxLong)
	pulses[format.BoardRxError] = c.RxPHYError
	pulses[format.BoardRxOverrun] = c.RxOverrun
	pulses[format.BoardTxFrames] = c.TxGood
	pulses[format.BoardTxAborted] = c.TxAborted.Or(c.TxUnderrun)
	pulses[format.BoardARPAnswers] = near.AnsweredARP
	pulses[format.BoardPings] = near.AnsweredPing
	b.m.Unused(near.Dropped)
}
