package verbs_test

import (
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/verbs"
)

func newFastMR(t *testing.T, pages int) (*station, queuePair, *verbs.FastMR) {
	s := newStation(t, 16)
	f, err := s.pd.AllocFastMR(ctx, pages)
	require.NoError(t, err)
	return s, s.connected(t, verbs.QPCap{MaxSendWR: 8}), f
}

func TestAllocFastMR(t *testing.T) {
	s := newStation(t, 4)
	before := len(allocations(s.fake))
	f, err := s.pd.AllocFastMR(ctx, 10)
	require.NoError(t, err)
	code, entry := lastCommand[format.KeyEntry[uint64]](s.fake)
	require.Equal(t, format.CmdWriteKey, code)
	require.Equal(t, format.KeyEntry[uint64]{
		Key: uint64(f.RKey()), PD: uint64(s.pd.Number()), State: format.KeyFree, Type: format.KeyFastRegion,
	}, entry)
	require.Len(t, allocations(s.fake), before+1, "the page list")
	require.NoError(t, f.Dereg(ctx))
	require.Len(t, allocations(s.fake), before)
	require.ErrorIs(t, f.Map(ctx, verbs.MRMapping{Length: 1}), verbs.ErrDestroyed)

	_, err = s.pd.AllocFastMR(ctx, -1)
	require.ErrorIs(t, err, verbs.ErrInvalid)
	s.refuse[format.CmdWriteKey] = format.CmdBusError
	_, err = s.pd.AllocFastMR(ctx, 10)
	require.Error(t, err)
	s.allocsLeft = 0
	_, err = s.pd.AllocFastMR(ctx, 10)
	require.Error(t, err)
	require.Len(t, allocations(s.fake), before)
	require.NoError(t, s.pd.Dealloc())
}

// A REG_MR, byte by byte, of contiguous memory and of pages.
func TestRegBytes(t *testing.T) {
	s, q, f := newFastMR(t, 4)
	require.NoError(t, f.Map(ctx, verbs.MRMapping{Addr: 0x1122334455667788, Length: 0x99, Bus: 0xABCDEF}))
	key := verbs.IncRKey(f.RKey())
	reg := verbs.SendWR{WRID: 0x55, Opcode: verbs.WRRegMR, Reg: verbs.RegMRWR{MR: f, Key: key, Access: verbs.AccessLocalWrite | verbs.AccessRemoteWrite}}
	require.NoError(t, q.PostSend(ctx, reg))
	require.Equal(t, pad("80000000"+"00000000"+"5500000000000000"+"8877665544332211"+hex.EncodeToString(little32(key))+"00000000"+
		"9900000000000000"+"efcdab0000000000"+"03", 64), hex.EncodeToString(q.sendSlot(s, 0)))
	require.Equal(t, key, f.LKey(), "the region has the key from now on")
	require.Equal(t, verbs.SGE{Addr: 0x1122334455667788 + 8, Length: 9, LKey: key}, f.SGE(8, 9))

	require.NoError(t, f.Map(ctx, verbs.MRMapping{Addr: 0x7FFF, Length: 2, Pages: []uint64{0x10000, 0x5000}, PageSize: 4096}))
	require.EqualValues(t, 0x1122334455667788, f.Addr(), "not yet posted")
	reg.Reg.Key = verbs.IncRKey(key)
	require.NoError(t, q.PostSend(ctx, reg))
	require.EqualValues(t, 0x7FFF, f.Addr())
	require.EqualValues(t, 2, f.Length())
	operands := decode[format.RegMROperands[uint64]](t, q.sendSlot(s, 1)[32:])
	require.EqualValues(t, 12, operands.PageShift)
	require.EqualValues(t, 0x10000, binary.LittleEndian.Uint64(s.Peek(operands.Translation, 8)))
	require.EqualValues(t, 0x5000, binary.LittleEndian.Uint64(s.Peek(operands.Translation+8, 8)))
}

func TestMapRefuses(t *testing.T) {
	_, _, f := newFastMR(t, 2)
	for name, m := range map[string]verbs.MRMapping{
		"no bytes":         {},
		"wraps":            {Addr: ^uint64(0), Length: 2},
		"too many pages":   {Length: 3 << 12, Pages: []uint64{0, 0x1000, 0x2000}, PageSize: 4096},
		"page not aligned": {Length: 4096, Pages: []uint64{0x800}, PageSize: 4096},
		"a page missing":   {Addr: 4095, Length: 2, Pages: []uint64{0}, PageSize: 4096},
		"no page size":     {Length: 1, Pages: []uint64{0}},
	} {
		require.ErrorIs(t, f.Map(ctx, m), verbs.ErrInvalid, name)
	}
	require.NoError(t, f.Map(ctx, verbs.MRMapping{Addr: 4095, Length: 2, Pages: []uint64{0, 0}, PageSize: 4096}))
}

// Pieces are joined as far as they make whole pages (ib_map_mr_sg).
func TestMapSG(t *testing.T) {
	for _, c := range []struct {
		name   string
		sg     []verbs.BusRange
		n      int
		length uint64
		pages  []uint64
	}{
		{"one", []verbs.BusRange{{0x12345, 10}}, 1, 10, []uint64{0x12000}},
		{"over two pages", []verbs.BusRange{{0x12FFF, 2}}, 1, 2, []uint64{0x12000, 0x13000}},
		{"three", []verbs.BusRange{{0x12F00, 0x100}, {0x40000, 0x1000}, {0x7000, 5}}, 3, 0x1105, []uint64{0x12000, 0x40000, 0x7000}},
		{"one ends before its page does", []verbs.BusRange{{0x12F00, 0xFF}, {0x40000, 1}}, 1, 0xFF, []uint64{0x12000}},
		{"one starts behind its page", []verbs.BusRange{{0x12F00, 0x100}, {0x40001, 1}}, 1, 0x100, []uint64{0x12000}},
		{"no room", []verbs.BusRange{{0x1000, 0x3000}, {0x8000, 0x2000}}, 1, 0x3000, []uint64{0x1000, 0x2000, 0x3000}},
		{"empty piece", []verbs.BusRange{{0x1000, 0x1000}, {0x8000, 0}}, 1, 0x1000, []uint64{0x1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, q, f := newFastMR(t, 4)
			n, err := f.MapSG(ctx, c.sg, 4096)
			require.NoError(t, err)
			require.Equal(t, c.n, n)
			require.NoError(t, q.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRRegMR, Reg: verbs.RegMRWR{MR: f, Key: f.RKey()}}))
			require.Equal(t, c.sg[0].Addr, f.Addr())
			require.Equal(t, c.length, f.Length())
			operands := decode[format.RegMROperands[uint64]](t, q.sendSlot(s, 0)[32:])
			for i, page := range c.pages {
				require.Equal(t, page, binary.LittleEndian.Uint64(s.Peek(operands.Translation+8*uint64(i), 8)))
			}
		})
	}
	_, _, f := newFastMR(t, 1)
	for name, sg := range map[string][]verbs.BusRange{"none": nil, "empty": {{0x1000, 0}}, "too long": {{0x1000, 0x1001}}} {
		n, err := f.MapSG(ctx, sg, 4096)
		require.ErrorIs(t, err, verbs.ErrInvalid, name)
		require.Zero(t, n)
	}
	_, err := f.MapSG(ctx, []verbs.BusRange{{0, 1}}, 3000)
	require.ErrorIs(t, err, verbs.ErrInvalid)
}

func TestRegRefuses(t *testing.T) {
	_, q, f := newFastMR(t, 1)
	_, _, other := newFastMR(t, 1)
	reg := func(f *verbs.FastMR, key uint32) error {
		return q.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRRegMR, Reg: verbs.RegMRWR{MR: f, Key: key}})
	}
	require.ErrorIs(t, reg(f, f.RKey()), verbs.ErrInvalid, "not mapped")
	require.NoError(t, f.Map(ctx, verbs.MRMapping{Length: 1}))
	require.NoError(t, other.Map(ctx, verbs.MRMapping{Length: 1}))
	require.ErrorIs(t, reg(other, other.RKey()), verbs.ErrInvalid, "another device's")
	require.ErrorIs(t, reg(f, f.RKey()+1<<8), verbs.ErrInvalid, "another index")
	require.ErrorIs(t, reg(nil, 0), verbs.ErrInvalid)
	require.NoError(t, reg(f, f.RKey()))
	require.NoError(t, f.Dereg(ctx))
	require.ErrorIs(t, reg(f, f.RKey()), verbs.ErrDestroyed)
}
