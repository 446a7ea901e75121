package transmit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/transmit"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// Random requests, answers and faults on six queue pairs, in different states.
func TestAgainstReference(t *testing.T) {
	for _, width := range []int{64, 128, 256, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, transmit.Def(params(width)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				r := rand.New(rand.NewPCG(hdltest.Seed(t), 8))
				b := newBench(t, s, io)
				answers := 0
				for round := range 16 {
					if round == 2 {
						b.refs[2].State = format.QPSQD
					}
					var want expected
					var notifies []int
					for i := range 60 {
						if qp := r.IntN(3 * qps); qp < qps {
							b.cnp.Send(qp)
							if b.refs[qp].Notifies() {
								notifies = append(notifies, qp)
							}
						}
						j := randomJob(r, i)
						payload := make([]byte, j.PayloadLen)
						for k := range payload {
							payload[k] = byte(r.Uint32())
						}
						want.job(j, b.send(r, j, payload), payload)
						answers += b.given
					}
					b.run(6000)
					require.Equal(t, notifies, b.notified())
					b.compare(want)
					for range 4 {
						b.clear(r.IntN(qps))
					}
				}
				require.NotZero(t, answers)
				for _, cover := range []string{"resent", "resend_failed"} {
					require.NotZero(t, s.Covered(cover), cover)
				}
			}, linktest.Others(width)...)
		})
	}
}

// send gives a job away, with its payload, which may fail. It returns what becomes of it.
func (b *bench) send(r *rand.Rand, j linktest.TxJob, payload []byte) transmit.Outcome {
	if j.Kind == link.JobMark {
		b.job.Send(j)
		return transmit.Outcome{}
	}
	ref := transmit.Job{
		Kind: j.Kind, Length: j.PayloadLen, Inline: j.Inline, Failed: j.Failed, Status: j.Entry.Status, Vendor: j.Entry.Vendor,
	}
	packet := j.Kind == link.JobPacket || j.Kind == link.JobAnswer || j.Kind == link.JobResend
	if packet && !j.Inline && (j.PayloadLen > 0 || j.Probes) {
		if r.IntN(25) == 0 || j.Kind == link.JobResend && r.IntN(2) == 0 {
			ref.Fault = []format.VendorCode{format.VendorKeyRange, format.VendorKeyUnknown, format.VendorBusRead}[r.IntN(3)]
		}
		b.gathered.Send(int(ref.Fault))
	}
	switch {
	case j.PayloadLen == 0 || ref.Fault != 0:
	case j.Inline:
		hdltest.SendFrame(b.inline, payload)
	default:
		hdltest.SendFrame(b.payload, payload)
	}
	if j.Kind == link.JobAnswer {
		b.given++
	}
	b.job.Send(j)
	return b.refs[j.QP].Judge(ref)
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func randomJob(r *rand.Rand, i int) linktest.TxJob {
	j := linktest.TxJob{
		QP: r.IntN(qps), SE: r.IntN(2) == 0, AckReq: r.IntN(2) == 0,
		VA: r.Uint64(), RKey: r.Uint32(), DMALen: r.Uint32(), Imm: r.Uint32(), Swap: r.Uint64(), Compare: r.Uint64(), MSN: r.Uint32N(1 << 24),
		Entry: linktest.ReplayEntry{
			Kind: r.IntN(4), PSN: r.Uint32N(1 << 24), LastPSN: r.Uint32N(1 << 24), WQEIndex: uint16(i), Offset: r.Uint32(), First: true,
			Last: r.IntN(2) == 0, WC: format.WCOpcode(r.IntN(8)), WRID: r.Uint64(),
		},
	}
	switch r.IntN(10) {
	case 8:
		j.Kind = link.JobMark
		return j
	case 9: // sent again
		j.Kind, j.PayloadLen = link.JobResend, r.IntN(400)
		j.Opcode = one(r, format.OpSendMiddle, format.OpWriteFirst, format.OpWriteOnlyImm, format.OpReadRequest, format.OpCmpSwap)
		if j.Opcode == format.OpReadRequest || j.Opcode == format.OpCmpSwap {
			j.PayloadLen = 0
		}
	case 0: // a READ, of no bytes sometimes, or an atomic
		j.Kind, j.Opcode, j.Probes = link.JobPacket, one(r, format.OpReadRequest, format.OpCmpSwap, format.OpFetchAdd), r.IntN(4) > 0
	case 1:
		j.Kind, j.Opcode = link.JobAnswer, one(r, format.OpAtomicAck, format.OpReadResponseOnly)
		if j.Failed = r.IntN(8) == 0; j.Failed {
			j.Entry.Vendor = format.VendorBusWrite
		}
	case 2:
		j.Kind, j.Opcode = link.JobAnswer, one(r, format.OpReadResponseFirst, format.OpReadResponseMiddle, format.OpReadResponseLast, format.OpReadResponseOnly)
		j.PayloadLen = 1 + r.IntN(400)
	case 3:
		if r.IntN(4) == 0 {
			j.Kind = link.JobRecord
			if j.Entry.Kind != link.EntryLocal {
				j.Entry.Status, j.Entry.Vendor = format.StatusLocQPOp, format.VendorBadOpcode
			}
			return j
		}
		fallthrough
	default:
		j.Kind, j.PayloadLen, j.Inline = link.JobPacket, r.IntN(3)*r.IntN(200), r.IntN(4) == 0
		j.Opcode = one(r, format.OpSendFirst, format.OpSendMiddle, format.OpSendLastImm, format.OpSendOnly, format.OpWriteFirst,
			format.OpWriteOnly, format.OpWriteOnlyImm, format.OpWriteLastImm, format.OpSendLastInv, format.OpSendOnlyInv)
	}
	j.Entry.Length = j.PayloadLen
	return j
}
