package golden_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden"
	"gornic/tb/host"
)

// chaos does to a NIC what no software and no peer should.
type chaos struct {
	r *rand.Rand
	q *target
	g *frames.Generator
	f uint32 // a key for fast registration
	w uint32 // a window
}

// acts are what chaos chooses from.
var acts = []func(*chaos){
	(*chaos).garbageFrame, (*chaos).packet, (*chaos).packet, (*chaos).packet, (*chaos).packet, (*chaos).garbageWQE, (*chaos).goodSend,
	(*chaos).goodRead, (*chaos).keyWork, (*chaos).receive, (*chaos).doorbell, (*chaos).answer, (*chaos).tick, (*chaos).command, (*chaos).busFault, (*chaos).register,
}

func (c *chaos) garbageFrame() { c.q.s.nic.Receive(c.g.Next().Data) }

// packet is one that is almost right: for the QP, with a PSN near the expected.
func (c *chaos) packet() {
	psn := c.q.query().ExpPSN + uint64(c.r.IntN(3)) - uint64(c.r.IntN(2))
	p := packetSpec{
		op: format.Opcode(c.r.IntN(0x20)), psn: (psn - c.q.c.psn) & 0xFFFFFF, size: []int{0, 1, 8, 256, 255, 300}[c.r.IntN(6)], a: c.r.Uint64N(2),
		va: c.q.va + c.r.Uint64N(bufSize), key: c.q.key ^ uint32(c.r.IntN(8)/7), dma: c.r.Uint64N(700), pad: c.r.Uint64N(8) / 7,
		inv: []uint32{c.f, c.w, c.q.key}[c.r.IntN(3)], swap: c.r.Uint64(),
	}
	c.q.s.nic.Receive(c.q.frame(p))
}

func (c *chaos) answer() {
	status := c.q.query()
	psn := status.OldestPSN + uint64(c.r.IntN(4)) - c.q.c.psn
	p := packetSpec{op: format.OpAcknowledge, psn: psn & 0xFFFFFF, aeth: c.r.Uint64() & 0xFFFFFFFF}
	if c.r.IntN(2) == 0 {
		p.op, p.aeth = format.OpReadResponseFirst+format.Opcode(c.r.IntN(6)), 0x1F<<24
		p.size = []int{0, 1, 256, 256, 88}[c.r.IntN(5)]
	}
	c.q.s.nic.Receive(c.q.frame(p))
}

func (c *chaos) goodRead() {
	wr := sendWR{op: []format.WROpcode{format.WRRead, format.WRCompSwap, format.WRFetchAdd}[c.r.IntN(3)], flags: c.r.Uint64() & 3}
	wr.list = []format.SGE[uint64]{c.q.buf.part(0, 8)}
	if wr.op == format.WRRead {
		wr.list[0].Length = c.r.Uint64N(bufSize)
	}
	c.q.send(wr)
}

// keyWork is a work request on a key, of memory that the host has.
func (c *chaos) keyWork() {
	key := []uint32{c.f, c.w}[c.r.IntN(2)] ^ uint32(c.r.IntN(8)/7)
	mine := region{addr: c.q.va, va: c.q.va, size: bufSize, key: c.q.key}
	c.q.send([]sendWR{
		localInv(1, key), regWR(1, key, mine), bindWR(1, key, mine, c.r.Uint64N(bufSize), c.r.Uint64N(100)), {op: format.WRSendInv, imm: key},
	}[c.r.IntN(4)])
}

func (c *chaos) garbageWQE() {
	b := make([]byte, 64)
	for i := range b {
		b[i] = byte(c.r.Uint32())
	}
	if c.r.IntN(2) == 0 {
		b[0], b[2] = byte(c.r.IntN(10)), byte(c.r.IntN(3)) // an operation that there is
	}
	c.q.put(c.q.sq, c.q.posted, b)
	c.q.posted++
	c.q.send()
}

func (c *chaos) goodSend() {
	c.q.send(sendWR{op: format.WROpcode(c.r.IntN(4)), list: []format.SGE[uint64]{c.q.buf.part(0, c.r.Uint64N(bufSize))}})
}

func (c *chaos) receive() { c.q.qp.receive(1, c.q.buf.part(0, c.r.Uint64N(bufSize+10))) }

func (c *chaos) doorbell() {
	kind := uint32(c.r.IntN(7) * 4)
	c.q.s.doorbell(uint32(c.r.IntN(5)), kind, uint16(c.r.Uint32()), []uint64{c.q.number, c.q.sendCQ.number, c.r.Uint64()}[c.r.IntN(3)])
}

func (c *chaos) tick() { c.q.s.nic.Tick(time.Duration(c.r.IntN(1e6))) }

// command is any, on a mailbox of noise or what was there; not one that makes a
// key, which might name any memory.
func (c *chaos) command() {
	code := format.CommandCode(c.r.IntN(13))
	if code == format.CmdWriteKey {
		return
	}
	for i := range uint32(format.MailboxBytes / 4) {
		if c.r.IntN(4) == 0 {
			c.q.s.nic.WriteRegister(format.RegMailbox+4*i, c.r.Uint32())
		}
	}
	if c.r.IntN(2) == 0 {
		c.q.s.nic.WriteRegister(format.RegMailbox, uint32(c.q.number)|uint32(c.r.IntN(8))<<24)
		c.q.s.nic.WriteRegister(format.RegMailbox+4, format.AttrState)
	}
	c.q.s.nic.WriteRegister(format.RegMailboxGo, uint32(code))
}

func (c *chaos) busFault() {
	addr := []uint64{c.q.sq, c.q.rq, c.q.buf.addr, c.q.va, c.q.sendCQ.base}[c.r.IntN(5)]
	f := c.q.s.mem.InjectFault(addr+c.r.Uint64N(256), 1, host.Reads|host.Writes)
	c.packet()
	c.goodSend()
	c.drain()
	f.Remove()
}

func (c *chaos) register() {
	if c.r.IntN(8) == 0 {
		c.q.s.nic.WriteRegister(format.RegIRQPending, c.r.Uint32())
	}
	c.q.s.nic.ReadRegister(c.r.Uint32() & 0x1FFF)
}

// drain takes what the NIC sends, which has an end.
func (c *chaos) drain() {
	c.q.s.t.Helper()
	for range 10000 {
		frame, ok := c.q.s.nic.Send()
		if !ok {
			return
		}
		require.Equal(c.q.s.t, format.ReasonOK, golden.Receive(frame, false).Reason)
	}
	require.Fail(c.q.s.t, "the NIC sends without end")
}

// Whatever comes, in whatever order: no panic, no end of the NIC's work that does
// not come, no byte outside of its memory, and a new QP works.
func TestChaos(t *testing.T) {
	for seed := range uint64(300) {
		q, _ := newTarget(t, qpConfig{retry: 3, rnrRetry: 3, timeout: 4})
		c := &chaos{r: rand.New(rand.NewPCG(seed, 5)), q: q, g: frames.NewGenerator(seed), f: q.s.fastRegion(), w: q.s.window(format.KeyWindow2)}
		for range 60 {
			acts[c.r.IntN(len(acts))](c)
			if c.r.IntN(3) == 0 {
				c.drain()
			}
			if command(q.s, format.CmdQueryQP, format.QueueRef[uint64]{Number: q.number}) != format.CmdOK {
				break // it was destroyed
			}
		}
		c.drain()
		require.NoError(t, q.s.mem.CheckGuards(), "seed %d", seed)

		q.s.nic.WriteRegister(format.RegControl, format.ControlEnable)
		q.s.cqs, q.s.qps = 40, 40
		fresh := &target{qp: q.s.newQP(qpConfig{psn: startPSN, sigAll: 1})}
		fresh.connect(peerQPN, 1, peerIP())
		fresh.receive(5)
		require.Equal(t, []string{"ACKNOWLEDGE 0x64 0x1f msn 1"}, fresh.inject(packetSpec{op: format.OpSendOnly, a: 1}), "seed %d", seed)
		fresh.completions(1)
		require.Len(t, q.s.poll(fresh.sendCQ), 1, "seed %d", seed)
	}
}

// Noise as register writes.
func FuzzRegisters(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		mem, err := host.New(host.Options{})
		require.NoError(t, err)
		nic := golden.NewNIC(golden.DefaultConfig(), deviceView{mem})
		for ; len(b) >= 8; b = b[8:] {
			nic.WriteRegister(binary.LittleEndian.Uint32(b)&0x1FFFF, binary.LittleEndian.Uint32(b[4:]))
		}
		nic.WriteRegister(format.RegControl, format.ControlEnable)
		for range 1000 {
			if _, ok := nic.Send(); !ok {
				return
			}
		}
	})
}
