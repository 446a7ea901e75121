package golden_test

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/wire"
)

// A program is random work over one connection, in both directions: SENDs and
// WRITEs, with and without immediate, inline or from lists of pieces with any
// offset and length, out of and into contiguous regions and page lists.
type program struct {
	t       *testing.T
	r       *rand.Rand
	p       *pair
	ends    [2]*end
	message int
}

// end is one end of the connection: its memory, and what has to come of the work.
type end struct {
	s      *station
	q      *qp
	local  []region  // to gather from
	remote region    // for the peer's WRITEs
	image  []byte    // what remote has to hold
	lands  []landing // of SENDs
	late   []func()  // posts receive WQEs, but only when a message has missed them
	recvs  []string  // completions of the receive queue
	sends  []string  // and of the send queue
	slots  int       // WQEs since the last check
}

// landing is a SEND's payload in a region of its own.
type landing struct {
	region
	data []byte
}

const (
	localBytes = 8 << 10
	programLog = 3 // log2 of WQEs in a queue
)

func newProgram(t *testing.T, seed uint64, faults wire.Faults) *program {
	r := rand.New(rand.NewPCG(seed, 77))
	g := &program{t: t, r: r, p: newPair(t, faults)}
	c := qpConfig{
		mtu: 1 + r.Uint64N(5), ipv6: r.IntN(2) == 0, logSize: programLog, logStride: r.Uint64N(2), psn: (0xFFFFF0 + r.Uint64N(32)) & 0xFFFFFF,
		retry: 7, rnrRetry: 7, timeout: 8, minRNR: 1,
	}
	a, b := g.p.qps(c)
	for i, q := range []*qp{a, b} {
		e := &end{s: q.s, q: q, remote: q.s.pages(32<<10, allAccess, r)}
		e.image = q.s.load(e.remote)
		e.local = []region{q.s.region(localBytes, 0), q.s.pages(localBytes, 0, r)}
		g.ends[i] = e
	}
	g.refill()
	return g
}

// refill gives the memory that is sent new contents.
func (g *program) refill() {
	for _, e := range g.ends {
		for i, r := range e.local {
			e.s.store(r, noise(2*g.message+i, localBytes))
		}
	}
}

// pages registers a region that lies in scattered pages of 4 KiB, and starts
// somewhere in the first.
func (s *station) pages(size uint64, rights uint64, r *rand.Rand) region {
	s.t.Helper()
	const shift = format.PageShiftMin
	offset := r.Uint64N(1 << shift)
	count := (offset + size + 1<<shift - 1) >> shift
	list := s.zeros(8*count, 8)
	var bus []uint64
	for i := range count {
		addr, err := s.mem.Alloc(1<<shift, 1<<shift)
		require.NoError(s.t, err)
		s.write(list+8*i, wordBytes(addr))
		bus = append(bus, addr)
	}
	va := r.Uint64N(1<<40)<<shift + offset
	key := uint64(s.newKey())
	s.must(format.CmdWriteKey, format.KeyEntry[uint64]{
		Key: key, PD: testPD, State: format.KeyValid, VA: va, Length: size, Translation: list, Rights: rights, PageShift: shift,
	})
	return region{va: va, size: size, key: uint32(key), pages: bus}
}

func wordBytes(x uint64) []byte {
	var b []byte
	for i := range 8 {
		b = append(b, byte(x>>(8*i)))
	}
	return b
}

// busAddr is where a byte of a region lies.
func (r region) busAddr(offset uint64) uint64 {
	if r.pages == nil {
		return r.addr + offset
	}
	at := r.va&0xFFF + offset
	return r.pages[at>>12] + at&0xFFF
}

// load reads a region byte by byte over its pages.
func (s *station) load(r region) []byte {
	s.t.Helper()
	var b []byte
	for at := uint64(0); at < r.size; {
		n := r.run(at)
		b = append(b, s.read(r.busAddr(at), int(n))...)
		at += n
	}
	return b
}

func (s *station) store(r region, b []byte) {
	s.t.Helper()
	for at := uint64(0); at < uint64(len(b)); {
		n := min(r.run(at), uint64(len(b))-at)
		s.write(r.busAddr(at), b[at:at+n])
		at += n
	}
}

// run is how many bytes from at on follow each other on the bus.
func (r region) run(at uint64) uint64 {
	if r.pages == nil {
		return r.size - at
	}
	return min(r.size-at, 0x1000-(r.va+at)&0xFFF)
}

// cut makes count pieces of n bytes in all; some have none.
func (g *program) cut(n, count int) []int {
	var sizes []int
	for i := range count {
		size := n
		if i < count-1 {
			size = g.r.IntN(n + 1)
		}
		sizes = append(sizes, size)
		n -= size
	}
	return sizes
}

// list makes a list of n bytes, anywhere in an end's memory.
func (g *program) list(e *end, n, count int) []format.SGE[uint64] {
	var list []format.SGE[uint64]
	for _, size := range g.cut(n, count) {
		r := e.local[g.r.IntN(len(e.local))]
		list = append(list, r.part(g.r.Uint64N(r.size-uint64(size)+1), uint64(size)))
	}
	return list
}

// gathered is what a list holds.
func (e *end) gathered(list []format.SGE[uint64]) []byte {
	var b []byte
	for _, s := range list {
		for _, r := range e.local {
			if uint64(r.key) == s.LKey {
				b = append(b, e.s.load(r)[s.Addr-r.va:][:s.Length]...)
			}
		}
	}
	return b
}

// size is the length of a message, now and then long or a whole number of MTUs.
func (g *program) size() int {
	switch g.r.IntN(8) {
	case 0:
		return 0
	case 1:
		return g.r.IntN(localBytes + 1)
	case 2, 3:
		return min(128<<g.ends[0].q.c.mtu*g.r.IntN(4), localBytes)
	}
	return g.r.IntN(600)
}

// step posts one message, and notes what has to come of it.
func (g *program) step() {
	i := g.r.IntN(2)
	from, to := g.ends[i], g.ends[1-i]
	g.message++
	forms := []struct {
		op         format.WROpcode
		completion format.WCOpcode
	}{{format.WRWrite, format.WCWrite}, {format.WRWriteImm, format.WCWrite}, {format.WRSend, format.WCSend}, {format.WRSendImm, format.WCSend}}
	form := forms[g.r.IntN(len(forms))]
	wr := sendWR{id: uint64(g.message), op: form.op, imm: g.r.Uint32()}
	wr.flags = g.r.Uint64() & (format.WRFlagSignaled | format.WRFlagSolicited)
	from.slots++
	if from.slots == 1<<programLog {
		wr.flags |= format.WRFlagSignaled
	}
	data := g.source(from, &wr)
	g.destination(to, &wr, data)
	from.q.send(wr)
	if wr.flags&format.WRFlagSignaled != 0 {
		from.sends = append(from.sends, fmt.Sprintf("%d SUCCESS %v 0", wr.id, form.completion))
	}
	if from.slots == 1<<programLog || g.r.IntN(6) == 0 {
		g.settle()
	}
}

// source chooses what a message sends, and returns its bytes.
func (g *program) source(from *end, wr *sendWR) []byte {
	stride := int(from.q.c.logStride)
	if g.r.IntN(4) == 0 {
		wr.inline = noise(g.message, g.r.IntN(format.InlineMax(stride)+1))
		return wr.inline
	}
	if n := g.size(); n > 0 {
		wr.list = g.list(from, n, 1+g.r.IntN(format.SendSGEs(stride)))
	}
	return from.gathered(wr.list)
}

// destination chooses where a message goes, and notes what it does there.
func (g *program) destination(to *end, wr *sendWR, data []byte) {
	imm := ""
	if wr.op == format.WRSendImm || wr.op == format.WRWriteImm {
		imm = fmt.Sprintf(" imm %08x", bits.ReverseBytes32(wr.imm))
	}
	switch wr.op {
	case format.WRWrite, format.WRWriteImm:
		offset := g.r.Uint64N(to.remote.size - uint64(len(data)) + 1)
		wr.remote, wr.rkey = to.remote.va+offset, to.remote.key
		copy(to.image[offset:], data)
		if imm != "" {
			g.receive(to, wr.id)
			to.recvs = append(to.recvs, fmt.Sprintf("%d SUCCESS RECV_RDMA_WITH_IMM %d%s", wr.id, len(data), imm))
		}
	default:
		g.receive(to, wr.id, g.landing(to, data)...)
		to.recvs = append(to.recvs, fmt.Sprintf("%d SUCCESS RECV %d%s", wr.id, len(data), imm))
	}
}

// receive posts a receive WQE, at times too late, and then all behind it as well.
func (g *program) receive(to *end, id uint64, list ...format.SGE[uint64]) {
	post := func() { to.q.receive(id, list...) }
	if len(to.late) > 0 || g.r.IntN(8) == 0 {
		to.late = append(to.late, post)
	} else {
		post()
	}
}

// landing makes a receive WQE with room for a SEND, at times for more.
func (g *program) landing(to *end, data []byte) []format.SGE[uint64] {
	n := len(data) + g.r.IntN(2)*g.r.IntN(100)
	if n == 0 {
		return nil
	}
	r := to.s.region(uint64(n), format.AccessLocalWrite)
	to.lands = append(to.lands, landing{r, data})
	var list []format.SGE[uint64]
	at := uint64(0)
	for _, size := range g.cut(n, 1+g.r.IntN(format.RecvSGEs(int(to.q.c.logStride)))) {
		list = append(list, r.part(at, uint64(size)))
		at += uint64(size)
	}
	return list
}

// settle lets the wire work, with time for retries, and checks everything.
func (g *program) settle() {
	t := g.t
	for range 1000 {
		if g.p.run(); g.idle() {
			break
		}
		for _, e := range g.ends {
			for _, post := range e.late {
				post()
			}
			e.late = nil
		}
		g.p.a.nic.Tick(200 * time.Microsecond)
		g.p.b.nic.Tick(200 * time.Microsecond)
	}
	for i, e := range g.ends {
		require.Equal(t, e.recvs, brief(e.s.poll(e.q.recvCQ)), "end %d", i)
		require.Equal(t, e.sends, brief(e.s.poll(e.q.sendCQ)), "end %d", i)
		require.Equal(t, format.QPRTS, e.q.state())
		require.Empty(t, e.s.events())
		require.True(t, bytes.Equal(e.image, e.s.load(e.remote)), "end %d: memory of WRITEs", i)
		for _, l := range e.lands {
			want := append(bytes.Clone(l.data), e.s.mem.Pattern(l.addr, int(l.size))[len(l.data):]...)
			require.True(t, bytes.Equal(want, e.s.bytes(l.region)), "end %d: memory of a SEND", i)
			e.s.release(l.region)
			require.NoError(t, e.s.mem.Free(l.addr))
		}
		e.recvs, e.sends, e.lands, e.slots = nil, nil, nil, 0
	}
	g.refill()
}

func (g *program) idle() bool {
	for _, e := range g.ends {
		if e.q.query().SQConsumer != uint64(e.q.posted) {
			return false
		}
	}
	return true
}

// programs runs programs of so many messages with the faults that faults gives
// for a seed.
func programs(t *testing.T, seeds, messages uint64, faults func(seed uint64) wire.Faults) (frames, lost, naks int) {
	t.Helper()
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			g := newProgram(t, seed, faults(seed))
			for range messages {
				g.step()
			}
			g.settle()
			for _, c := range g.p.log {
				frames++
				if c.Action != wire.Pass {
					lost++
				}
			}
			naks += int(g.p.a.nic.Counter(format.CntTxNAKs) + g.p.b.nic.Counter(format.CntTxNAKs))
		})
	}
	return frames, lost, naks
}

// Random programs over a good wire: every byte, every completion, and nothing
// beside them.
func TestPrograms(t *testing.T) {
	frames, _, naks := programs(t, 40, 60, func(uint64) wire.Faults { return wire.Faults{} })
	require.Greater(t, frames, 5000)
	require.Greater(t, naks, 100, "RNR NAKs")
}

// The same over a wire that loses, doubles and damages packets.
func TestProgramsWithFaults(t *testing.T) {
	frames, lost, _ := programs(t, 40, 60, func(seed uint64) wire.Faults {
		return wire.Faults{Seed: seed, Rules: []wire.Rule{
			{Action: wire.Drop, Rate: 30000, Attempts: 3},
			{Action: wire.Duplicate, Rate: 20000},
			{Action: wire.Corrupt, Rate: 10000, Attempts: 3},
		}}
	})
	require.Greater(t, frames, 5000)
	require.Greater(t, lost, 200)
}

// The same program puts the same frames on the wire.
func TestProgramsRepeat(t *testing.T) {
	run := func() []wire.Crossing {
		g := newProgram(t, 3, wire.Faults{Seed: 3, Rules: []wire.Rule{{Action: wire.Drop, Rate: 50000, Attempts: 2}}})
		for range 40 {
			g.step()
		}
		g.settle()
		return g.p.log
	}
	require.Equal(t, run(), run())
}

// Every frame of some programs is what tshark, too, takes for a good one, and its
// ICRC is right by another computation.
func TestProgramsInTshark(t *testing.T) {
	var all [][]byte
	for seed := range uint64(6) {
		g := newProgram(t, seed, wire.Faults{})
		for range 30 {
			g.step()
		}
		g.settle()
		for _, c := range g.p.log {
			all = append(all, c.Frame)
			again := bytes.Clone(c.Frame)
			require.True(t, frames.FixICRC(again))
			require.Equal(t, again, c.Frame, "ICRC")
		}
	}
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("no tshark to compare with")
	}
	path := filepath.Join(t.TempDir(), "program.pcap")
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, frames.WritePcap(file, all))
	require.NoError(t, file.Close())
	require.Equal(t, len(all), compareWithTshark(t, tshark, path))

	// UDP checksum 0 over IPv6 is what RoCEv2 does and tshark complains of.
	filter := "(_ws.expert.severity >= warning || _ws.malformed) && !(ipv6 && udp.checksum == 0)"
	cmd := exec.Command(tshark, "-r", path, "--disable-protocol", "rpcordma", "-Y", filter)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Empty(t, strings.TrimSpace(string(out)))
}
