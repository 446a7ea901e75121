package hostnet_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/fpga/blocks/hostnet"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	pc "gornic/verbs/hostnet"
)

// file has no registers.
type file struct{}

func (file) Read(uint32) (uint32, bool) { return 0, false }
func (file) Write(uint32, uint32) bool  { return false }

// The block sends what the reference does, to the byte, whatever the strobes are: bursts one after another.
func TestReference(t *testing.T) {
	design, io := hdltest.Build(t, hostnet.Def(small()))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 10)
		b.fill()
		bus := b.open(pc.Options{})
		ref := hostnet.NewBoard(file{}, small().Window, small().Retries)
		require.NotNil(t, ref.Take(lastHello(b)))
		b.frameLog = nil
		for range 40 {
			addr, beats, id := writeArea+8*uint64(b.r.IntN(200)), 1+b.r.IntN(256), uint64(b.r.IntN(16))
			if b.r.IntN(3) == 0 {
				b.read(addr, beats, id)
				for at := 0; at < beats; at += 128 {
					ref.Ask(hostnet.Request{Op: format.HostnetRead, Addr: addr + uint64(8*at), Words: min(128, beats-at)})
				}
			} else {
				b.referenceWrite(ref, addr, beats, id)
			}
			b.run(bus, 100_000, b.idle)
			var want [][]byte
			for d := ref.Send(); d != nil; d = ref.Send() {
				want = append(want, d)
				h, err := format.Decode[format.HostnetHeader[uint64]](d)
				require.NoError(t, err)
				ref.Take(answerTo(t, h))
			}
			require.Equal(t, want, b.frameLog)
			b.frameLog = nil
		}
	})
}

// referenceWrite asks both for a write, of random strobes.
func (b *bench) referenceWrite(ref *hostnet.Board, addr uint64, beats int, id uint64) {
	often := 1 + b.r.IntN(50)
	strobes := make([]uint64, beats)
	for i := range strobes {
		strobes[i] = 0xFF
		if b.r.IntN(often) == 0 {
			strobes[i] = uint64(b.r.IntN(256))
		}
	}
	first := len(b.words)
	b.write(addr, beats, id, func(i int) uint64 { return strobes[i] })
	words := b.words[first:]
	for at := 0; at < beats; {
		n := 1
		for at+n < beats && n < 128 && (n == 1 || strobes[at+n-1] == 0xFF) {
			n++
		}
		r := hostnet.Request{Op: format.HostnetWrite, Addr: addr + uint64(8*at), First: byte(strobes[at])}
		if n > 1 {
			r.Last = byte(strobes[at+n-1])
		}
		for _, w := range words[at : at+n] {
			r.Data = append(r.Data, w...)
		}
		ref.Ask(r)
		at += n
	}
}

// answerTo is what a PC answers: all went well.
func answerTo(t *testing.T, h format.HostnetHeader[uint64]) []byte {
	words := h.Words
	if h.Op != uint64(format.HostnetRead) {
		words = 0
	}
	d, err := format.Append(nil, format.HostnetHeader[uint64]{Magic: h.Magic, Session: h.Session, Seq: h.Seq, Answer: 1, Op: h.Op, Words: words})
	require.NoError(t, err)
	return append(d, make([]byte, 8*words)...)
}

func TestValidate(t *testing.T) {
	require.NoError(t, hostnet.DefaultParams().Validate())
	for name, change := range map[string]func(*hostnet.Params){
		"window of 2":    func(p *hostnet.Params) { p.Window = 2 },
		"window of 12":   func(p *hostnet.Params) { p.Window = 12 },
		"store of 128":   func(p *hostnet.Params) { p.Store = 128 },
		"receive of 300": func(p *hostnet.Params) { p.Receive = 300 },
		"timeout of 1":   func(p *hostnet.Params) { p.Timeout = 1 },
		"retries of 0":   func(p *hostnet.Params) { p.Retries = 0 },
	} {
		p := hostnet.DefaultParams()
		change(&p)
		require.ErrorContains(t, p.Validate(), name)
	}
}
