package wire

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden"
)

// Values that another implementation of Hash has to give.
func TestHash(t *testing.T) {
	require.Equal(t, uint64(0), Hash())
	require.Equal(t, uint64(0xE220A8397B1DCDAF), Hash(0), "splitmix64 of seed 0")
	require.NotEqual(t, Hash(1, 2), Hash(2, 1))
	require.NotEqual(t, Hash(1), Hash(1, 0))
	p := Packet{QP: 2, PSN: 3, Attempt: 4}
	require.Equal(t, Hash(1, 5, 2, 3, 0, 4), Faults{Seed: 1}.hash(5, p))
	p.Response = true
	require.Equal(t, Hash(1, 5, 2, 3, 1, 4), Faults{Seed: 1}.hash(5, p))
}

// A rate is a share of packets, alike in each coordinate; the same packet always
// meets the same fate, and other seeds other ones.
func TestRate(t *testing.T) {
	const n = 100000
	rule := Rule{Action: Drop, Rate: 20000}
	for name, packet := range map[string]func(i int) Packet{
		"by PSN":     func(i int) Packet { return Packet{QP: 5, PSN: uint32(i)} },
		"by QP":      func(i int) Packet { return Packet{QP: uint32(i), PSN: 1000} },
		"by attempt": func(i int) Packet { return Packet{QP: 5, PSN: 1000, Attempt: i} },
	} {
		hits := map[uint64]int{}
		same := 0
		for i := range n {
			p := packet(i)
			first := Faults{Seed: 1, Rules: []Rule{rule}}.Decide(p)
			require.Equal(t, first, Faults{Seed: 1, Rules: []Rule{rule}}.Decide(p))
			second := Faults{Seed: 2, Rules: []Rule{rule}}.Decide(p)
			if first == Drop {
				hits[1]++
				if second == Drop {
					same++
				}
			}
		}
		require.InDelta(t, n/50, hits[1], 200, name)
		require.Less(t, same, 100, "%s: seeds 1 and 2", name)
	}
	all := Faults{Rules: []Rule{{Action: Drop, Rate: Million}}}
	none := Faults{Rules: []Rule{{Action: Drop}}}
	for i := range 1000 {
		require.Equal(t, Drop, all.Decide(Packet{PSN: uint32(i)}))
		require.Equal(t, Pass, none.Decide(Packet{PSN: uint32(i)}))
	}
}

func TestRules(t *testing.T) {
	request, response := Packet{QP: 5, PSN: 9}, Packet{QP: 5, PSN: 9, Response: true}
	again := Packet{QP: 5, PSN: 9, Attempt: 2}
	for _, c := range []struct {
		name  string
		rules []Rule
		p     Packet
		want  Action
	}{
		{"no rule", nil, request, Pass},
		{"requests", []Rule{{Action: Drop, Class: Requests, Rate: Million}}, request, Drop},
		{"requests alone", []Rule{{Action: Drop, Class: Requests, Rate: Million}}, response, Pass},
		{"responses", []Rule{{Action: Corrupt, Class: Responses, Rate: Million}}, response, Corrupt},
		{"responses alone", []Rule{{Action: Corrupt, Class: Responses, Rate: Million}}, request, Pass},
		{"within the attempts", []Rule{{Action: Drop, Rate: Million, Attempts: 3}}, again, Drop},
		{"after the attempts", []Rule{{Action: Drop, Rate: Million, Attempts: 2}}, again, Pass},
		{"the one", []Rule{{Action: Drop, Rate: Million, Only: &Packet{QP: 5, PSN: 9}}}, again, Drop},
		{"another PSN", []Rule{{Action: Drop, Rate: Million, Only: &Packet{QP: 5, PSN: 8}}}, request, Pass},
		{"another QP", []Rule{{Action: Drop, Rate: Million, Only: &Packet{QP: 4, PSN: 9}}}, request, Pass},
		{"the first that hits", []Rule{{Action: Drop, Class: Responses, Rate: Million}, {Action: Duplicate, Rate: Million}, {Action: Corrupt, Rate: Million}}, request, Duplicate},
	} {
		require.Equal(t, c.want, Faults{Rules: c.rules}.Decide(c.p), c.name)
	}
}

func TestActions(t *testing.T) {
	for a := Pass; a <= Mark; a++ {
		got, ok := ParseAction(a.String())
		require.True(t, ok)
		require.Equal(t, a, got)
	}
	_, ok := ParseAction("reorder")
	require.False(t, ok)
	require.Equal(t, "action 8", Action(8).String())
}

// A corrupted packet differs in one bit, and the receive side sees a wrong ICRC
// whatever the frame.
func TestCorrupt(t *testing.T) {
	g := frames.NewGenerator(4)
	for i := range uint64(2000) {
		frame := g.Good().Data
		p, ok := parse(frame)
		if !ok {
			continue // a CNP
		}
		before := bytes.Clone(frame)
		got := Faults{Seed: i}.corrupt(p, frame)
		require.Equal(t, before, frame)
		require.Equal(t, 1, differentBits(frame, got))
		if golden.Receive(frame, false).Reason == format.ReasonOK {
			require.Equal(t, format.ReasonICRC, golden.Receive(got, false).Reason)
		}
	}
}

func differentBits(a, b []byte) int {
	n := 0
	for i := range a {
		for x := a[i] ^ b[i]; x != 0; x &= x - 1 {
			n++
		}
	}
	return n
}

// What is a packet to Faults is what the receive side takes for one, and it reads
// the same numbers.
func TestParse(t *testing.T) {
	g := frames.NewGenerator(5)
	packets := 0
	for range 3000 {
		frame := g.Next().Data
		p, ok := parse(frame)
		r := golden.Receive(frame, false)
		d := r.Descriptor
		if r.Reason != format.ReasonOK || d.CNP != 0 {
			continue
		}
		require.True(t, ok)
		op := format.Opcode(d.Opcode)
		response := op >= format.OpReadResponseFirst && op <= format.OpAtomicAck
		require.Equal(t, Packet{QP: uint32(d.DestQP), PSN: uint32(d.PSN), Opcode: op, Response: response}, p)
		packets++
	}
	require.Greater(t, packets, 1000)
}

// What is no packet of the reliable connection, or not a whole one.
func TestParseOthers(t *testing.T) {
	build := func(change func(*format.TxDescriptor[uint64])) []byte {
		d := format.TxDescriptor[uint64]{Opcode: uint64(format.OpSendOnly), PKey: format.PKeyDefault, DestQP: 9, PSN: 8}
		change(&d)
		frame, err := frames.Build(d, make([]byte, 4))
		require.NoError(t, err)
		return frame
	}
	plain := build(func(*format.TxDescriptor[uint64]) {})
	edit := func(at int, b byte) []byte {
		frame := bytes.Clone(plain)
		frame[at] = b
		return frame
	}
	for name, frame := range map[string][]byte{
		"CNP":          build(func(d *format.TxDescriptor[uint64]) { d.Opcode = uint64(format.OpCNP) }),
		"UC":           build(func(d *format.TxDescriptor[uint64]) { d.Opcode = 0x24 }),
		"cut":          plain[:len(plain)-1],
		"ARP":          edit(13, 6),
		"TCP":          edit(14+9, 6),
		"another port": edit(14+20+3, 1),
		"short":        edit(14+3, 20+8+12+3),
		"empty":        {},
		"header alone": plain[:14],
	} {
		p, ok := parse(frame)
		require.False(t, ok, name)
		require.Zero(t, p, name)
	}
	for _, vlan := range []uint64{0, 1} {
		for _, ipv6 := range []uint64{0, 1} {
			p, ok := parse(build(func(d *format.TxDescriptor[uint64]) { d.VLAN, d.IPv6 = vlan, ipv6 }))
			require.True(t, ok)
			require.Equal(t, Packet{QP: 9, PSN: 8, Opcode: format.OpSendOnly}, p)
		}
	}
}

// No bytes make it fail.
func FuzzParse(f *testing.F) {
	g := frames.NewGenerator(6)
	for range 20 {
		f.Add(g.Next().Data)
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		if p, ok := parse(frame); ok {
			require.Len(t, Faults{}.corrupt(p, frame), len(frame))
		}
	})
}
