package standin_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/frames/talk"
	"gornic/tb/golden"
	"gornic/tb/host"
	"gornic/tb/standin"
)

// reference is the reference NIC as a stand-in. What spoil makes of a frame is sent in its
// place, nothing for nil.
type reference struct {
	*golden.NIC
	memory *host.Memory
	spoil  func(frame []byte) []byte
	more   [][]byte
}

func newReference(t *testing.T) *reference {
	memory, err := host.New(host.Options{Seed: 1})
	require.NoError(t, err)
	nic := golden.NewNIC(golden.DefaultConfig(), host.DeviceSide{Memory: memory})
	return &reference{NIC: nic, memory: memory, spoil: func(frame []byte) []byte { return frame }}
}

func (r *reference) Send() ([]byte, bool) {
	for frame, ok := r.NIC.Send(); ok; frame, ok = r.NIC.Send() {
		if frame = r.spoil(frame); frame != nil {
			return frame, true
		}
	}
	if len(r.more) > 0 {
		frame := r.more[0]
		r.more = r.more[1:]
		return frame, true
	}
	return nil, false
}

func (r *reference) Run(cycles int) error {
	r.Tick(time.Duration(cycles) * 16 * time.Nanosecond)
	return nil
}

func (r *reference) ReadRegister(offset uint32) (uint32, error) {
	return r.NIC.ReadRegister(offset), nil
}

func (r *reference) WriteRegister(offset, value uint32) error {
	r.NIC.WriteRegister(offset, value)
	return nil
}

const (
	bth  = 14 + 20 + 8 // offsets in a frame
	aeth = bth + 12
)

// play plays conversations in both paces.
func play(t *testing.T, r *reference, all []*talk.Conversation) (standin.Report, error) {
	s, err := standin.NewStation(r, r.memory, all)
	require.NoError(t, err)
	var total standin.Report
	for _, burst := range []int{0, 8 << 10} {
		for i, c := range all {
			report, err := s.Play(t.Context(), c, standin.Options{Seed: uint64(i), Burst: burst})
			if err != nil {
				return total, err
			}
			total.Add(report)
		}
	}
	return total, nil
}

// The reference takes the place of everyone in the captures of soft-RoCE.
func TestCaptures(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/rxe/*.pcap")
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skip("no captures ../shared/rxe")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			all, err := frames.Load(path)
			require.NoError(t, err)
			report, err := play(t, newReference(t), talk.Learn(all))
			require.NoError(t, err)
			t.Log(report)
			require.NotZero(t, report.Requests+report.LeftOut)
		})
	}
}

// made is a capture that is made up.
func made(t *testing.T, ipv6 bool) []*talk.Conversation {
	t.Helper()
	all, err := talk.Made(ipv6)
	require.NoError(t, err)
	return talk.Learn(all)
}

// A capture without the machine that the others were made with.
func TestMade(t *testing.T) {
	for _, ipv6 := range []bool{false, true} {
		report, err := play(t, newReference(t), made(t, ipv6))
		require.NoError(t, err)
		require.Equal(t, standin.Report{Requests: 26, Messages: 8, Answers: 20, Captured: 20, NAKs: 10, Completions: 22}, report)
	}
}

// READs, atomics and SENDs with invalidate, made up.
func TestMadeReads(t *testing.T) {
	for _, ipv6 := range []bool{false, true} {
		report, err := play(t, newReference(t), madeReads(t, ipv6))
		require.NoError(t, err)
		require.Equal(t, standin.Report{Requests: 30, Messages: 18, Answers: 36, Captured: 34, NAKs: 8, Completions: 22}, report)
	}
}

// Every opcode in each of its forms, made up.
func TestMadeOpcodes(t *testing.T) {
	for _, ipv6 := range []bool{false, true} {
		report, err := play(t, newReference(t), madeOpcodes(t, ipv6))
		require.NoError(t, err)
		require.Equal(t, standin.Report{Requests: 104, Messages: 66, Answers: 70, Captured: 70, Completions: 50}, report)
	}
}

func madeOpcodes(t *testing.T, ipv6 bool) []*talk.Conversation {
	t.Helper()
	all, err := talk.MadeOpcodes(ipv6)
	require.NoError(t, err)
	return talk.Learn(all)
}

func madeReads(t *testing.T, ipv6 bool) []*talk.Conversation {
	t.Helper()
	all, err := talk.MadeReads(ipv6)
	require.NoError(t, err)
	return talk.Learn(all)
}

// A responder that asks again for what is missing, behind an RNR NAK too, as soft-RoCE does,
// is not what the protocol says.
func TestLenientResponder(t *testing.T) {
	m := &talk.Maker{QPN: 5, Peer: 6}
	send := func(psn talk.PSN) {
		m.Request(talk.Asked{Op: format.OpSendOnly, PSN: psn, Payload: []byte{1}, Ask: true})
	}
	send(1)
	send(2)
	m.Answer(1, format.SyndromeRNR|1, 0)
	m.Answer(1, format.SyndromeNAK, 0)
	send(1)
	send(2)
	m.Answer(2, format.SyndromeNoCredits, 2)
	send(4)
	m.Answer(3, format.SyndromeNAK, 2)
	send(5)
	m.Answer(3, format.SyndromeNAK, 2)
	send(3)
	m.Answer(3, format.SyndromeNoCredits, 3)
	require.NoError(t, m.Err)
	report, err := play(t, newReference(t), talk.Learn(m.Frames))
	require.NoError(t, err)
	require.Equal(t, standin.Report{Requests: 14, Messages: 6, Answers: 10, Captured: 8, NAKs: 4, Completions: 6, Lenient: 4}, report)
}

// What a NIC can do wrong is found.
func TestFinds(t *testing.T) {
	fixed := func(change func(frame []byte)) func([]byte) []byte {
		return func(frame []byte) []byte {
			frame = append([]byte(nil), frame...)
			change(frame)
			frames.FixICRC(frame)
			return frame
		}
	}
	// last leaves all frames but those whose PSN ends in 3 as they are: the last ACK.
	last := func(change func(frame []byte)) func([]byte) []byte {
		return fixed(func(frame []byte) {
			if frame[aeth-1] == 3 {
				change(frame)
			}
		})
	}
	for want, spoil := range map[string]func(t *testing.T, r *reference){
		"an acknowledgement did not come":  func(_ *testing.T, r *reference) { r.spoil = dropsAt(2) },
		"a NAK did not come":               func(_ *testing.T, r *reference) { r.spoil = dropsAt(1) },
		"has the MSN 0x4, expected 0x3":    func(_ *testing.T, r *reference) { r.spoil = last(func(b []byte) { b[aeth+3]++ }) },
		"ACK of PSN 0x4, which was not":    func(_ *testing.T, r *reference) { r.spoil = last(func(b []byte) { b[aeth-1]++ }) },
		"has the syndrome 0x1e":            func(_ *testing.T, r *reference) { r.spoil = last(func(b []byte) { b[aeth]-- }) },
		"a NAK that the capture does not":  func(_ *testing.T, r *reference) { r.spoil = twice(r) },
		"dest QP 0x11, P_Key 0xffff, SE 1": func(_ *testing.T, r *reference) { r.spoil = last(func(b []byte) { b[aeth-11] |= 0x80 }) },
		"ICRC 0x": func(_ *testing.T, r *reference) {
			r.spoil = func(frame []byte) []byte { return append(frame[:len(frame)-1:len(frame)-1], frame[len(frame)-1]^1) }
		},
		"syndrome 0x2d, MSN 0x0, expected PSN 0xfffffe, syndrome 0x2c": func(_ *testing.T, r *reference) {
			r.spoil = fixed(func(b []byte) {
				if b[aeth] == 0x2C {
					b[aeth]++
				}
			})
		},
		"receive buffers, byte ": func(t *testing.T, r *reference) { scribbles(t, r, 0, received) },
		"region of key 0xabcd01, byte 1 of 700 (virtual address 0x7f00001004)": func(t *testing.T, r *reference) { scribbles(t, r, 1, size(256)) },
		"the allocation of 700 bytes":                                          func(t *testing.T, r *reference) { scribbles(t, r, 188, size(188)) },
	} {
		t.Run(want, func(t *testing.T) {
			r := newReference(t)
			spoil(t, r)
			_, err := play(t, r, made(t, false))
			require.ErrorContains(t, err, want)
		})
	}
}

// What a NIC can do wrong with READs and atomics is found. PSNs end in 0xFE, 0xFF, 0, 1, ...
func TestFindsReads(t *testing.T) {
	at := func(op format.Opcode, psn byte, change func(frame []byte) []byte) func([]byte) []byte {
		return func(frame []byte) []byte {
			if frame[bth] != byte(op) || frame[aeth-1] != psn {
				return frame
			}
			frame = change(append([]byte(nil), frame...))
			frames.FixICRC(frame)
			return frame
		}
	}
	add := func(offset int) func([]byte) []byte {
		return func(frame []byte) []byte { frame[offset]++; return frame }
	}
	drop := func([]byte) []byte { return nil }
	const middle = format.OpReadResponseMiddle
	for want, spoil := range map[string]func([]byte) []byte{
		"READ_RESP_MIDDLE of PSN 0xffffff: ":                    at(middle, 0xFF, add(aeth)),
		"READ_RESP_LAST of PSN 0x0 before that of PSN 0xffffff": at(middle, 0xFF, drop),
		"READ_RESP_LAST of PSN 0xffffff, the last is false": at(middle, 0xFF, func(b []byte) []byte {
			b[bth]++
			return append(b[:aeth:aeth], append([]byte{0x1F, 0, 0, 1}, b[aeth:]...)...)
		}),
		"ATOMIC_ACK of PSN 0x2: the number was 0x29, expected 0x28": at(format.OpAtomicAck, 2, add(aeth+11)),
		"has the syndrome 0x1f and the MSN 0x4, expected":           at(format.OpAtomicAck, 2, add(aeth+3)),
		"an acknowledgement did not come":                           at(format.OpAtomicAck, 4, drop),
		"ATOMIC_ACK of PSN 0x5, which no READ or atomic has":        at(format.OpAtomicAck, 4, add(aeth-1)),
	} {
		t.Run(want, func(t *testing.T) {
			r := newReference(t)
			r.spoil = spoil
			_, err := play(t, r, madeReads(t, false))
			require.ErrorContains(t, err, want)
		})
	}
}

// dropsAt drops answer number n.
func dropsAt(n int) func([]byte) []byte {
	return func(frame []byte) []byte {
		if n--; n == 0 {
			return nil
		}
		return frame
	}
}

// twice sends the last ACK again, as a NAK.
func twice(r *reference) func([]byte) []byte {
	return func(frame []byte) []byte {
		if frame[aeth-1] == 3 {
			again := append([]byte(nil), frame...)
			again[aeth] = format.SyndromeNAK
			frames.FixICRC(again)
			r.more = append(r.more, again)
		}
		return frame
	}
}

// scribbles writes a wrong byte at an offset of what the device writes, where the number of
// bytes says so.
func scribbles(t *testing.T, r *reference, offset uint64, where func(n int) bool) {
	busy := false
	r.memory.OnAccess(func(a host.Access) {
		if busy || a.Source != host.Device || !a.Write || !where(len(a.Data)) {
			return
		}
		busy = true
		wrong := []byte{^r.memory.Peek(a.Addr+offset, 1)[0]}
		require.NoError(t, r.memory.DeviceWrite(a.Addr+offset, wrong))
		busy = false
	})
}

// size tells the writes of n bytes.
func size(n int) func(int) bool { return func(m int) bool { return n == m } }

// received tells the writes that are parts of what SENDs carry.
func received(n int) bool { return !slices.Contains([]int{16, 32, 64, 188, 256}, n) }

// The reference takes the place of everyone who asks in the captures of soft-RoCE, and in those
// that are made up.
func TestAsks(t *testing.T) {
	all := map[string][]*talk.Conversation{"made": made(t, false), "made, IPv6": made(t, true), "made READs": madeReads(t, true), "every opcode": madeOpcodes(t, false)}
	paths, err := filepath.Glob("../../../shared/rxe/*.pcap")
	require.NoError(t, err)
	for _, path := range paths {
		capture, err := frames.Load(path)
		require.NoError(t, err)
		all[filepath.Base(path)] = talk.Learn(capture)
	}
	for name, conversations := range all {
		t.Run(name, func(t *testing.T) {
			report, err := ask(t, newReference(t), conversations)
			require.NoError(t, err)
			t.Log(report)
		})
	}
}

// What a capture's requester asks for again ends the work, as it is not known what had got
// through; and whether it asks for an ACK is its own affair.
func TestAskAgain(t *testing.T) {
	m := &talk.Maker{QPN: 5, Peer: 6}
	read := func(psn talk.PSN, at, n uint64) {
		m.Request(talk.Asked{Op: format.OpReadRequest, PSN: psn, Ask: true, RETH: format.RETH[uint64]{VA: 0x1000 + at, RKey: 0x101, DMALen: n}})
	}
	m.Request(talk.Asked{Op: format.OpSendOnly, PSN: 1, Payload: []byte{1}})
	m.Request(talk.Asked{Op: format.OpSendOnly, PSN: 2, Payload: []byte{1}, Ask: true})
	m.Answer(2, format.SyndromeNoCredits, 2)
	read(3, 0, 600)
	m.Respond(format.OpReadResponseFirst, 3, make([]byte, 256), 0, 3)
	read(4, 256, 344)
	m.Respond(format.OpReadResponseFirst, 4, make([]byte, 256), 0, 3)
	m.Respond(format.OpReadResponseLast, 5, make([]byte, 88), 0, 3)
	require.NoError(t, m.Err)
	report, err := ask(t, newReference(t), talk.Learn(m.Frames))
	require.NoError(t, err)
	require.Equal(t, standin.AskReport{Messages: 2, Requests: 2, Answers: 1}, report)
}

func ask(t *testing.T, r *reference, all []*talk.Conversation) (standin.AskReport, error) {
	s, err := standin.NewStation(r, r.memory, all)
	require.NoError(t, err)
	var total standin.AskReport
	for _, c := range all {
		report, err := s.Ask(t.Context(), c)
		if err != nil {
			return total, err
		}
		total.Add(report)
	}
	return total, nil
}

// What a NIC can do wrong as requester is found.
func TestFindsAsker(t *testing.T) {
	at := func(op format.Opcode, change func(frame []byte)) func(*reference) {
		return func(r *reference) {
			r.spoil = func(frame []byte) []byte {
				if frame[bth] != byte(op) {
					return frame
				}
				frame = append([]byte(nil), frame...)
				change(frame)
				frames.FixICRC(frame)
				return frame
			}
		}
	}
	add := func(offset int) func([]byte) { return func(frame []byte) { frame[offset]++ } }
	for want, spoil := range map[string]func(*reference){
		"got      READ_REQUEST, PSN 0xfffffe, QP 0x32, SE 1":  at(format.OpReadRequest, func(b []byte) { b[bth+1] |= 0x80 }),
		"RETH {VA:545460854787 RKey:11259393 DMALen:601}":     at(format.OpReadRequest, add(aeth+15)),
		"AtomicETH {VA:545460855304 RKey:11259393 SwapAdd:6 ": at(format.OpFetchAdd, add(aeth+19)),
		"with payload 06 08":         at(format.OpWriteOnly, add(aeth+16)),
		"IETH {RKey:11259394}":       at(format.OpSendOnlyInv, add(aeth+3)),
		"the NIC sent nothing":       func(r *reference) { r.spoil = dropsAt(1) },
		"local memory, byte 0 of ":   func(r *reference) { scribbles(t, r, 0, size(256)) },
		"local memory, byte 600 of ": func(r *reference) { scribbles(t, r, 0, size(8)) },
	} {
		t.Run(want, func(t *testing.T) {
			r := newReference(t)
			spoil(r)
			_, err := ask(t, r, madeReads(t, false))
			require.ErrorContains(t, err, want)
		})
	}
}
