package golden_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	blockcommand "gornic/blocks/command"
	"gornic/format"
	"gornic/tb/golden"
)

// Random commands, good ones and bad ones, have the outcome that the core's block has
// by its own reference.
func TestCommandsAsTheBlock(t *testing.T) {
	config := golden.DefaultConfig()
	config.LogQPs, config.LogCQs, config.LogEQs, config.Pages, config.PathMTU = 2, 2, 2, 4, 2048
	r := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		s := newStation(t, 1, config)
		ref := blockcommand.Reference{QPBits: 2, CQBits: 2, EQBits: 2, ReadBits: 4, MTU: 2048, KeyLog: int(s.nic.ReadRegister(format.RegKeyLogSize))}
		ref.Run(format.CmdCreateEQ, mailboxOf(t, format.CreateEQ[uint64]{LogSize: 4, Base: 0x1000})) // the station has it
		g := commands{r: r, ref: &ref}
		for range 300 {
			code, in := g.next(t)
			for i := 0; i < len(in); i += 4 {
				s.nic.WriteRegister(format.RegMailbox+uint32(i), uint32(in[i])|uint32(in[i+1])<<8|uint32(in[i+2])<<16|uint32(in[i+3])<<24)
			}
			s.nic.WriteRegister(format.RegMailboxGo, uint32(code))
			got := format.CommandStatus(s.nic.ReadRegister(format.RegMailboxDone))
			require.Equal(t, ref.Run(code, in).String(), got.String(), "command %d: %x", code, in)
		}
	}
}

// mailboxOf is a command's struct as the mailbox has it.
func mailboxOf[T any](t *testing.T, v T) []byte {
	b, err := format.AppendHost(nil, v)
	require.NoError(t, err)
	return append(b, make([]byte, format.MailboxBytes-len(b))...)
}

// commands makes random ones.
type commands struct {
	r    *rand.Rand
	ref  *blockcommand.Reference
	keys uint64 // made so far: each has a place of its own
}

func (g *commands) pick(all ...uint64) uint64 { return all[g.r.IntN(len(all))] }

// odd is now and then another value.
func (g *commands) odd(good uint64, bad ...uint64) uint64 {
	if g.r.IntN(12) == 0 {
		return g.pick(bad...)
	}
	return good
}

func (g *commands) next(t *testing.T) (format.CommandCode, []byte) {
	r := g.r
	qpn := r.Uint64N(4) | g.pick(0, 0x100)
	if q := g.ref.QP(r.Uint64N(4)); q != nil && r.IntN(4) > 0 {
		qpn = q.Create.QPN
	}
	switch code := format.CommandCode(g.pick(0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 7, 8, 9, 12, 13, 99)); code {
	case format.CmdCreateEQ:
		return code, mailboxOf(t, format.CreateEQ[uint64]{EQN: r.Uint64N(5), LogSize: g.odd(4, 0, 16), Vector: g.odd(3, 4, 31, 255), Base: g.odd(0x1000, 0x1080)})
	case format.CmdCreateCQ:
		return code, mailboxOf(t, format.CreateCQ[uint64]{CQN: r.Uint64N(5), EQN: r.Uint64N(2), LogSize: g.odd(5, 0, 16, 255), Page: g.odd(3, 4, 1<<15), Base: g.odd(0x4000, 0x4200)})
	case format.CmdCreateQP:
		return code, mailboxOf(t, format.CreateQP[uint64]{
			QPN: qpn, SigAll: g.odd(r.Uint64N(2), 2), SendCQ: r.Uint64N(5), RecvCQ: r.Uint64N(4), Page: g.odd(2, 4), SQLogSize: 4, RQLogSize: 3,
			SQLogStride: g.odd(1, 2), RQLogStride: g.odd(0, 15), SQBase: g.odd(0x8000, 0x8001), RQBase: g.odd(0x9000, 0x9800),
		})
	case format.CmdModifyQP:
		return code, mailboxOf(t, g.modify(qpn))
	case format.CmdWriteKey:
		g.keys++
		return code, mailboxOf(t, format.KeyEntry[uint64]{
			Key: g.odd(g.keys<<8, 1<<31), State: g.odd(2, 0, 3, 15), Type: g.odd(r.Uint64N(4), 4), VA: r.Uint64(), Length: g.odd(r.Uint64N(1<<20), 0, 1<<63, ^uint64(0)),
			Translation: g.odd(8*r.Uint64N(1<<50), 1, ^uint64(7)), Rights: g.odd(7, 2, 8, 64), PageShift: g.odd(g.pick(0, 12, 21), 11, 22, 255), Windows: g.odd(0, 1),
		})
	default:
		return code, mailboxOf(t, format.QueueRef[uint64]{Number: g.pick(r.Uint64N(5), qpn)})
	}
}

func (g *commands) modify(qpn uint64) format.ModifyQP[uint64] {
	r := g.r
	c := format.ModifyQP[uint64]{
		QPN: qpn, State: r.Uint64N(9), DestQPN: g.odd(2+r.Uint64N(100), 0, 1), PathMTU: g.odd(1+r.Uint64N(4), 0, 5, 7, 255), RQPSN: r.Uint64N(1 << 24),
		MinRNR: g.odd(12, 32), SQPSN: r.Uint64N(1 << 24), Timeout: g.odd(14, 32), Access: g.odd(r.Uint64N(16), 16, 32, 64), RetryCnt: g.odd(7, 8),
		RNRRetry: g.odd(7, 8), MaxRD: g.odd(r.Uint64N(17), 17, 255), MaxDestRD: g.odd(r.Uint64N(17), 17, 128), Notify: g.odd(1, 2), PKeyIndex: g.odd(0, 1), Port: g.odd(1, 0, 2),
		AV: format.AV[uint64]{IPv6: r.Uint64N(2), SrcLo: g.odd(r.Uint64N(1<<32), 1<<32), DstLo: 5, DstHi: g.odd(0, 1)},
	}
	c.Mask = format.AttrState
	all := format.QPTransitions()
	row := all[r.IntN(len(all))]
	for q := g.ref.QP(qpn & 3); q != nil && row.From != q.State && r.IntN(10) > 0; {
		row = all[r.IntN(len(all))]
	}
	if r.IntN(8) > 0 {
		c.State = uint64(row.To)
		c.Mask |= uint64(row.Required) | uint64(row.Optional)&r.Uint64()
	}
	if r.IntN(15) == 0 {
		c.Mask ^= 1 << r.IntN(32)
	}
	return c
}
