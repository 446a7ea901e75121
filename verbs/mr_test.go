package verbs_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/verbs"
)

const localRemote = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead

func TestRegMR(t *testing.T) {
	s := newStation(t, 4)
	mr, err := s.pd.RegMR(ctx, 0x123456789A, 0x1001, localRemote)
	require.NoError(t, err)
	code, entry := lastCommand[format.KeyEntry[uint64]](s.fake)
	require.Equal(t, format.CmdWriteKey, code)
	require.Equal(t, format.KeyEntry[uint64]{
		Key: uint64(mr.LKey()), PD: uint64(s.pd.Number()), State: format.KeyValid, Type: format.KeyRegion,
		VA: 0x123456789A, Length: 0x1001, Translation: 0x123456789A, Rights: 7,
	}, entry)
	require.Equal(t, mr.LKey(), mr.RKey())
	require.NotZero(t, mr.LKey())
	require.Equal(t, verbs.SGE{Addr: 0x123456789A + 16, Length: 5, LKey: mr.LKey()}, mr.SGE(16, 5))

	zero, err := s.pd.RegMR(ctx, 0x5000, 64, verbs.AccessZeroBased)
	require.NoError(t, err)
	_, entry = lastCommand[format.KeyEntry[uint64]](s.fake)
	require.Zero(t, entry.VA)
	require.EqualValues(t, 0x5000, entry.Translation)
	require.Zero(t, zero.Addr())
}

func TestPageList(t *testing.T) {
	s := newStation(t, 4)
	pages := []uint64{0x10000, 0xFFFF_FFFF_FFFF_F000, 0x3000}
	mr, err := s.pd.CreateMR(ctx, verbs.MRInitAttr{
		Addr: 0x7000_0FFF, Length: 4098, Access: verbs.AccessLocalWrite, Pages: pages, PageSize: 4096,
	})
	require.NoError(t, err)
	_, entry := lastCommand[format.KeyEntry[uint64]](s.fake)
	require.EqualValues(t, 12, entry.PageShift)
	require.EqualValues(t, 0x7000_0FFF, entry.VA)
	for i, page := range pages {
		require.Equal(t, page, binary.LittleEndian.Uint64(s.Peek(entry.Translation+8*uint64(i), 8)))
	}
	before := len(allocations(s.fake))
	require.NoError(t, mr.Dereg(ctx))
	require.Len(t, allocations(s.fake), before-1, "the list is given back")
	require.NoError(t, s.CheckGuards())
}

func TestMRRefuses(t *testing.T) {
	s := newStation(t, 4)
	two := []uint64{0x200000, 0x400000}
	for name, a := range map[string]verbs.MRInitAttr{
		"no bytes":                    {Addr: 1},
		"wraps":                       {Addr: ^uint64(0), Length: 2},
		"wraps on the bus":            {Bus: ^uint64(0), Length: 2},
		"unknown right":               {Length: 1, Access: 64},
		"remote write without local":  {Length: 1, Access: verbs.AccessRemoteWrite},
		"remote atomic without local": {Length: 1, Access: verbs.AccessRemoteAtomic | verbs.AccessRemoteRead},
		"zero-based, but not at 0":    {Addr: 1, Length: 1, Access: verbs.AccessZeroBased},
		"page size without pages":     {Length: 1, PageSize: 4096},
		"page too small":              {Length: 2048, Pages: []uint64{0}, PageSize: 2048},
		"page too large":              {Length: 4 << 20, Pages: []uint64{0}, PageSize: 4 << 20},
		"page no power of two":        {Length: 5000, Pages: []uint64{0}, PageSize: 5000},
		"a page too many":             {Length: 1 << 21, Pages: two, PageSize: 1 << 21},
		"a page too few":              {Addr: 1, Length: 2 << 21, Pages: two, PageSize: 1 << 21},
		"page not aligned":            {Length: 2 << 12, Pages: []uint64{0, 0x1800}, PageSize: 1 << 12},
		"index of the key too large":  {Length: 1, Key: 1 << 18},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(s.commands)
			_, err := s.pd.CreateMR(ctx, a)
			require.ErrorIs(t, err, verbs.ErrInvalid)
			require.Len(t, s.commands, before, "the device was not asked")
		})
	}
	for _, ok := range []verbs.MRInitAttr{
		{Addr: ^uint64(0), Length: 1, Bus: ^uint64(0)},
		{Addr: 1 << 20, Length: 2<<21 - 1<<20, Pages: two, PageSize: 1 << 21},
		{Length: 1, Access: verbs.AccessRemoteRead},
	} {
		_, err := s.pd.CreateMR(ctx, ok)
		require.NoError(t, err, "%+v", ok)
	}
}

// A key's index comes back with another tag, and late.
func TestKeys(t *testing.T) {
	f := newFake(t)
	d, err := verbs.Open(ctx, f, verbs.Config{MAC: verbs.MAC{2}, LogKeys: 2})
	require.NoError(t, err)
	pd, err := d.AllocPD()
	require.NoError(t, err)
	reg := func(key uint32) (*verbs.MR, error) {
		return pd.CreateMR(ctx, verbs.MRInitAttr{Length: 1, Key: key})
	}
	var all []*verbs.MR
	for i := range 3 {
		mr, err := reg(0)
		require.NoError(t, err)
		require.EqualValues(t, (i+1)<<8, mr.LKey())
		all = append(all, mr)
	}
	_, err = reg(0)
	require.ErrorIs(t, err, verbs.ErrExhausted)
	_, err = reg(0x2FF)
	require.ErrorIs(t, err, verbs.ErrBusy)

	require.NoError(t, all[1].Dereg(ctx))
	code, ref := lastCommand[format.KeyRef[uint64]](f)
	require.Equal(t, format.CmdInvalidate, code)
	require.EqualValues(t, 0x200, ref.Key)
	require.ErrorIs(t, all[1].Dereg(ctx), verbs.ErrDestroyed)
	mr, err := reg(0)
	require.NoError(t, err)
	require.EqualValues(t, 0x201, mr.LKey())
	require.NoError(t, mr.Dereg(ctx))
	mr, err = reg(0x2FF)
	require.NoError(t, err)
	require.NoError(t, mr.Dereg(ctx))
	mr, err = reg(0)
	require.NoError(t, err)
	require.EqualValues(t, 0x200, mr.LKey())
}

// A region whose revocation the device refuses is still registered.
func TestDeregRefused(t *testing.T) {
	s := newStation(t, 4)
	mr, err := s.pd.RegMR(ctx, 0, 64, 0)
	require.NoError(t, err)
	s.refuse[format.CmdInvalidate] = format.CmdBusy
	require.ErrorIs(t, mr.Dereg(ctx), verbs.ErrBusy)
	require.ErrorIs(t, s.pd.Dealloc(), verbs.ErrBusy)
	delete(s.refuse, format.CmdInvalidate)
	require.NoError(t, mr.Dereg(ctx))
	require.NoError(t, s.pd.Dealloc())
}

func TestQueryMR(t *testing.T) {
	s := newStation(t, 4)
	mr, err := s.pd.RegMR(ctx, 0, 64, 0)
	require.NoError(t, err)
	want := format.KeyEntry[uint64]{Key: uint64(mr.LKey()), State: format.KeyValid, Length: 64, Windows: 3}
	s.answer[format.CmdQueryKey] = encode(t, want)
	got, err := mr.Query(ctx)
	require.NoError(t, err)
	require.Equal(t, want, got)
}
