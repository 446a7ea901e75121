package keycache

import (
	"fmt"
	"math/bits"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// Params are the parameters of the block.
type Params struct {
	Sizes   link.Sizes
	Clients int // 1 to 8
	Entries int // keys that are held: a power of two from 4 to 64
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	switch p.Sizes.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("keycache: data width of %d bits: not 64, 128, 256 or 512", p.Sizes.DataWidth)
	}
	if p.Clients < 1 || p.Clients > 8 {
		return fmt.Errorf("keycache: %d clients: not 1 to 8", p.Clients)
	}
	if p.Entries < 4 || p.Entries > 64 || bits.OnesCount(uint(p.Entries)) != 1 {
		return fmt.Errorf("keycache: %d keys held: not a power of two from 4 to 64", p.Entries)
	}
	return nil
}

// Numbers that follow from the formats.
const (
	entryBytes = 64
	entryBits  = 8 * entryBytes
	logEntry   = 6
)

// ahead is how many questions of a client may be unanswered: as many as the pipeline holds,
// and some more for a client that takes its answers late. It is a power of two.
func (p Params) ahead() int { return p.Sizes.Ahead(8) }

func (p Params) placeBits() int { return bits.Len(uint(p.Entries - 1)) }

// ownerBits is the width of a number of a client, or of Clients for the command.
func (p Params) ownerBits() int { return bits.Len(uint(p.Clients)) }

// beats is the number of beats of an entry.
func (p Params) beats() int { return entryBits / p.Sizes.DataWidth }

// IO is the ports of the block.
type IO struct {
	Base    hdl.Bits                    `hdl:"in" w:"64"` // bus address of the key table, a multiple of 64
	LogSize hdl.Bits                    `hdl:"in" w:"5"`  // log2 of its entries, 0 to 24
	Clients []link.KeyPort              `hdl:"in"`
	Command hdl.Stream[link.KeyCommand] `hdl:"in"`
	Done    hdl.Stream[link.KeyDone]    `hdl:"out"`
	Read    link.ReadPort               `hdl:"out"`
	Write   link.WritePort              `hdl:"out"`
	Missed  hdl.Bits                    `hdl:"out" w:"1"` // pulse: a question was not answered from what is held
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	io := IO{
		Command: hdl.StreamOf(link.KeyCommand{}), Done: hdl.StreamOf(link.KeyDone{}),
		Read: s.ReadPort(), Write: s.WritePort(),
	}
	for range p.Clients {
		io.Clients = append(io.Clients, s.KeyPort())
	}
	return hdl.Def[IO]{
		Name: fmt.Sprintf("keycache_%d_c%d_keys%d", s.DataWidth, p.Clients, p.Entries),
		Doc:  "Holds keys in front of the key table in host memory, and judges what is asked of them.",
		IO:   io,
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.miss()
			b.read()
			b.enter()
			b.match()
			b.find()
			b.judge()
			b.command()
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	misses  []*miss    // of each client
	room    []hdl.Bits // of each client: one more reply has a place
	line    hdl.Bits   // what was read last: an entry once its last beat has come
	bad     hdl.Bits   // a beat of it had an error response
	comes   hdl.Bits   // the last beat of a client's entry comes, to be used
	twin    hdl.Bits   // with comes: meanwhile it has been put into a place
	owner   hdl.Bits   // of the entry that comes: a client, or Clients for the command
	ended   hdl.Bits   // the last beat of the command's entry comes
	lock    hdl.Bits   // the command changes the entry of its key in memory
	kill    hdl.Bits   // it wants to kill the entry that is held
	killed  hdl.Bits   // that enters the pipeline
	forgets hdl.Bits   // all entries that are held go
	state   *hdl.FSM[commandState]
	target  hdl.Bits // key of the entry that it is about
	wants   hdl.Bits // it wants to read the entry
	reads   hdl.Bits // that is asked for
	quiet   hdl.Bits // no other entry may be asked for: line is the answer of a query

	wanted  hdl.Bits // a bit for each client: it has a question that ends its key, and can ask it
	grant   hdl.Bits // a bit for each client: it may enter the pipeline
	turn    hdl.Bits // a bit for each client: it had the last grant
	alone   hdl.Bits // it is under way, or its key: no command is
	finding finding
	revoked hdl.Bits // it was granted in the last cycle: the key is dead
	spared  hdl.Bits // it was refused in the last cycle
	closed  hdl.Bits // it is in the pipeline, and nobody enters behind it

	looks, fills, kills hdl.Bits // what is asked: a question, one whose entry is in line, the end of a key
	asked               asked
	takes               hdl.Bits // the place under the hand takes the entry in line
	finds, filled       hdl.Bits // what is found: a question, one whose entry has come
	found               found
	lacks               hdl.Bits // host memory has to be asked
	judges              hdl.Bits // something is judged
	judged              judged
	places              []place
	store               *hdl.Memory // entries
}

// asked is what is compared with the keys held.
type asked struct {
	Client  hdl.Bits
	Request link.KeyRequest // of the killing of an entry, Key alone
}

// found is a question with the place of its entry.
type found struct {
	Client  hdl.Bits
	Places  hdl.Bits // a bit for each; no more than one is one
	Beyond  hdl.Bits `w:"1"` // the index lies behind the table
	Unknown hdl.Bits `w:"1"` // the entry that has come is not valid, or another key's
	BusErr  hdl.Bits `w:"1"` // it could not be read
	Request link.KeyRequest
}

// finding is the entry of a key that is to end, as it is found in a cycle.
type finding struct {
	now   hdl.Bits // it is
	entry held
}

// judged is an answer, but for the comparison of the range.
type judged struct {
	Client  hdl.Bits
	BusErr  hdl.Bits `w:"1"`
	Unknown hdl.Bits `w:"1"`
	Tag     hdl.Bits `w:"1"`  // the key has another tag
	PD      hdl.Bits `w:"3"`  // bytes in which the protection domain differs
	QP      hdl.Bits `w:"3"`  // of a window of type 2: bytes in which the queue pair differs
	Rights  hdl.Bits `w:"1"`  // not all granted
	Revoke  hdl.Bits `w:"1"`  // the key is to end
	Refused hdl.Bits `w:"5"`  // why it cannot, else 0
	Outside hdl.Bits `w:"1"`  // begins before the key's range, or is longer
	Room    hdl.Bits `w:"64"` // the last offset at which so many bytes fit

	PageShift   hdl.Bits `w:"5"` // as in link.KeyReply
	Translation hdl.Bits `w:"64"`
	Offset      hdl.Bits `w:"64"`
	First       hdl.Bits `w:"21"`
}

// held is what is kept of an entry.
type held struct {
	Tag         hdl.Bits `w:"8"` // low bits of the key; its place has the others
	PD          hdl.Bits `w:"24"`
	Type        hdl.Bits `w:"4"`
	VA          hdl.Bits `w:"64"`
	Length      hdl.Bits `w:"64"`
	Translation hdl.Bits `w:"64"`
	Rights      hdl.Bits `w:"8"`
	PageShift   hdl.Bits `w:"5"`
	QPN         hdl.Bits `w:"24"`
	Parent      hdl.Bits `w:"32"`
	Free        hdl.Bits `w:"1"` // it is not valid
	Window      hdl.Bits `w:"1"` // of either type
	Own         hdl.Bits `w:"1"` // a window that is for the queue pair alone that bound it
	Refused     hdl.Bits `w:"5"` // why it cannot be ended from afar in its domain, else 0
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	client := hdl.W(p.ownerBits())
	b := &block{
		m: m, p: p, io: io,
		line: m.RegN("line", entryBits), bad: m.RegN("line_bad", 1),
		comes: m.Wire("comes", 1), twin: m.Wire("twin", 1), owner: m.Wire("owner", p.ownerBits()), ended: m.Wire("ended", 1),
		lock: m.Wire("lock", 1), kill: m.Wire("kill", 1), killed: m.Wire("killed", 1), forgets: m.Wire("forgets", 1),
		state: hdl.NewFSM(m, "command", stIdle, stOpen, stRevoke, stBound, stRead, stWait, stJudge, stRule, stAct,
			stLock, stKill, stBurst, stBeats, stAck, stForget, stEnd, stDone),
		target: m.RegN("target", 32), wanted: m.Reg("wanted", p.Clients, 0), grant: m.Reg("grant", p.Clients, 0), turn: m.Reg("turn", p.Clients, 1),
		alone:   m.Reg("alone", 1, 0),
		revoked: m.Reg("revoked", 1, 0), spared: m.Reg("spared", 1, 0), closed: m.Wire("closed", 1),
		finding: finding{now: m.Wire("finding", 1)},
		wants:   m.Wire("wants", 1), reads: m.Wire("reads", 1), quiet: m.Wire("quiet", 1),
		looks: m.Reg("looks", 1, 0), fills: m.Reg("fills", 1, 0), kills: m.Reg("kills", 1, 0),
		asked: hdl.NewReg(m, "asked", asked{Client: client}),
		takes: m.Wire("takes", 1),
		finds: m.Reg("finds", 1, 0), filled: m.Reg("filled", 1, 0),
		found:  hdl.NewReg(m, "found", found{Client: client, Places: hdl.W(p.Entries)}),
		lacks:  m.Wire("lacks", 1),
		judges: m.Reg("judges", 1, 0), judged: hdl.NewReg(m, "judged", judged{Client: client}),
		store: m.LUTRAM("store", p.Entries, hdl.WidthOf(held{})),
	}
	for i := range p.Clients {
		b.misses = append(b.misses, newMiss(m, i))
		b.room = append(b.room, m.Wire(fmt.Sprintf("room_%d", i), 1))
	}
	return b
}

// entry is what is in line.
func (b *block) entry() format.KeyEntry[hdl.Bits] {
	return hdl.UnpackLow(format.KeyEntry[hdl.Bits]{}, b.line)
}

// indexOf is the place of a key in the table.
func indexOf(key hdl.Bits) hdl.Bits { return key.Slice(31, format.KeyTagBits) }

// beyondTable returns one bit: the key's index lies behind the table.
func (b *block) beyondTable(key hdl.Bits) hdl.Bits {
	outside := hdl.Ones(format.KeyIndexBits).Shl(b.io.LogSize)
	return indexOf(key).And(outside).Any()
}
