package talk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/frames/talk"
)

const (
	requester = 0x11 // queue pair numbers
	responder = 0x22
	firstPSN  = 0xFFFFFE
)

// capture is a conversation that a test makes up.
type capture struct {
	t   *testing.T
	all []frames.Frame
}

// packet is what differs between packets of a test.
type packet struct {
	op     format.Opcode
	psn    int // behind firstPSN
	size   int
	ask    uint64 // AckReq
	va     uint64
	key    uint32
	dma    uint64
	aeth   uint64 // syndrome and MSN
	spoilt bool
}

func (c *capture) add(p packet) {
	d := format.TxDescriptor[uint64]{
		SrcMAC: 1, DstMAC: 2, SrcLo: 0x0A000001, DstLo: 0x0A000002, HopLimit: 64, SrcPort: 0xC001, PKey: format.PKeyDefault,
		Opcode: uint64(p.op), DestQP: responder, PSN: uint64(firstPSN+p.psn) & 0xFFFFFF, AckReq: p.ask, PadCnt: uint64(-p.size) & 3,
	}
	if p.op >= format.OpReadResponseFirst && p.op <= format.OpAtomicAck {
		d.SrcMAC, d.DstMAC, d.SrcLo, d.DstLo, d.DestQP, d.SrcPort = d.DstMAC, d.SrcMAC, d.DstLo, d.SrcLo, requester, 0xC002
	}
	info, _ := format.Lookup(p.op)
	if at, ok := info.ExtOffset(format.ExtRETH); ok {
		copy(d.Ext[at/4:], []uint64{p.va >> 32, p.va & 0xFFFFFFFF, uint64(p.key), p.dma})
	}
	if at, ok := info.ExtOffset(format.ExtAtomicETH); ok {
		copy(d.Ext[at/4:], []uint64{p.va >> 32, p.va & 0xFFFFFFFF, uint64(p.key)})
	}
	if at, ok := info.ExtOffset(format.ExtAETH); ok {
		d.Ext[at/4] = p.aeth
	}
	b, err := frames.Build(d, make([]byte, p.size))
	require.NoError(c.t, err)
	if p.spoilt {
		b[len(b)-1]++
	}
	c.all = append(c.all, frames.Frame{Number: len(c.all) + 1, Data: b, Length: len(b)})
}

// send is a SEND_ONLY that asks for an acknowledgement.
func send(psn, size int) packet {
	return packet{op: format.OpSendOnly, psn: psn, size: size, ask: 1}
}

// answer is an ACKNOWLEDGE.
func answer(psn int, syndrome, msn uint64) packet {
	return packet{op: format.OpAcknowledge, psn: psn, aeth: syndrome<<24 | msn}
}

func write(psn, size int, key uint32) packet {
	return packet{op: format.OpWriteOnly, psn: psn, size: size, ask: 1, key: key, va: 0x1000, dma: uint64(size)}
}

func piece(op format.Opcode, psn, size int) packet { return packet{op: op, psn: psn, size: size} }

// What the answers tell of each request.
func TestFates(t *testing.T) {
	const ack, rnr = format.SyndromeNoCredits, format.SyndromeRNR | 5
	for name, c := range map[string]struct {
		packets []packet
		fates   []string
	}{
		"all is well": {
			[]packet{send(0, 3), answer(0, ack, 1), send(1, 0), answer(1, ack, 2)},
			[]string{"done, 1 messages", "done, 2 messages"},
		},
		"again": {
			[]packet{send(0, 3), send(0, 3), answer(0, ack, 1)},
			[]string{"done, 1 messages", "duplicate"},
		},
		"lost": {
			[]packet{send(0, 3), send(1, 3), send(2, 3), answer(1, format.SyndromeNAK, 1), send(1, 3), send(2, 3), answer(2, ack, 3)},
			[]string{"done, 1 messages", "lost", "ahead", "done, 2 messages", "done, 3 messages"},
		},
		"lost, and what was behind it": {
			[]packet{send(0, 3), answer(0, ack, 1), send(2, 3), send(1, 3), answer(1, ack, 2)},
			[]string{"done, 1 messages", "lost", "done, 2 messages"},
		},
		"not ready": {
			[]packet{send(0, 3), answer(0, rnr, 0), send(0, 3), answer(0, ack, 1)},
			[]string{"refused: not ready, 0x25", "done, 1 messages"},
		},
		"a key": {
			[]packet{write(0, 8, 1), answer(0, ack, 1), write(1, 8, 2), answer(1, format.SyndromeNAKAccess, 1), write(2, 8, 1)},
			[]string{"done, 1 messages", "refused: bad key, 0x62", "ignored"},
		},
		"a right": {
			[]packet{write(0, 8, 1), answer(0, format.SyndromeNAKInv, 0)},
			[]string{"refused: no right, 0x61"},
		},
		"too long": {
			[]packet{piece(format.OpSendFirst, 0, 256), piece(format.OpSendLast, 1, 5), answer(1, format.SyndromeNAKInv, 0)},
			[]string{"done, 0 messages", "refused: too long, 0x61"},
		},
		"its own fault": {
			[]packet{send(0, 8), answer(0, format.SyndromeNAKOp, 0)},
			[]string{"refused: local fault, 0x63"},
		},
		"out of sequence": {
			[]packet{piece(format.OpSendFirst, 0, 256), write(1, 8, 1), answer(1, format.SyndromeNAKInv, 0)},
			[]string{"done, 0 messages", "refused: malformed, 0x61"},
		},
		"refused otherwise": {
			[]packet{piece(format.OpSendMiddle, 0, 256), answer(0, format.SyndromeNAKOp, 0)},
			[]string{"refused: malformed, 0x61 (lenient)"},
		},
		"taken, and should not be": {
			[]packet{piece(format.OpSendFirst, 0, 256), piece(format.OpSendLast, 1, 0), answer(1, ack, 1)},
			[]string{"done, 0 messages", "refused: malformed, 0x61 (lenient)"},
		},
		"a WRITE that is too short": {
			[]packet{{op: format.OpWriteFirst, size: 256, dma: 300}, piece(format.OpWriteLast, 1, 43), answer(1, ack, 1)},
			[]string{"done, 0 messages", "refused: malformed, 0x61 (lenient)"},
		},
		"a READ and an invalidation": {
			[]packet{
				send(0, 1), answer(0, ack, 1), {op: format.OpReadRequest, psn: 1, ask: 1, dma: 600}, piece(format.OpReadResponseFirst, 1, 256),
				piece(format.OpSendFirst, 4, 256), piece(format.OpSendLastInv, 5, 4), answer(5, ack, 3), send(6, 1), answer(6, ack, 4),
			},
			[]string{"done, 1 messages", "done, 2 messages", "done, 2 messages", "done, 3 messages", "done, 4 messages"},
		},
		"a READ again, and what is none of it": {
			[]packet{
				{op: format.OpReadRequest, psn: 0, va: 0x1000, key: 1, dma: 600}, piece(format.OpReadResponseFirst, 0, 256),
				{op: format.OpReadRequest, psn: 1, va: 0x1100, key: 1, dma: 344}, {op: format.OpReadRequest, psn: 1, va: 0x1100, key: 2, dma: 344},
				piece(format.OpReadResponseFirst, 1, 256), piece(format.OpReadResponseLast, 2, 88), send(3, 1), answer(3, ack, 2),
			},
			[]string{"done, 1 messages", "duplicate of 256 bytes", "duplicate", "done, 2 messages"},
		},
		"a READ without a right": {
			[]packet{{op: format.OpReadRequest, psn: 0, key: 1, dma: 6}, answer(0, format.SyndromeNAKInv, 0)},
			[]string{"refused: no right, 0x61"},
		},
		"an atomic that is not aligned": {
			[]packet{{op: format.OpFetchAdd, psn: 0, va: 4, key: 1}, answer(0, format.SyndromeNAKInv, 0)},
			[]string{"refused: malformed, 0x61"},
		},
		"an atomic again": {
			[]packet{{op: format.OpFetchAdd, psn: 0, va: 8, key: 1}, {op: format.OpFetchAdd, psn: 0, va: 8, key: 1}, piece(format.OpAtomicAck, 0, 0), send(1, 1), answer(1, ack, 2)},
			[]string{"done, 1 messages", "duplicate of 0 bytes", "done, 2 messages"},
		},
		"begins inside a message": {
			[]packet{piece(format.OpSendMiddle, 0, 256), piece(format.OpSendLast, 1, 3), answer(1, ack, 70), send(2, 3), answer(2, ack, 71)},
			[]string{"left out", "left out", "done, 1 messages"},
		},
		"damaged, and another transport": {
			[]packet{{op: format.OpSendOnly, size: 2, spoilt: true}, piece(0x20|format.OpSendOnly, 0, 2), send(0, 2), answer(0, ack, 1)},
			[]string{"ignored", "ignored", "done, 1 messages"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			made := &capture{t: t}
			for _, p := range c.packets {
				made.add(p)
			}
			all := talk.Learn(made.all)
			require.Len(t, all, 1)
			var got []string
			for _, r := range all[0].Requests() {
				got = append(got, fateOf(r))
			}
			require.Equal(t, c.fates, got)
		})
	}
}

func fateOf(r *talk.Request) string {
	text := r.Fate.String()
	switch r.Fate {
	case talk.Done:
		text += fmt.Sprintf(", %d messages", r.Completed)
	case talk.Duplicate:
		if r.Message != nil {
			text += fmt.Sprintf(" of %d bytes", r.Offset)
		}
	case talk.Refused:
		text += fmt.Sprintf(": %v, %#x", r.Cause, r.Syndrome)
	}
	if r.Lenient {
		text += " (lenient)"
	}
	return text
}

// What the queue pair of the responder has to be.
func TestLearn(t *testing.T) {
	made := &capture{t: t}
	made.add(packet{op: format.OpWriteFirst, psn: 0, size: 512, va: 1 << 40, key: 0x1234, dma: 1000})
	made.add(packet{op: format.OpWriteLastImm, psn: 1, size: 488, ask: 1})
	made.add(answer(1, format.SyndromeNoCredits, 8))
	made.add(send(2, 10))
	made.add(answer(2, format.SyndromeRNR|9, 8))
	all := talk.Learn(made.all)
	require.Len(t, all, 1)
	c := all[0]
	require.Equal(t, []any{uint32(responder), uint32(requester), 512, talk.PSN(firstPSN), 7, uint8(9), uint8(0)},
		[]any{c.QPN, c.Peer, c.PathMTU, c.FirstPSN, c.FirstMSN, c.MinRNR, c.NoAccess})
	require.EqualValues(t, 2, c.Path.SrcMAC, "what the responder sends")
	require.Equal(t, "10.0.0.2", c.Path.Src.String())
	require.EqualValues(t, 0xC002, c.Path.SrcPort)
	m := c.Requests()[1].Message
	require.Equal(t, []any{talk.Write, true, uint64(1 << 40), uint32(0x1234), 1000, 1000, true},
		[]any{m.Kind, m.HasImm, m.VA, m.RKey, m.Length, len(m.Payload), m.Ended})
	require.True(t, c.Playable())
	require.Empty(t, talk.Learn(made.all[:2]), "nobody answers")
}

// PSNs of 24 bits are in a circle.
func TestPSN(t *testing.T) {
	for _, c := range []struct {
		p, q   talk.PSN
		behind int
	}{{5, 3, 2}, {3, 5, -2}, {1, 0xFFFFFF, 2}, {0xFFFFFF, 1, -2}, {0x7FFFFF, 0, 1<<23 - 1}, {0x800000, 0, -1 << 23}, {0, 0, 0}} {
		require.Equal(t, c.behind, c.p.Behind(c.q), "%#x %#x", c.p, c.q)
	}
	require.Equal(t, talk.PSN(1), talk.PSN(0xFFFFFE).Plus(3))
}

// Frames that are no RoCEv2 packets, and a packet over IPv6 with a tag.
func TestParse(t *testing.T) {
	for _, b := range [][]byte{nil, make([]byte, 60), []byte("\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02\x08\x06arp")} {
		_, ok := talk.Parse(1, b)
		require.False(t, ok, "%x", b)
	}
	b, err := frames.Build(format.TxDescriptor[uint64]{
		SrcMAC: 0x0200000000AA, DstMAC: 0x0200000000BB, VLAN: 1, TCI: 0xB005, IPv6: 1, SrcHi: 0xFD << 56, SrcLo: 1, DstHi: 0xFD << 56, DstLo: 2,
		TrafficClass: 0x42, FlowLabel: 0x12345, HopLimit: 9, SrcPort: 0xC123, Opcode: uint64(format.OpSendOnlyImm), PSN: 7, DestQP: 3, PadCnt: 3,
		Ext: format.ExtWords[uint64]{0x01020304},
	}, []byte{9})
	require.NoError(t, err)
	p, ok := talk.Parse(4, b)
	require.True(t, ok && p.Good)
	require.Equal(t, "{2199023255722 2199023255739 true 45061 fd00::1 fd00::2 9 66 74565 49443}", fmt.Sprint(p.Path))
	require.Equal(t, [4]byte{1, 2, 3, 4}, p.Imm)
	require.Equal(t, []byte{9}, p.Payload)
}

// The captures of soft-RoCE: how many conversations, and what became of their requests.
func TestCaptures(t *testing.T) {
	for name, want := range map[string]string{
		"send_all.pcap":         "map[done:32 refused: bad key, 0x62:1]",
		"write_all.pcap":        "map[done:36]",
		"read_all.pcap":         "map[done:18]",
		"atomics.pcap":          "map[done:5 duplicate of 0 bytes:1]",
		"mtus.pcap":             "map[done:16]",
		"peer_rnr.pcap":         "map[done:1 refused: not ready, 0x2a:3 refused: not ready, 0x2e:3]",
		"peer_seqnak_drop.pcap": "map[ahead:6 done:10 lost:2]",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("..", "..", "..", "..", "shared", "rxe", name)
			if _, err := os.Stat(path); err != nil {
				t.Skip("no capture ../shared/rxe/" + name)
			}
			all, err := frames.Load(path)
			require.NoError(t, err)
			count := map[string]int{}
			for _, c := range talk.Learn(all) {
				for _, r := range c.Requests() {
					if r.Fate == talk.Done {
						count["done"]++
					} else {
						count[fateOf(r)]++
					}
				}
			}
			require.Equal(t, want, fmt.Sprint(count))
		})
	}
}
