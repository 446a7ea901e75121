package verbs_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/host"
	"gornic/verbs"
)

// fake is a device by script: it keeps what the driver writes, answers commands
// as the test says, and writes the CQEs and events that the test says.
type fake struct {
	*host.Memory
	t        require.TestingT
	regs     map[uint32]uint32
	mailbox  [format.MailboxBytes]byte
	commands []command
	bells    []string // doorbells in words, since the last call to rung
	waits    int
	refuse   map[format.CommandCode]format.CommandStatus // commands that fail
	answer   map[format.CommandCode][]byte               // what commands leave in the mailbox
	slow     int                                         // reads of mailbox_done that find a command running
	running  int
	fail     map[uint32]error // registers whose access fails
	cqs      map[uint32]*outRing
	eqs      map[uint32]*outRing
	onWait   func()

	allocsLeft int // calls of Alloc until memory has run out; negative: never
}

// command is a command that the driver gave.
type command struct {
	code format.CommandCode
	arg  [format.MailboxBytes]byte
}

// outRing is a CQ or EQ as the device has it.
type outRing struct {
	base, log uint64
	bytes     int
	produced  uint32
	consumed  uint16
}

const (
	logFakeQPs = 4
	fakeMAC    = 0x020000000001
)

func newFake(t require.TestingT) *fake {
	memory, err := host.New(host.Options{Seed: 1})
	require.NoError(t, err)
	return &fake{
		Memory: memory, t: t,
		regs: map[uint32]uint32{
			format.RegID: format.DeviceID, format.RegVersion: format.VersionMajor<<16 | 7,
			format.RegCaps0: logFakeQPs | 3<<8 | 2<<16 | 6<<24 | format.MTU4096<<28,
			format.RegCaps1: 8 | 64<<16, format.RegCaps2: format.CapsCongestion | 16<<8 | 1024<<16,
		},
		refuse: map[format.CommandCode]format.CommandStatus{}, answer: map[format.CommandCode][]byte{},
		allocsLeft: -1, fail: map[uint32]error{}, cqs: map[uint32]*outRing{}, eqs: map[uint32]*outRing{},
	}
}

// open opens a fake device.
func open(t require.TestingT) (*fake, *verbs.Device) { return openWith(t, 0) }

// openWith opens one that has more bits in caps2.
func openWith(t require.TestingT, caps2 uint32) (*fake, *verbs.Device) {
	f := newFake(t)
	f.regs[format.RegCaps2] |= caps2
	d, err := verbs.Open(context.Background(), f, verbs.Config{MAC: verbs.MAC{2, 0, 0, 0, 0, 1}})
	require.NoError(t, err)
	return f, d
}

func (f *fake) Alloc(size, align uint64) (uint64, error) {
	if f.allocsLeft == 0 {
		return 0, host.ErrNoSpace
	}
	f.allocsLeft--
	return f.Memory.Alloc(size, align)
}

func (f *fake) ReadRegister(_ context.Context, offset uint32) (uint32, error) {
	if err := f.fail[offset]; err != nil {
		return 0, err
	}
	switch {
	case offset >= format.RegMailbox && offset < format.RegMailbox+format.MailboxBytes:
		return binary.LittleEndian.Uint32(f.mailbox[offset-format.RegMailbox:]), nil
	case offset == format.RegMailboxDone && f.running > 0:
		f.running--
		return format.MailboxBusy, nil
	}
	return f.regs[offset], nil
}

func (f *fake) WriteRegister(_ context.Context, offset, value uint32) error {
	if err := f.fail[offset]; err != nil {
		return err
	}
	switch {
	case offset >= format.RegMailbox && offset < format.RegMailbox+format.MailboxBytes:
		binary.LittleEndian.PutUint32(f.mailbox[offset-format.RegMailbox:], value)
	case offset == format.RegMailboxGo:
		require.Zero(f.t, f.running, "a command while another runs")
		f.execute(format.CommandCode(value))
	case offset == format.RegIRQPending:
		f.regs[offset] &^= value
	case offset >= format.DoorbellBase:
		f.bell(offset-format.DoorbellBase, value)
	default:
		f.regs[offset] = value
	}
	return nil
}

// execute keeps the command. Of its effects only the rings matter here.
func (f *fake) execute(code format.CommandCode) {
	f.commands = append(f.commands, command{code, f.mailbox})
	f.running = f.slow
	f.regs[format.RegMailboxDone] = uint32(f.refuse[code])
	if f.refuse[code] != format.CmdOK {
		return
	}
	copy(f.mailbox[:], f.answer[code])
	switch arg := f.mailbox[:]; code {
	case format.CmdCreateCQ:
		c := decode[format.CreateCQ[uint64]](f.t, arg)
		f.cqs[uint32(c.CQN)] = &outRing{base: c.Base, log: c.LogSize, bytes: 32}
	case format.CmdCreateEQ:
		c := decode[format.CreateEQ[uint64]](f.t, arg)
		f.eqs[uint32(c.EQN)] = &outRing{base: c.Base, log: c.LogSize, bytes: 16}
	}
}

func (f *fake) bell(offset, value uint32) {
	kind := offset % format.DoorbellPageBytes
	names := map[uint32]string{
		format.DoorbellSQ: "SQ", format.DoorbellRQ: "RQ", format.DoorbellCQ: "CQ",
		format.DoorbellArm: "arm", format.DoorbellArmSolicited: "arm solicited", format.DoorbellEQ: "EQ",
	}
	index, number := uint16(value>>16), value&0xFFFF
	f.bells = append(f.bells, fmt.Sprintf("page %d: %s %#x index %d", offset/format.DoorbellPageBytes, names[kind], number, index))
	switch kind {
	case format.DoorbellCQ, format.DoorbellArm, format.DoorbellArmSolicited:
		f.cqs[number].consume(f.t, index)
	case format.DoorbellEQ:
		f.eqs[number].consume(f.t, index)
	}
}

// rung returns the doorbells since its last call.
func (f *fake) rung() []string {
	bells := f.bells
	f.bells = nil
	return bells
}

func (f *fake) Wait(ctx context.Context) error {
	f.waits++
	if f.onWait != nil {
		f.onWait()
	}
	return ctx.Err()
}

// lastCommand returns the last command's operation and argument.
func lastCommand[T any](f *fake) (format.CommandCode, T) {
	last := f.commands[len(f.commands)-1]
	return last.code, decode[T](f.t, last.arg[:])
}

// complete writes a CQE to a CQ, false if it is full.
func (f *fake) complete(cq *verbs.CQ, e format.CQE[uint64]) bool {
	r := f.cqs[uint32(cq.Number())]
	if r.room() == 0 {
		return false
	}
	e.Phase = r.phase()
	r.write(f, encode(f.t, e))
	return true
}

// event writes an event to an EQ and raises its interrupt.
func (f *fake) event(eq *verbs.EQ, e format.EQE[uint64]) {
	r := f.eqs[uint32(eq.Number())]
	require.NotZero(f.t, r.room(), "an EQ overflows")
	e.Phase = r.phase()
	r.write(f, encode(f.t, e))
	f.regs[format.RegIRQPending] |= 1
}

func (r *outRing) room() int { return 1<<r.log - int(uint16(r.produced)-r.consumed) }

func (r *outRing) phase() uint64 { return 1 ^ uint64(r.produced)>>r.log&1 }

func (r *outRing) write(f *fake, entry []byte) {
	slot := uint64(r.produced) & (1<<r.log - 1)
	require.NoError(f.t, f.DeviceWrite(r.base+slot*uint64(r.bytes), entry))
	r.produced++
}

// consume takes a consumer index, which never passes what was produced nor goes back.
func (r *outRing) consume(t require.TestingT, index uint16) {
	require.LessOrEqual(t, index-r.consumed, uint16(r.produced)-r.consumed)
	r.consumed = index
}

func decode[T any](t require.TestingT, b []byte) T {
	v, err := format.DecodeHost[T](b)
	require.NoError(t, err)
	return v
}

func encode[T any](t require.TestingT, v T) []byte {
	b, err := format.AppendHost(nil, v)
	require.NoError(t, err)
	return b
}

// slot reads a slot of a queue that starts at base.
func (f *fake) slot(base uint64, log int, stride int, index uint16) []byte {
	return f.Peek(base+uint64(int(index)&(1<<log-1)*stride), stride)
}
