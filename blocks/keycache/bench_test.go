package keycache_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/keycache"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

const (
	base    = 0x1_2345_6000
	logSize = 4
)

// bench is the block between its clients, its commands and its memory.
type bench struct {
	t       *testing.T
	s       *sim.Sim
	mem     *linktest.Memory
	reads   *linktest.Reads
	writes  *linktest.Writes
	clients []*client
	command *sim.Source
	done    *sim.Sink

	now   int
	after *linktest.Memory // as memory is when the command under way has ended
	ref   keycache.Reference
	table map[uint64][]version // what was at the address of an entry, and when
}

// version is an entry of the key table from the beginning of the command that made it
// to the end of the one that replaced it.
type version struct {
	entry    keycache.Entry
	from, to int
}

// client asks, and remembers what it is owed.
type client struct {
	request *sim.Source
	reply   *sim.Sink
	owed    []owed
}

type owed struct {
	question keycache.Question
	taken    int // when it was taken in; 0: not yet
}

func newBench(t *testing.T, s *sim.Sim, io *keycache.IO, gaps sim.Pattern) *bench {
	b := &bench{t: t, s: s, mem: linktest.NewMemory(), after: linktest.NewMemory(), table: map[uint64][]version{}}
	b.reads = linktest.NewReads(s, io.Read, b.mem, gaps, hdltest.Seed(t))
	b.writes = linktest.NewWrites(s, io.Write, b.mem, gaps, hdltest.Seed(t))
	for _, c := range io.Clients {
		b.clients = append(b.clients, &client{request: sim.NewSource(s, c.Request, gaps), reply: sim.NewSink(s, c.Reply, gaps)})
	}
	b.command, b.done = sim.NewSource(s, io.Command, sim.Pattern{}), sim.NewSink(s, io.Done, sim.Pattern{})
	b.ref = keycache.Reference{Base: base, LogSize: logSize, Read: b.after.Read, Write: b.after.Write}
	s.Set(io.Base, base)
	s.Set(io.LogSize, logSize)
	s.Reset(2)
	return b
}

// fault makes addresses bad.
func (b *bench) fault(bad func(addr uint64) bool) {
	b.mem.Fault(bad)
	b.after.Fault(bad)
}

// put makes an entry of the table, as software does before anything is asked.
func (b *bench) put(e keycache.Entry) {
	text, err := format.AppendHost(nil, e)
	require.NoError(b.t, err)
	at := addressOf(uint32(e.Key))
	b.mem.Poke(at, text)
	b.after.Poke(at, text)
	b.table[at] = []version{{entry: e, to: math.MaxInt}}
}

func addressOf(key uint32) uint64 { return base + uint64(key>>8)*64 }

func (b *bench) step() {
	b.s.Step()
	b.now++
	b.reads.Step()
	b.writes.Step()
	for i, c := range b.clients {
		for k := range len(c.owed) - c.request.Pending() {
			if c.owed[k].taken == 0 {
				c.owed[k].taken = b.now
			}
		}
		for _, got := range sim.Received[keycache.Answer](c.reply) {
			require.NotEmpty(b.t, c.owed)
			b.judge(i, c.owed[0], got)
			c.owed = c.owed[1:]
		}
	}
	require.NoError(b.t, b.s.Err())
	require.NoError(b.t, b.writes.Broken)
}

// judge compares an answer with all those that may be right: there are several
// where a command on that key was under way between question and answer.
func (b *bench) judge(i int, o owed, got keycache.Answer) {
	if got.Fault != format.VendorNone {
		got = keycache.Answer{Fault: got.Fault}
	}
	var may []keycache.Answer
	at := addressOf(o.question.Key)
	for _, v := range b.versions(at) {
		if v.from > b.now || v.to < o.taken {
			continue
		}
		r := b.ref
		r.Read = func(addr uint64, to []byte) error {
			if err := b.after.Read(addr, to); err != nil {
				return err
			}
			text, err := format.AppendHost(nil, v.entry)
			copy(to, text)
			return err
		}
		may = append(may, r.Ask(o.question))
	}
	require.Contains(b.t, may, got, "client %d, question %+v", i, o.question)
}

func (b *bench) versions(at uint64) []version {
	if b.table[at] == nil {
		b.table[at] = []version{{to: math.MaxInt}}
	}
	return b.table[at]
}

func (b *bench) ask(i int, q keycache.Question) {
	c := b.clients[i]
	c.owed = append(c.owed, owed{question: q})
	c.request.Send(q)
}

func (b *bench) run(n int) {
	for range n {
		b.step()
	}
}

// until steps until ok, for at most some cycles.
func (b *bench) until(what string, ok func() bool) {
	b.t.Helper()
	for range 3000 {
		if ok() {
			return
		}
		b.step()
	}
	b.t.Fatalf("in vain: %s", what)
}

func (b *bench) answered() bool {
	for _, c := range b.clients {
		if len(c.owed) > 0 {
			return false
		}
	}
	return true
}

type command struct {
	Kind  int
	Entry keycache.Entry
}

type done struct {
	Status format.CommandStatus
	Vendor format.VendorCode
	Entry  keycache.Entry
}

// begin sends a command, and says how it has to end.
func (b *bench) begin(c command) done {
	at := addressOf(uint32(c.Entry.Key))
	old := b.versions(at)[len(b.versions(at))-1].entry
	var want done
	switch c.Kind {
	case link.KeyWrite:
		want.Status = b.ref.Make(c.Entry)
		old = c.Entry
	case link.KeyInvalidate:
		want.Status = b.ref.End(uint32(c.Entry.Key))
		old.State = format.KeyInvalid
	case link.KeyQuery:
		want.Entry, want.Status = b.ref.Query(uint32(c.Entry.Key))
	}
	if want.Status == format.CmdOK && c.Kind != link.KeyQuery {
		b.table[at] = append(b.table[at], version{entry: old, from: b.now, to: math.MaxInt})
	}
	b.command.Send(c)
	return want
}

// ended is called when the answer of a command has come.
func (b *bench) ended(c command, want, got done) {
	require.Equal(b.t, want.Status, got.Status, "command %+v", c)
	if c.Kind == link.KeyQuery && want.Status == format.CmdOK {
		require.Equal(b.t, want.Entry, got.Entry)
	}
	at := addressOf(uint32(c.Entry.Key))
	for i := range len(b.table[at]) - 1 {
		b.table[at][i].to = min(b.table[at][i].to, b.now)
	}
}

// do is a whole command.
func (b *bench) do(c command) {
	b.t.Helper()
	want := b.begin(c)
	var got []done
	b.until("done", func() bool { got = sim.Received[done](b.done); return len(got) == 1 })
	b.ended(c, want, got[0])
}
