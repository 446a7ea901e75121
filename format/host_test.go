package format_test

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

func TestHostSizes(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"SendControl", format.Size[format.SendControl[uint64]](), format.ControlGranules * format.GranuleBytes},
		{"RecvControl", format.Size[format.RecvControl[uint64]](), format.GranuleBytes},
		{"SGE", format.Size[format.SGE[uint64]](), format.GranuleBytes},
		{"AtomicOperands", format.Size[format.AtomicOperands[uint64]](), format.GranuleBytes},
		{"CQE", format.Size[format.CQE[uint64]](), 32},
		{"EQE", format.Size[format.EQE[uint64]](), 16},
		{"KeyEntry", format.Size[format.KeyEntry[uint64]](), 64},
		{"CreateEQ", format.Size[format.CreateEQ[uint64]](), 16},
		{"CreateCQ", format.Size[format.CreateCQ[uint64]](), 16},
		{"CreateQP", format.Size[format.CreateQP[uint64]](), 32},
		{"AV", format.Size[format.AV[uint64]](), 48},
		{"ModifyQP", format.Size[format.ModifyQP[uint64]](), 76},
		{"QPStatus", format.Size[format.QPStatus[uint64]](), 24},
	} {
		require.Equal(t, c.want, c.got, c.name)
	}
	require.LessOrEqual(t, format.Size[format.ModifyQP[uint64]](), format.MailboxBytes)
}

// A completion by hand: little-endian, the phase in the top bit of the last byte.
func TestCQEBytes(t *testing.T) {
	got, err := format.AppendHost(nil, format.CQE[uint64]{
		WRID: 0x1122334455667788, ByteLen: 0x100, Imm: 0x44332211, QPN: 0xABCDEF, Status: uint64(format.StatusRemAccess),
		WQEIndex: 0x0102, Opcode: uint64(format.WCRecv), Flags: format.WCFlagWithImm, Vendor: 0x0304, Queue: 1, Phase: 1,
	})
	require.NoError(t, err)
	require.Equal(t, "8877665544332211"+"00010000"+"11223344"+"efcdab"+"0a"+"0201"+"80"+"02"+"0403"+"0000000000c0", hex.EncodeToString(got))
}

func TestHostRoundTrip(t *testing.T) {
	hostRoundTrip[format.SendControl[uint64]](t)
	hostRoundTrip[format.RecvControl[uint64]](t)
	hostRoundTrip[format.SGE[uint64]](t)
	hostRoundTrip[format.CQE[uint64]](t)
	hostRoundTrip[format.EQE[uint64]](t)
	hostRoundTrip[format.KeyEntry[uint64]](t)
	hostRoundTrip[format.CreateQP[uint64]](t)
	hostRoundTrip[format.ModifyQP[uint64]](t)
	hostRoundTrip[format.QPStatus[uint64]](t)
}

// hostRoundTrip checks that any bytes are decoded and encoded to themselves.
func hostRoundTrip[T any](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		in := make([]byte, format.Size[T]())
		for i := range in {
			in[i] = byte(r.Uint32())
		}
		h, err := format.DecodeHost[T](in)
		require.NoError(t, err)
		out, err := format.AppendHost([]byte{0xFF}, h)
		require.NoError(t, err)
		require.True(t, bytes.Equal(out[1:], in) && out[0] == 0xFF, "%T: %x became %x", h, in, out[1:])
	}
}

func TestNames(t *testing.T) {
	require.Equal(t, "SEND_WITH_INV", format.WRSendInv.String())
	require.Equal(t, "RECV_RDMA_WITH_IMM", format.WCRecvWriteI.String())
	require.Equal(t, "QP_ACCESS_ERR", format.EventQPAccessErr.String())
	require.Equal(t, "CreateCQ", format.CmdCreateCQ.String())
	require.Equal(t, "WR opcode 77", format.WROpcode(77).String())
	for v := format.VendorNone; v <= format.VendorWQERead; v++ {
		require.NotContains(t, v.String(), "vendor code")
	}
}

// Every transition keeps to the attributes that ModifyQP has.
func TestTransitions(t *testing.T) {
	seen := map[[2]format.QPState]bool{}
	for _, tr := range format.QPTransitions() {
		key := [2]format.QPState{tr.From, tr.To}
		require.False(t, seen[key], "%v twice", key)
		seen[key] = true
		require.Zero(t, tr.Required&tr.Optional, "%v", key)
		require.Zero(t, (tr.Required|tr.Optional)&format.AttrState)
	}
}

// The registers of congestion control are its fields, in their order, and the defaults fit.
func TestCongestionRegisters(t *testing.T) {
	fields := reflect.TypeFor[format.Congestion[uint64]]()
	registers := format.CongestionRegisters()
	require.Len(t, registers, fields.NumField())
	var numbered format.Congestion[uint64]
	for i := range fields.NumField() {
		reflect.ValueOf(&numbered).Elem().Field(i).SetUint(uint64(i))
	}
	defaults := format.CongestionDefaults(100000).Fields()
	for i, r := range registers {
		f := fields.Field(i)
		require.EqualValues(t, i, numbered.Fields()[i])
		name := strings.ReplaceAll(strings.TrimPrefix(r.Name, "cc_"), "_", "")
		require.True(t, strings.EqualFold(name, f.Name), "%s, %s", r.Name, f.Name)
		bits, err := strconv.Atoi(f.Tag.Get("w"))
		require.NoError(t, err)
		require.Less(t, defaults[i], uint64(1)<<bits, r.Name)
	}
	require.Less(t, registers[len(registers)-1].Offset, uint32(format.RegMailboxGo))
}

func TestRegisters(t *testing.T) {
	last := -4
	for _, r := range format.Registers() {
		require.Greater(t, int(r.Offset), last, r.Name)
		require.Zero(t, r.Offset%4, r.Name)
		last = int(r.Offset)
	}
	require.Less(t, format.RegMailbox+format.MailboxBytes-1, format.RegCounters)
	require.Less(t, format.RegCounters+4*format.CounterCount, format.DoorbellBase)
	names := map[string]format.Counter{}
	for c := range format.Counter(format.CounterCount) {
		require.NotEmpty(t, c.String())
		require.NotContains(t, names, c.String(), "%d and %d", names[c.String()], c)
		names[c.String()] = c
	}
}
