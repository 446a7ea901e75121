package hostnet_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

// wordInFour is a gigabit at 62.5 MHz; beside its words, a frame has preamble, FCS and gap.
var wordInFour = sim.Pattern{Kind: sim.Periodic, On: 1, Off: 3}

const overheadBytes = 24

// wire is one direction of the network, which delays each datagram, and may do worse.
type wire struct {
	r           *rand.Rand
	delay       int // cycles,
	jitter      int // and up to so many more: datagrams overtake each other
	loss, twice int // percent
	dead        bool
	waiting     []parcel
}

type parcel struct {
	due  int
	data []byte
}

func (w *wire) send(now int, data []byte) {
	copies := 1
	if w.r.IntN(100) < w.twice {
		copies = 2
	}
	for range copies {
		if !w.dead && w.r.IntN(100) >= w.loss {
			w.waiting = append(w.waiting, parcel{now + w.delay + w.r.IntN(w.jitter+1), data})
		}
	}
}

// take returns the datagram that is due first.
func (w *wire) take(now int) ([]byte, bool) {
	best := -1
	for i, p := range w.waiting {
		if p.due <= now && (best < 0 || p.due < w.waiting[best].due) {
			best = i
		}
	}
	if best < 0 {
		return nil, false
	}
	data := w.waiting[best].data
	w.waiting = slices.Delete(w.waiting, best, best+1)
	return data, true
}

// lan is the network between a PC and the board of a simulation.
type lan struct {
	t    *testing.T
	s    *sim.Sim
	r    *rand.Rand
	now  int
	each func() // what else happens in a cycle

	in     *sim.Source
	out    *sim.Sink
	frames *hdltest.Frames

	toPC, toBoard wire
	gigabit       bool     // the wires carry a gigabit and no more
	outFree       int      // when the next frame may leave,
	inFree        int      // and come
	junk          int      // percent: so many frames of the network's are none of ours
	frameLog      [][]byte // payloads that the board has sent
	session       func() uint64
}

func newLAN(t *testing.T, s *sim.Sim, in, out stream.Frame, g sim.Pattern) *lan {
	r := rand.New(rand.NewPCG(hdltest.Seed(t), 7))
	l := &lan{t: t, s: s, r: r, toPC: wire{r: r}, toBoard: wire{r: r}, each: func() {}, in: sim.NewSource(s, in, g), out: sim.NewSink(s, out, g)}
	l.frames = hdltest.NewFrames(l.out)
	return l
}

// step goes on a cycle.
func (l *lan) step() {
	l.s.Step()
	l.now++
	require.NoError(l.t, l.s.Err())
	for _, f := range l.frames.Take() {
		payload := openFrame(l.t, f.Data)
		l.frameLog = append(l.frameLog, payload)
		l.toPC.send(l.now, payload)
		if l.gigabit {
			l.outFree = l.now + 4*overheadBytes/8
			l.out.SetPattern(sim.Pattern{Kind: sim.Never})
		}
	}
	if l.gigabit && l.now == l.outFree {
		l.out.SetPattern(wordInFour)
	}
	l.deliver()
	l.each()
}

// deliver puts what has come over the network at In.
func (l *lan) deliver() {
	if l.in.Pending() > 0 || l.now < l.inFree {
		return
	}
	if l.r.IntN(100) < l.junk {
		l.sendJunk()
		return
	}
	if data, ok := l.toBoard.take(l.now); ok {
		hdltest.SendFrame(l.in, makeFrame(l.t, data))
		if l.gigabit {
			l.inFree = l.now + 4*(len(data)+42+overheadBytes)/8
		}
	}
}

// sendJunk sends a frame that is not for the block.
func (l *lan) sendJunk() {
	h := format.HostnetHeader[uint64]{Magic: format.HostnetMagic, Session: 1, Seq: uint64(l.r.IntN(50)), Answer: 1, Op: uint64(4 + l.r.IntN(2))}
	if l.r.IntN(2) == 0 {
		h.Words = uint64(1 + l.r.IntN(8))
	}
	h.Session = l.session()
	payload, err := format.Append(nil, h)
	require.NoError(l.t, err)
	payload = append(payload, make([]byte, 8*h.Words)...)
	f := makeFrame(l.t, payload)
	switch l.r.IntN(7) {
	case 0: // cut short
		hdltest.SendFrame(l.in, f[:1+l.r.IntN(len(f)-1)])
	case 1: // longer than it says
		hdltest.SendFrame(l.in, append(f, make([]byte, 1+l.r.IntN(64))...))
	case 2: // damaged, and known to be
		hdltest.SendBadFrame(l.in, f)
	case 3: // to somebody else
		f[[]int{0, 3, 5, 30, 33}[l.r.IntN(5)]] ^= 0x10
		hdltest.SendFrame(l.in, f)
	case 4: // another protocol, version, port, a fragment
		f[[]int{12, 13, 14, 20, 21, 23, 36, 37, 42, 43}[l.r.IntN(10)]] ^= 0x04
		hdltest.SendFrame(l.in, f)
	case 5: // other numbers of words in the two headers
		f[61] ^= 1
		hdltest.SendFrame(l.in, f)
	case 6: // an old session, or a wrong number
		f[44+l.r.IntN(4)] ^= 1 << l.r.IntN(8)
		hdltest.SendFrame(l.in, f)
	}
}

// conn is the PC's end of the network: time goes on while it receives.
type conn struct{ *lan }

func (c conn) Send(b []byte) error {
	c.toBoard.send(c.now, slices.Clone(b))
	return nil
}

func (c conn) Receive(b []byte, until time.Duration) (int, error) {
	for {
		if data, ok := c.toPC.take(c.now); ok {
			return copy(b, data), nil
		}
		if c.Now() >= until {
			return 0, os.ErrDeadlineExceeded
		}
		c.step()
	}
}

func (c conn) Now() time.Duration { return time.Duration(c.now) * cycle }
func (c conn) Close() error       { return nil }
