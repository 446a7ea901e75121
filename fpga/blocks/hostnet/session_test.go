package hostnet_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/fpga/blocks/hostnet"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	pc "gornic/verbs/hostnet"
)

// each runs a test with the block out of reset, in both simulators.
func each(t *testing.T, p hostnet.Params, test func(*testing.T, *bench)) {
	design, io := hdltest.Build(t, hostnet.Def(p))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 0)
		b.fill()
		test(t, b)
	}, verilator.Simulator)
}

// steps goes on for so many cycles, without a PC.
func (b *bench) steps(n int) {
	for range n {
		b.step()
	}
}

// failing sends a burst each way, whose answers are errors whatever the memory is.
func (b *bench) failing(beats int) {
	b.ar.Send(addressOf(readArea, 3, beats))
	for i := range beats {
		b.wantR = append(b.wantR, beat{Data: make([]byte, 8), ID: 3, Resp: 2, Last: i == beats-1})
	}
	b.aw.Send(addressOf(writeArea, 4, beats))
	for i := range beats {
		b.w.Send(struct {
			Data []byte
			Strb uint64
			Last bool
		}{make([]byte, 8), 0xFF, i == beats-1})
	}
	b.wantB = append(b.wantB, end{4, 2})
}

// Without a PC a master gets errors, as fast as it can ask.
func TestNobodyThere(t *testing.T) {
	each(t, small(), func(t *testing.T, b *bench) {
		for range 20 {
			b.failing(200)
		}
		b.steps(20 * 2 * (200 + 20))
		require.True(t, b.idle())
		require.Empty(t, b.frameLog)
	})
}

// A PC that is silent is given up, and what it left behind fails. One that lives after all
// learns it, and may begin again.
func TestPCDies(t *testing.T) {
	p := small()
	p.Timeout, p.Retries = 1000, 3
	each(t, p, func(t *testing.T, b *bench) {
		bus := b.open(pc.Options{Session: 77})
		require.EqualValues(t, 77, b.s.Get(b.io.Session))
		b.toPC.dead = true
		for range 3 {
			b.failing(100)
		}
		b.steps(p.Retries*p.Timeout - 100)
		require.False(t, b.idle())
		require.EqualValues(t, 1, b.s.Get(b.io.Open))
		b.steps(p.Timeout + 4*(100+40)*6 + 2000)
		require.True(t, b.idle())
		require.EqualValues(t, 0, b.s.Get(b.io.Open))
		require.Equal(t, []int{p.Retries, 1}, []int{b.resent, b.lost})

		b.toPC = wire{r: b.r}
		_, err := bus.ReadRegister(ctx, 0)
		require.ErrorIs(t, err, pc.ErrNoSession)
		require.ErrorIs(t, bus.WriteRegister(ctx, 0, 1), pc.ErrNoSession)

		again := b.open(pc.Options{Session: 77}) // not newer: the board says so
		require.EqualValues(t, 78, again.Session())
		b.random(10)
		b.run(again, 200_000, b.idle)
		b.compare()
	})
}

// A program that takes the board over finds nothing of the one before, which learns it.
func TestTakenOver(t *testing.T) {
	each(t, small(), func(t *testing.T, b *bench) {
		first := b.open(pc.Options{Session: 100})
		b.random(10)
		b.run(first, 200_000, b.idle)
		b.toPC.dead = true
		for range 3 {
			b.failing(50)
		}
		b.steps(500)
		require.False(t, b.idle())
		hello := lastHello(b)

		b.toPC = wire{r: b.r}
		second := b.open(pc.Options{Session: 101})
		require.True(t, b.idle(), "what the first had to answer has failed")
		require.NoError(t, second.WriteRegister(ctx, 8, 1))
		b.random(10)
		b.run(second, 200_000, b.idle)
		b.compare()

		b.toBoard.send(b.now, hello) // late
		b.steps(300)
		require.EqualValues(t, 101, b.s.Get(b.io.Session))
		require.NoError(t, second.WriteRegister(ctx, 8, 2))
		_, err := first.ReadRegister(ctx, 8)
		require.ErrorIs(t, err, pc.ErrNoSession)
		v, err := second.ReadRegister(ctx, 8)
		require.NoError(t, err)
		require.EqualValues(t, 2, v)
		require.Zero(t, b.lost)
	})
}

// lastHello is the hello that began the session of a bench.
func lastHello(b *bench) []byte {
	d, err := format.Append(nil, format.HostnetHeader[uint64]{
		Magic: format.HostnetMagic, Session: b.s.Get(b.io.Session), Op: uint64(format.HostnetHello),
	})
	require.NoError(b.t, err)
	return d
}

// A board that is reset has no session.
func TestReset(t *testing.T) {
	each(t, small(), func(t *testing.T, b *bench) {
		bus := b.open(pc.Options{})
		b.toPC.dead = true
		b.failing(100)
		b.steps(300)
		require.Zero(t, b.ar.Pending()+b.aw.Pending()+b.w.Pending())
		require.False(t, b.idle())
		b.s.Reset(3)
		b.toPC.dead = false
		b.out.Take()
		b.frames = hdltest.NewFrames(b.out)
		b.wantR, b.wantB = nil, nil
		_, err := bus.ReadRegister(ctx, 0)
		require.ErrorIs(t, err, pc.ErrNoSession)
	})
}

// An access that is repeated or late is not done again; one that nothing answers is a fault.
func TestAccesses(t *testing.T) {
	each(t, small(), func(t *testing.T, b *bench) {
		bus := b.open(pc.Options{})
		access := func(seq, value uint64) []byte {
			d, err := format.Append(nil, format.HostnetHeader[uint64]{
				Magic: format.HostnetMagic, Session: 1, Seq: seq, Op: uint64(format.HostnetWriteRegister), Addr: 16<<32 | value,
			})
			require.NoError(t, err)
			return d
		}
		require.NoError(t, bus.WriteRegister(ctx, 16, 5))
		require.NoError(t, bus.WriteRegister(ctx, 16, 6))
		answers := len(b.frameLog)
		for _, seq := range []uint64{1, 0, 4, 2, 1 << 31} {
			b.toBoard.send(b.now, access(seq, 99))
			b.steps(200)
		}
		require.Equal(t, 2, b.accesses)
		require.EqualValues(t, 6, b.registers[16])
		require.Len(t, b.frameLog[answers:], 1, "the last one is answered again")
		require.ErrorIs(t, bus.WriteRegister(ctx, 0x2000, 1), pc.ErrFault)
		v, err := bus.ReadRegister(ctx, 16)
		require.NoError(t, err)
		require.EqualValues(t, 6, v)
	})
}

// An interrupt comes behind what was written before it; once for each time that it rises, and with a
// session that begins while it stands.
func TestInterrupt(t *testing.T) {
	each(t, small(), func(t *testing.T, b *bench) {
		ops := func() (all []format.HostnetOp) {
			for _, d := range b.frameLog {
				h, err := format.Decode[format.HostnetHeader[uint64]](d)
				require.NoError(t, err)
				if h.Answer == 0 {
					all = append(all, format.HostnetOp(h.Op))
				}
			}
			b.frameLog = nil
			return all
		}
		b.s.Set(b.io.IRQ, 1)
		bus := b.open(pc.Options{})
		b.run(bus, 10_000, func() bool { return len(b.frameLog) > 1 })
		require.Equal(t, []format.HostnetOp{format.HostnetInterrupt}, ops())
		b.s.Set(b.io.IRQ, 0)
		b.steps(10)
		b.write(writeArea, 256, 0, func(int) uint64 { return 0xFF })
		b.steps(270)
		b.s.Set(b.io.IRQ, 1)
		b.run(bus, 10_000, b.idle)
		for range 100 {
			require.NoError(t, bus.Wait(ctx))
		}
		require.Equal(t, []format.HostnetOp{format.HostnetWrite, format.HostnetWrite, format.HostnetInterrupt}, ops())
	})
}

// A write whose words do not come keeps no read waiting.
func TestWordsMissing(t *testing.T) {
	each(t, small(), func(t *testing.T, b *bench) {
		bus := b.open(pc.Options{})
		b.aw.Send(addressOf(writeArea, 1, 4))
		b.steps(20)
		for range 20 {
			b.read(readArea, 256, 2)
		}
		b.run(bus, 50_000, func() bool { return len(b.wantR) == 0 })
	})
}

// Programs come and go at any time, and the board gives some of them up: each burst is answered once, and when it ends well, with the
// right data. The last program finds everything in order.
func TestSessions(t *testing.T) {
	p := small()
	p.Timeout, p.Retries = 500, 4
	design, io := hdltest.Build(t, hostnet.Def(p))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 10)
		b.fill()
		b.lenient = true
		for range 30 {
			b.toPC.dead, b.toBoard.dead = false, false
			b.toPC.jitter, b.toBoard.jitter = b.r.IntN(100), b.r.IntN(100)
			bus := b.open(pc.Options{})
			b.random(b.r.IntN(8))
			for range b.r.IntN(6) {
				require.NoError(t, bus.Wait(ctx))
			}
			b.toPC.dead, b.toBoard.dead = b.r.IntN(3) > 0, b.r.IntN(3) > 0
			b.steps(b.r.IntN(6000))
		}
		b.toPC.dead, b.toBoard.dead = false, false
		bus := b.open(pc.Options{})
		b.run(bus, 100_000, b.idle)
		b.lenient = false
		b.mem.Poke(writeArea, b.golden.Peek(writeArea, areaBytes)) // some was not written
		b.random(20)
		b.run(bus, 100_000, b.idle)
		b.compare()
		t.Logf("%d cycles, session %d, %d times back, %d programs given up", b.now, bus.Session(), b.resent, b.lost)
	}, verilator.Simulator)
}
