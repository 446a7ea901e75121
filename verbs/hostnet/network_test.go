package hostnet_test

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"gornic/format"
	board "gornic/fpga/blocks/hostnet"
	"gornic/verbs/hostnet"
)

var ctx = context.Background()

// registers are words at multiples of 4 below 0x1000.
type registers struct {
	values map[uint32]uint32
	writes int
}

func (r *registers) Read(offset uint32) (uint32, bool) { return r.values[offset], offset < 0x1000 }

func (r *registers) Write(offset, value uint32) bool {
	r.values[offset] = value
	r.writes++
	return offset < 0x1000
}

// network is a board and the way to it, with a clock of its own and no goroutine.
type network struct {
	r         *rand.Rand
	now       time.Duration
	board     *board.Board
	registers *registers
	toBoard   []parcel
	toPC      []parcel
	heard     time.Duration // when the board has heard something last

	loss, twice, junk int           // percent
	jitter            time.Duration // datagrams overtake each other
	cut               bool          // nothing comes through
	closed            bool
}

type parcel struct {
	due  time.Duration
	data []byte
}

// Times of the network.
const (
	tick     = time.Microsecond
	distance = 10 * time.Microsecond
	patience = 200 * time.Microsecond // of the board
	retries  = 30
)

func newNetwork(seed uint64) *network {
	n := &network{r: rand.New(rand.NewPCG(seed, 3))}
	n.restart()
	return n
}

// restart makes the board a new one.
func (n *network) restart() {
	n.registers = &registers{values: map[uint32]uint32{}}
	n.board = board.NewBoard(n.registers, 8, retries)
}

// post puts a datagram on its way, which may lose, double, delay or damage it.
func (n *network) post(to *[]parcel, data []byte) {
	copies := 1
	if n.r.IntN(100) < n.twice {
		copies = 2
	}
	for range copies {
		if n.cut || n.r.IntN(100) < n.loss {
			continue
		}
		d := slices.Clone(data)
		*to = append(*to, parcel{n.now + distance + time.Duration(n.r.Int64N(int64(n.jitter)+1)), d})
		if n.r.IntN(100) < n.junk { // and something like it
			d = slices.Clone(d)
			switch n.r.IntN(3) {
			case 0:
				d = d[:n.r.IntN(len(d))]
			case 1:
				d = append(d, make([]byte, 1+n.r.IntN(20))...)
			case 2:
				d[n.r.IntN(6)] ^= 1 << n.r.IntN(8) // magic or session
				if op := format.HostnetOp(d[18] >> 3 & 0xF); op == format.HostnetHello {
					continue // it would be one of another program
				}
			}
			*to = append(*to, parcel{n.now + distance, d})
		}
	}
}

// take returns a datagram that has arrived.
func (n *network) take(from *[]parcel) ([]byte, bool) {
	i := slices.IndexFunc(*from, func(p parcel) bool { return p.due <= n.now })
	if i < 0 {
		return nil, false
	}
	data := (*from)[i].data
	*from = slices.Delete(*from, i, i+1)
	return data, true
}

// work lets the board work at this moment.
func (n *network) work() {
	for {
		d, ok := n.take(&n.toBoard)
		if !ok {
			break
		}
		n.heard = n.now
		if answer := n.board.Take(d); answer != nil {
			n.post(&n.toPC, answer)
		}
	}
	if d := n.board.Send(); d != nil {
		n.post(&n.toPC, d)
	}
	if n.now-n.heard > patience {
		n.board.Timeout()
		n.heard = n.now
	}
}

func (n *network) Send(b []byte) error {
	n.post(&n.toBoard, b)
	return nil
}

func (n *network) Receive(b []byte, until time.Duration) (int, error) {
	for {
		if d, ok := n.take(&n.toPC); ok {
			return copy(b, d), nil
		}
		if n.now >= until {
			return 0, os.ErrDeadlineExceeded
		}
		n.now += tick
		n.work()
	}
}

func (n *network) Now() time.Duration { return n.now }

func (n *network) Close() error {
	n.closed = true
	return nil
}

// options are those of a bus without a goroutine.
func options() hostnet.Options {
	return hostnet.Options{NoServer: true, Session: 7, Timeout: 100 * time.Microsecond, Tries: 200, Wait: 50 * time.Microsecond}
}
