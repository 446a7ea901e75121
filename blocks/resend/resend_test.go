package resend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/linktest"
	"gornic/blocks/resend"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// Rings of random packets are sent again while entries leave them and come, other Resends and Stops, fences and states of
// queue pairs come in between.
func TestRandom(t *testing.T) {
	for _, width := range []int{64, 128, 256, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, resend.Def(params(width)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, 30, 20)
				b.random(6000)
				t.Log(b.counts)
				for _, what := range []string{
					"moved", "bus", "late", "fence", "crossed", "READ_REQUEST", "CMP_SWAP", "FETCH_ADD", "SEND_MIDDLE", "SEND_LAST_INV",
				} {
					require.NotZero(t, b.counts[what], what)
				}
			}, linktest.Others(width)...)
		})
	}
}

// random does as many things to queue pairs while jobs and Resents are taken slowly, so that another Resend comes while they are offered.
func (b *bench) random(acts int) {
	for _, slow := range []*sim.Sink{b.job, b.resent} {
		slow.SetPattern(hdltest.Gaps(b.t, 85))
	}
	for qp := range qps {
		b.open(qp, 1+b.r.IntN(5), []int{3, 6, 10}[b.r.IntN(3)], b.r.IntN(2), b.r.Uint32N(1<<24))
	}
	for range acts {
		b.act(b.qps[b.r.IntN(qps)])
		b.run(b.r.IntN(40))
	}
	b.drain()
}

// The block after synthesis sends again, too, whatever is in its memories at the beginning.
func TestRandomAfterSynthesis(t *testing.T) {
	design, io := hdltest.Build(t, resend.Def(params(64)))
	simulator := linktest.Netlist()
	for seed := range uint64(3) {
		s := hdltest.Open(t, simulator, design, sim.Options{Seed: seed})
		b := newBench(t, s, io, 30, 20)
		b.random(400)
		require.NotZero(t, b.counts["crossed"]+b.counts["late"])
	}
}

// act does something to a queue pair.
func (b *bench) act(q *queuePair) {
	if i := q.index; b.r.IntN(6) == 0 {
		if b.paced[i] {
			b.goes(i)
		} else {
			b.paced[i] = true
			b.counts["paced"]++
		}
	}
	switch b.r.IntN(12) {
	case 0, 1, 2, 3:
		if q.state != format.QPError {
			b.fill(q)
		}
	case 4, 5, 6:
		b.again(q)
	case 7:
		if b.r.IntN(3) == 0 {
			b.send(q, true, b.r.Uint32())
		}
	case 8, 9:
		for range 1 + b.r.IntN(3) {
			if len(q.entries) > 0 {
				b.pop(q)
			}
		}
	case 10:
		b.token(b.r.IntN(4))
	case 11:
		b.change(q)
	}
}

// fill has a WQE sent, or an entry recorded that is no packet.
func (b *bench) fill(q *queuePair) {
	switch {
	case q.room() == 0:
	case q.open != nil:
		b.goOn(q)
	case b.r.IntN(8) == 0:
		b.local(q, 0)
	case b.r.IntN(30) == 0:
		b.local(q, format.StatusLocProt)
	default:
		b.post(q, b.any(q))
	}
}

// change gives a queue pair another state, or makes it anew.
func (b *bench) change(q *queuePair) {
	switch b.r.IntN(6) {
	case 0, 1:
		q.state = format.QPSQD
	case 2, 3:
		q.state = format.QPRTS
	case 4:
		q.state = format.QPError
	case 5:
		b.anew(q)
	}
	q.mayNot = q.mayNot || !q.mayBegin()
}

// anew takes a queue pair to RESET, whatever it does, and makes another of it.
func (b *bench) anew(q *queuePair) {
	q.state, q.mayNot = format.QPReset, true
	b.token(b.r.IntN(4))
	b.until("a fence", func() bool { return len(b.fences) == 0 })
	b.open(q.index, 1+b.r.IntN(5), []int{3, 6, 10}[b.r.IntN(3)], b.r.IntN(2), b.r.Uint32N(1<<24))
}

func TestValidate(t *testing.T) {
	good := params(64)
	require.NoError(t, good.Validate())
	for name, change := range map[string]func(p *resend.Params){
		"data width":     func(p *resend.Params) { p.Sizes.DataWidth = 32 },
		"queue pairs":    func(p *resend.Params) { p.Sizes.QPBits = 17 },
		"no queue pairs": func(p *resend.Params) { p.Sizes.QPBits = 0 },
		"queues":         func(p *resend.Params) { p.Sizes.CQBits = 0 },
		"ring":           func(p *resend.Params) { p.Sizes.ReplayBits = 13 },
	} {
		p := good
		change(&p)
		require.Error(t, p.Validate(), name)
		_, _, err := hdl.Build(resend.Def(p))
		require.Error(t, err, name)
	}
}
