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

	now      int
	after    *linktest.Memory // as memory is when all is done that has been answered
	ref      keycache.Reference
	table    map[uint64][]version // what was at the address of an entry, and when
	sent     *command             // under way
	began    int                  // in which cycle
	outcome  keycache.Outcome     // of the last one
	last     format.VendorCode    // of the last question that ends its key
	revokes  map[format.VendorCode]int
	unjudged []answered
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

func (o owed) revokes() bool { return o.question.Rights == link.RightRevoke }

// answered is a question whose answer has come. It is judged when all that was under way meanwhile
// has ended.
type answered struct {
	owed
	at  int
	got keycache.Answer
}

type command struct {
	Kind  int
	Entry keycache.Entry
}

// newBench makes one. Answers are taken with gaps, too, unless some questions end their keys: then the
// order in which they come is that in which keys end.
func newBench(t *testing.T, s *sim.Sim, io *keycache.IO, gaps, answers sim.Pattern) *bench {
	b := &bench{t: t, s: s, mem: linktest.NewMemory(), after: linktest.NewMemory(), table: map[uint64][]version{}, revokes: map[format.VendorCode]int{}}
	b.reads = linktest.NewReads(s, io.Read, b.mem, gaps, hdltest.Seed(t))
	b.writes = linktest.NewWrites(s, io.Write, b.mem, gaps, hdltest.Seed(t))
	for _, c := range io.Clients {
		b.clients = append(b.clients, &client{request: sim.NewSource(s, c.Request, gaps), reply: sim.NewSink(s, c.Reply, answers)})
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

// entry is an entry as it is when all is done.
func (b *bench) entry(index uint32) keycache.Entry {
	e, err := format.DecodeHost[keycache.Entry](b.after.Peek(addressOf(index<<8), 64))
	require.NoError(b.t, err)
	return e
}

func (b *bench) step() {
	b.s.Step()
	b.now++
	b.reads.Step()
	b.writes.Step()
	for _, c := range b.clients {
		for k := range len(c.owed) - c.request.Pending() {
			if c.owed[k].taken == 0 {
				c.owed[k].taken = b.now
			}
		}
		for _, got := range sim.Received[keycache.Answer](c.reply) {
			require.NotEmpty(b.t, c.owed)
			b.answer(c.owed[0], got)
			c.owed = c.owed[1:]
		}
	}
	for _, got := range sim.Received[keycache.Outcome](b.done) {
		b.ended(got)
	}
	b.judgeAll()
	require.NoError(b.t, b.s.Err())
	require.NoError(b.t, b.writes.Broken)
}

// answer takes an answer. One that ends its key changes the table.
func (b *bench) answer(o owed, got keycache.Answer) {
	if got.Fault != format.VendorNone {
		got = keycache.Answer{Fault: got.Fault}
	}
	if !o.revokes() {
		b.unjudged = append(b.unjudged, answered{o, b.now, got})
		return
	}
	b.last = got.Fault
	b.revokes[got.Fault]++
	require.Equal(b.t, b.ref.Ask(o.question).Fault, got.Fault, "%+v", o.question)
	b.changed(o.taken)
}

// ended takes the end of a command, in the order in which commands and questions that end their
// keys come.
func (b *bench) ended(got keycache.Outcome) {
	if b.sent == nil || b.sent.Kind != link.KeyQuery || got.Status != format.CmdOK {
		got.Entry = keycache.Entry{}
	}
	b.outcome = got
	if b.sent == nil {
		return // of a test that knows what it wants
	}
	c := *b.sent
	b.sent = nil
	want := b.ref.Command(c.Kind, c.Entry)
	require.Equal(b.t, want, got, "command %+v", c)
	b.changed(b.began)
}

// changed notes the entries that are not what they were since some cycle.
func (b *bench) changed(since int) {
	for i := range uint32(1 << logSize) {
		all := b.versions(addressOf(i << 8))
		last := &all[len(all)-1]
		if e := b.entry(i); e != last.entry {
			last.to = b.now
			b.table[addressOf(i<<8)] = append(all, version{entry: e, from: since, to: math.MaxInt})
		}
	}
}

// judgeAll judges the answers that came before what is under way began.
func (b *bench) judgeAll() {
	since := math.MaxInt
	if b.sent != nil {
		since = b.began
	}
	for _, c := range b.clients {
		for _, o := range c.owed {
			if o.revokes() && o.taken != 0 {
				since = min(since, o.taken)
			}
		}
	}
	var rest []answered
	for _, a := range b.unjudged {
		if a.at < since {
			b.judge(a)
		} else {
			rest = append(rest, a)
		}
	}
	b.unjudged = rest
}

// judge compares an answer with all those that may be right: there are several
// where that key changed between question and answer.
func (b *bench) judge(a answered) {
	var may []keycache.Answer
	for _, v := range b.versions(addressOf(a.question.Key)) {
		if v.from > a.at || v.to < a.taken {
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
		may = append(may, r.Ask(a.question))
	}
	require.Contains(b.t, may, a.got, "question %+v", a.question)
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

// begin sends a command. What it comes to is compared when it ends.
func (b *bench) begin(c command) {
	require.Nil(b.t, b.sent)
	b.sent, b.began = &c, b.now
	b.command.Send(c)
}

func (b *bench) idle() bool { return b.sent == nil }

// do is a whole command.
func (b *bench) do(c command) keycache.Outcome {
	b.t.Helper()
	b.begin(c)
	b.until("done", b.idle)
	return b.outcome
}

// finish waits for all that is under way, and compares memory.
func (b *bench) finish() {
	b.t.Helper()
	b.until("end", func() bool { return b.answered() && b.idle() && b.writes.Idle() && b.reads.Idle() })
	b.run(40 + b.reads.Latency + b.writes.Latency) // a key that ended may still have a region
	b.until("end", func() bool { return b.writes.Idle() && b.reads.Idle() })
	b.run(20 + b.writes.Latency)
	for i := range uint32(1 << logSize) {
		require.Equal(b.t, b.after.Peek(addressOf(i<<8), 64), b.mem.Peek(addressOf(i<<8), 64), "entry %d", i)
	}
}
