package board

import (
	"os"
	"time"

	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/tb/board/line"
)

// Serial is the PC's end of the serial line. Time passes where [Serial.Read] waits for a byte.
type Serial struct {
	// ToBoard and FromBoard are what becomes of bytes on the way.
	ToBoard, FromBoard line.Faults

	lab      *Lab
	divisor  int
	in       *sim.Source
	out      *sim.Sink
	seen     uint64
	decoder  *line.Decoder
	received []byte
	timeout  time.Duration
}

func newSerial(l *Lab) *Serial {
	io, divisor := l.design.io, l.design.Params.Board.Divisor()
	return &Serial{
		lab: l, divisor: divisor, decoder: line.NewDecoder(divisor), timeout: longestRead,
		in:  sim.NewSource(l.sim, io.ToUART, sim.Pattern{}),
		out: sim.NewSinkOf(l.sim, sim.Ports(l.sim, io.Turned, noReady, io.High), sim.Pattern{}, sim.SinkOptions{}),
	}
}

// Write puts bytes on the line, behind those that are on their way.
func (s *Serial) Write(b []byte) (int, error) {
	for _, x := range s.ToBoard.Pass(b) {
		for _, v := range line.Encode(x, s.divisor) {
			high := uint64(0)
			if v.High {
				high = 1
			}
			s.in.SendWords([]uint64{uint64(v.Cycles) | high<<24})
		}
	}
	return len(b), nil
}

// longestRead is how long a Read waits at most: more than a request and its answer take at the rates of a simulation,
// where the quiet that a driver listens for is otherwise most of a test.
const longestRead = time.Millisecond

// SetReadTimeout says how long a Read waits, up to longestRead.
func (s *Serial) SetReadTimeout(d time.Duration) error {
	s.timeout = min(d, longestRead)
	return nil
}

// Read waits for a byte, and returns what has come. Where none comes in time the error is
// os.ErrDeadlineExceeded.
func (s *Serial) Read(b []byte) (int, error) {
	for end := s.lab.Time() + s.timeout; len(s.received) == 0; {
		if s.lab.Time() >= end {
			return 0, os.ErrDeadlineExceeded
		}
		if err := s.lab.Run(slice); err != nil {
			return 0, err
		}
	}
	n := copy(b, s.received)
	s.received = s.received[n:]
	return n, nil
}

// collect takes what the board has put on the line.
func (s *Serial) collect() {
	if n := s.out.Count(); n != s.seen {
		s.seen = n
		for _, b := range s.out.Take() {
			s.decoder.Edge(b.Words[0] == 1, b.Cycle)
		}
	}
	s.decoder.Until(s.lab.Cycle())
	s.received = append(s.received, s.FromBoard.Pass(s.decoder.Bytes())...)
}

// noReady is the ready of a stream that never waits.
var noReady hdl.Bits
