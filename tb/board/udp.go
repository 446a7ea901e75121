package board

import (
	"fmt"
	"net/netip"
	"os"
	"time"
)

// UDP is a socket of a station that is connected to the board, as verbs/hostnet wants it. Time passes where
// [UDP.Receive] waits.
type UDP struct {
	lab     *Lab
	station *Station
	to      netip.AddrPort
	from    uint16
}

// resolvePatience is how many cycles the board has to answer ARP.
const resolvePatience = 20000

// DialUDP connects a socket of a station, which is connected to a port of the board, to an address of
// the board. It asks for the board's Ethernet address first, unless the station knows it.
func DialUDP(l *Lab, s *Station, from uint16, to netip.AddrPort) (*UDP, error) {
	if s.Neighbour(to.Addr()) == nil {
		if err := s.WhoHas(to.Addr()); err != nil {
			return nil, err
		}
	}
	for end := l.Cycle() + resolvePatience; s.Neighbour(to.Addr()) == nil; {
		if l.Cycle() >= end {
			return nil, fmt.Errorf("tb/board: %v does not answer", to.Addr())
		}
		if err := l.Run(slice); err != nil {
			return nil, err
		}
	}
	return &UDP{lab: l, station: s, to: to, from: from}, nil
}

// Send sends a datagram.
func (u *UDP) Send(b []byte) error { return u.station.SendTo(u.to, u.from, b) }

// Receive waits for a datagram, until a time. Where none comes the error is os.ErrDeadlineExceeded.
func (u *UDP) Receive(b []byte, until time.Duration) (int, error) {
	for {
		d, ok := u.station.Datagram()
		switch {
		case ok && d.From == u.to && d.To.Port() == u.from:
			return copy(b, d.Data), nil
		case ok: // for somebody else
		case u.lab.Time() >= until:
			return 0, os.ErrDeadlineExceeded
		default:
			if err := u.lab.Run(slice); err != nil {
				return 0, err
			}
		}
	}
}

// Now is the time of the lab.
func (u *UDP) Now() time.Duration { return u.lab.Time() }

// Close does nothing: the station stays.
func (u *UDP) Close() error { return nil }
