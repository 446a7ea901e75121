package verbs_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/verbs"
)

// Each change, alone and with others: what is not named stays, and the key gets the next
// tag.
func TestRereg(t *testing.T) {
	place := verbs.MRInitAttr{Addr: 0x9000, Length: 0x2000, Bus: 0x7000, Access: verbs.AccessRemoteRead}
	for _, c := range []struct {
		name   string
		change verbs.Rereg
		want   format.KeyEntry[uint64]
	}{
		{"translation", verbs.ReregTranslation, format.KeyEntry[uint64]{PD: 1, VA: 0x9000, Length: 0x2000, Translation: 0x7000, Rights: format.AccessLocalWrite}},
		{"PD", verbs.ReregPD, format.KeyEntry[uint64]{PD: 2, VA: 0x5000, Length: 64, Translation: 0x5000, Rights: format.AccessLocalWrite}},
		{"access", verbs.ReregAccess, format.KeyEntry[uint64]{PD: 1, VA: 0x5000, Length: 64, Translation: 0x5000, Rights: format.AccessRemoteRead}},
		{"all", verbs.ReregTranslation | verbs.ReregPD | verbs.ReregAccess, format.KeyEntry[uint64]{PD: 2, VA: 0x9000, Length: 0x2000, Translation: 0x7000, Rights: format.AccessRemoteRead}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStation(t, 4)
			second, err := s.dev.AllocPD()
			require.NoError(t, err)
			mr, err := s.pd.RegMR(ctx, 0x5000, 64, verbs.AccessLocalWrite)
			require.NoError(t, err)
			old := mr.RKey()
			require.NoError(t, mr.Rereg(ctx, c.change, second, place))
			require.Equal(t, verbs.IncRKey(old), mr.RKey())
			require.Equal(t, mr.RKey(), mr.LKey())

			revoked := s.commands[len(s.commands)-2]
			require.Equal(t, format.CmdInvalidate, revoked.code)
			require.EqualValues(t, old, decode[format.KeyRef[uint64]](t, revoked.arg[:]).Key)
			code, entry := lastCommand[format.KeyEntry[uint64]](s.fake)
			require.Equal(t, format.CmdWriteKey, code)
			c.want.Key, c.want.State = uint64(mr.RKey()), format.KeyValid
			require.Equal(t, c.want, entry)
			require.Equal(t, c.want.VA, mr.Addr())
			require.Equal(t, c.want.Length, mr.Length())

			in, out := s.pd, second
			if c.change&verbs.ReregPD != 0 {
				in, out = second, s.pd
			}
			require.ErrorIs(t, in.Dealloc(), verbs.ErrBusy)
			require.NoError(t, out.Dealloc())
			require.NoError(t, mr.Dereg(ctx))
			require.NoError(t, in.Dealloc())
		})
	}
}

// Page lists come, stay and go with the translation alone.
func TestReregPages(t *testing.T) {
	s := newStation(t, 4)
	paged := func(page uint64) verbs.MRInitAttr {
		return verbs.MRInitAttr{Length: 1, Pages: []uint64{page}, PageSize: 4096}
	}
	before := len(allocations(s.fake))
	mr, err := s.pd.CreateMR(ctx, paged(0x1000))
	require.NoError(t, err)
	list := func() (uint64, int) {
		_, entry := lastCommand[format.KeyEntry[uint64]](s.fake)
		if entry.PageShift == 0 {
			return 0, len(allocations(s.fake)) - before
		}
		return binary.LittleEndian.Uint64(s.Peek(entry.Translation, 8)), len(allocations(s.fake)) - before
	}
	for _, step := range []struct {
		change verbs.Rereg
		attr   verbs.MRInitAttr
		page   uint64
		lists  int
	}{
		{verbs.ReregTranslation, paged(0x2000), 0x2000, 1},
		{verbs.ReregAccess, verbs.MRInitAttr{}, 0x2000, 1},
		{verbs.ReregTranslation, verbs.MRInitAttr{Length: 1}, 0, 0},
		{verbs.ReregTranslation, paged(0x3000), 0x3000, 1},
	} {
		require.NoError(t, mr.Rereg(ctx, step.change, nil, step.attr))
		page, lists := list()
		require.Equal(t, step.page, page)
		require.Equal(t, step.lists, lists)
	}
	require.NoError(t, mr.Dereg(ctx))
	require.Len(t, allocations(s.fake), before)
}

// Refused before or by the device, the region is what it was; refused its new key, it is
// gone.
func TestReregRefuses(t *testing.T) {
	s := newStation(t, 4)
	another := newStation(t, 4)
	dead, err := s.dev.AllocPD()
	require.NoError(t, err)
	require.NoError(t, dead.Dealloc())
	mr, err := s.pd.RegMR(ctx, 0x5000, 64, verbs.AccessLocalWrite)
	require.NoError(t, err)
	fast, err := s.pd.AllocFastMR(ctx, 1)
	require.NoError(t, err)
	key, commands, lists := mr.RKey(), len(s.commands), len(allocations(s.fake))
	good := verbs.MRInitAttr{Length: 8192, Pages: []uint64{0, 4096}, PageSize: 4096}
	for name, c := range map[string]struct {
		mr     *verbs.MR
		change verbs.Rereg
		pd     *verbs.PD
		attr   verbs.MRInitAttr
		want   error
	}{
		"no change":                {mr, 0, s.pd, good, verbs.ErrInvalid},
		"unknown change":           {mr, 8, s.pd, good, verbs.ErrInvalid},
		"PD of another device":     {mr, verbs.ReregPD, another.pd, good, verbs.ErrInvalid},
		"no PD":                    {mr, verbs.ReregPD, nil, good, verbs.ErrInvalid},
		"PD that is no more":       {mr, verbs.ReregPD, dead, good, verbs.ErrDestroyed},
		"no bytes":                 {mr, verbs.ReregTranslation, nil, verbs.MRInitAttr{}, verbs.ErrInvalid},
		"rights without local":     {mr, verbs.ReregAccess, nil, verbs.MRInitAttr{Access: verbs.AccessRemoteWrite}, verbs.ErrInvalid},
		"for fast registration":    {fast.MR, verbs.ReregAccess, nil, good, verbs.ErrInvalid},
		"zero-based, but not at 0": {mr, verbs.ReregAccess, nil, verbs.MRInitAttr{Access: verbs.AccessZeroBased}, verbs.ErrInvalid},
	} {
		require.ErrorIs(t, c.mr.Rereg(ctx, c.change, c.pd, c.attr), c.want, name)
	}
	require.Len(t, s.commands, commands, "the device was not asked")

	s.refuse[format.CmdInvalidate] = format.CmdBusy
	require.ErrorIs(t, mr.Rereg(ctx, verbs.ReregTranslation, nil, good), verbs.ErrBusy, "windows are bound")
	delete(s.refuse, format.CmdInvalidate)
	require.Equal(t, key, mr.RKey())
	require.Len(t, allocations(s.fake), lists)
	s.allocsLeft = 0
	require.Error(t, mr.Rereg(ctx, verbs.ReregTranslation, nil, good))
	s.allocsLeft = -1
	require.Equal(t, key, mr.RKey())

	s.refuse[format.CmdWriteKey] = format.CmdBusError
	err = mr.Rereg(ctx, verbs.ReregTranslation, nil, good)
	require.ErrorIs(t, err, verbs.ErrDestroyed)
	var refused *verbs.CommandError
	require.True(t, errors.As(err, &refused))
	require.ErrorIs(t, mr.Dereg(ctx), verbs.ErrDestroyed)
	require.Len(t, allocations(s.fake), lists)
	require.NoError(t, fast.Dereg(ctx))
	require.NoError(t, s.pd.Dealloc())
}
