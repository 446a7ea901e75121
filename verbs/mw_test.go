package verbs_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/verbs"
)

func TestIncRKey(t *testing.T) {
	require.EqualValues(t, 0x12345679, verbs.IncRKey(0x12345678))
	require.EqualValues(t, 0x12345600, verbs.IncRKey(0x123456FF), "the index stays")
}

func TestAllocMW(t *testing.T) {
	s := newStation(t, 4)
	for kind, want := range map[verbs.MWType]uint64{verbs.MWType1: format.KeyWindow1, verbs.MWType2: format.KeyWindow2} {
		w, err := s.pd.AllocMW(ctx, kind)
		require.NoError(t, err)
		require.Equal(t, kind, w.Type())
		require.Same(t, s.pd, w.PD())
		code, entry := lastCommand[format.KeyEntry[uint64]](s.fake)
		require.Equal(t, format.CmdWriteKey, code)
		require.Equal(t, format.KeyEntry[uint64]{
			Key: uint64(w.RKey()), PD: uint64(s.pd.Number()), State: format.KeyFree, Type: want,
		}, entry)
		require.ErrorIs(t, s.pd.Dealloc(), verbs.ErrBusy)
		require.NoError(t, w.Dealloc(ctx))
		code, ref := lastCommand[format.KeyRef[uint64]](s.fake)
		require.Equal(t, format.CmdInvalidate, code)
		require.EqualValues(t, w.RKey(), ref.Key)
		require.ErrorIs(t, w.Dealloc(ctx), verbs.ErrDestroyed)
	}
	require.NoError(t, s.pd.Dealloc())
	_, err := s.pd.AllocMW(ctx, verbs.MWType1)
	require.ErrorIs(t, err, verbs.ErrDestroyed)
}

func TestAllocMWRefuses(t *testing.T) {
	s := newStation(t, 4)
	for _, kind := range []verbs.MWType{0, 3} {
		_, err := s.pd.AllocMW(ctx, kind)
		require.ErrorIs(t, err, verbs.ErrInvalid)
	}
	first, err := s.pd.AllocMW(ctx, verbs.MWType1)
	require.NoError(t, err)
	s.refuse[format.CmdWriteKey] = format.CmdBusError
	_, err = s.pd.AllocMW(ctx, verbs.MWType1)
	require.Error(t, err)
	require.NoError(t, first.Dealloc(ctx))
	require.NoError(t, s.pd.Dealloc(), "the refused one is not in it")
}

// windowRig is a queue pair with what it takes to bind.
type windowRig struct {
	*station
	qp       queuePair
	mr       *verbs.MR
	one, two *verbs.MW
}

func newWindowRig(t *testing.T) *windowRig {
	s := newStation(t, 16)
	r := &windowRig{station: s, qp: s.connected(t, verbs.QPCap{MaxSendWR: 8})}
	var err error
	r.mr, err = s.pd.RegMR(ctx, 0x1000, 0x1000, verbs.AccessLocalWrite|verbs.AccessMWBind)
	require.NoError(t, err)
	r.one, err = s.pd.AllocMW(ctx, verbs.MWType1)
	require.NoError(t, err)
	r.two, err = s.pd.AllocMW(ctx, verbs.MWType2)
	require.NoError(t, err)
	return r
}

func (r *windowRig) info() verbs.MWBindInfo {
	return verbs.MWBindInfo{MR: r.mr, Addr: 0x1122334455667788, Length: 0x99, Access: verbs.AccessRemoteWrite | verbs.AccessRemoteRead}
}

// Both ways to bind, byte by byte. The window has the new key when the bind is posted.
func TestBindBytes(t *testing.T) {
	r := newWindowRig(t)
	was := r.one.RKey()
	require.NoError(t, r.qp.BindMW(ctx, r.one, verbs.MWBind{WRID: 0x55, Flags: verbs.SendSignaled | verbs.SendFence, Info: r.info()}))
	require.Equal(t, verbs.IncRKey(was), r.one.RKey())
	bytes := func(flags string, id string, key uint32) string {
		return pad("08"+flags+"0000"+"00000000"+id+"00000000000000"+"8877665544332211"+hex.EncodeToString(little32(key))+"00000000"+
			"9900000000000000"+hex.EncodeToString(little32(r.mr.RKey()))+"06000000", 64)
	}
	require.Equal(t, bytes("03", "55", r.one.RKey()), hex.EncodeToString(r.qp.sendSlot(r.station, 0)))

	key := verbs.IncRKey(verbs.IncRKey(r.two.RKey()))
	require.NoError(t, r.qp.PostSend(ctx, verbs.SendWR{
		WRID: 0x66, Opcode: verbs.WRBindMW, Bind: verbs.BindMWWR{MW: r.two, RKey: key, Info: r.info()},
	}))
	require.Equal(t, key, r.two.RKey())
	require.Equal(t, bytes("00", "66", key), hex.EncodeToString(r.qp.sendSlot(r.station, 1)))
}

func little32(x uint32) []byte { return []byte{byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24)} }

// No region is needed to unbind a window of type 1.
func TestUnbindBytes(t *testing.T) {
	r := newWindowRig(t)
	require.NoError(t, r.qp.BindMW(ctx, r.one, verbs.MWBind{WRID: 1}))
	want := pad("08000000"+"00000000"+"0100000000000000"+"0000000000000000"+hex.EncodeToString(little32(r.one.RKey())), 64)
	require.Equal(t, want, hex.EncodeToString(r.qp.sendSlot(r.station, 0)))
}

// What libibverbs refuses at the post, and what is the device's concern.
func TestBindRefuses(t *testing.T) {
	r, other := newWindowRig(t), newWindowRig(t)
	dead, err := r.pd.AllocMW(ctx, verbs.MWType2)
	require.NoError(t, err)
	require.NoError(t, dead.Dealloc(ctx))
	deadMR, err := r.pd.RegMR(ctx, 0, 8, 0)
	require.NoError(t, err)
	require.NoError(t, deadMR.Dereg(ctx))
	bind := func(change func(*verbs.BindMWWR)) verbs.SendWR {
		b := verbs.BindMWWR{MW: r.two, RKey: verbs.IncRKey(r.two.RKey()), Info: r.info()}
		change(&b)
		return verbs.SendWR{Opcode: verbs.WRBindMW, Bind: b}
	}
	for name, c := range map[string]struct {
		change func(*verbs.BindMWWR)
		want   error
	}{
		"no window":                {func(b *verbs.BindMWWR) { b.MW = nil }, verbs.ErrInvalid},
		"window of another device": {func(b *verbs.BindMWWR) { b.MW = other.two }, verbs.ErrInvalid},
		"window that is no more":   {func(b *verbs.BindMWWR) { b.MW = dead }, verbs.ErrDestroyed},
		"window of type 1":         {func(b *verbs.BindMWWR) { b.MW, b.RKey = r.one, r.one.RKey() }, verbs.ErrInvalid},
		"key of another window":    {func(b *verbs.BindMWWR) { b.RKey = r.one.RKey() }, verbs.ErrInvalid},
		"no region":                {func(b *verbs.BindMWWR) { b.Info.MR = nil }, verbs.ErrInvalid},
		"region of another device": {func(b *verbs.BindMWWR) { b.Info.MR = other.mr }, verbs.ErrInvalid},
		"region that is no more":   {func(b *verbs.BindMWWR) { b.Info.MR = deadMR }, verbs.ErrDestroyed},
		"zero-based":               {func(b *verbs.BindMWWR) { b.Info.Access = verbs.AccessZeroBased }, verbs.ErrInvalid},
		"local write":              {func(b *verbs.BindMWWR) { b.Info.Access = verbs.AccessLocalWrite }, verbs.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			err := r.qp.PostSend(ctx, bind(c.change))
			require.ErrorIs(t, err, c.want)
			requireBadWR(t, err, 0)
		})
	}
	before := r.two.RKey()
	for name, change := range map[string]func(*verbs.BindMWWR){
		"type 2 with no bytes": func(b *verbs.BindMWWR) { b.Info.Length = 0 },
		"beyond the region":    func(b *verbs.BindMWWR) { b.Info.Length = 1 << 63 },
		"the same key":         func(b *verbs.BindMWWR) { b.RKey = before },
	} {
		require.NoError(t, r.qp.PostSend(ctx, bind(change)), name)
	}
	require.ErrorIs(t, r.qp.BindMW(ctx, r.two, verbs.MWBind{Info: r.info()}), verbs.ErrInvalid, "type 2")
	require.ErrorIs(t, r.qp.BindMW(ctx, nil, verbs.MWBind{}), verbs.ErrInvalid)
	require.ErrorIs(t, r.qp.BindMW(ctx, r.one, verbs.MWBind{Flags: verbs.SendInline, Info: r.info()}), verbs.ErrInvalid)
}

// What was not posted changes no key.
func TestBindNotPosted(t *testing.T) {
	r := newWindowRig(t)
	before := []uint32{r.one.RKey(), r.two.RKey()}
	send := verbs.SendWR{Opcode: verbs.WRSend}
	require.NoError(t, r.qp.PostSend(ctx, send, send, send, send, send, send, send, send))
	require.ErrorIs(t, r.qp.BindMW(ctx, r.one, verbs.MWBind{Info: r.info()}), verbs.ErrFull)
	err := r.qp.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRBindMW, Bind: verbs.BindMWWR{MW: r.two, RKey: before[1] + 1, Info: r.info()}})
	require.ErrorIs(t, err, verbs.ErrFull)
	require.Equal(t, before, []uint32{r.one.RKey(), r.two.RKey()})
}

// A bind that failed leaves the old key in the device: the driver finds the one that
// there is.
func TestDeallocAfterFailedBind(t *testing.T) {
	r := newWindowRig(t)
	first := r.one.RKey()
	for range 2 {
		require.NoError(t, r.qp.BindMW(ctx, r.one, verbs.MWBind{Info: r.info()}))
	}
	r.refuse[format.CmdInvalidate] = format.CmdBadNumber
	before := len(r.commands)
	require.ErrorIs(t, r.one.Dealloc(ctx), verbs.ErrInvalid)
	var tried []uint32
	for _, c := range r.commands[before:] {
		tried = append(tried, uint32(decode[format.KeyRef[uint64]](t, c.arg[:]).Key))
	}
	require.Equal(t, []uint32{first + 2, first + 1, first}, tried)
	delete(r.refuse, format.CmdInvalidate)
	require.NoError(t, r.one.Dealloc(ctx))
}

// Close ends windows before the regions that they are bound to.
func TestCloseWithWindows(t *testing.T) {
	r := newWindowRig(t)
	before := len(r.commands)
	require.NoError(t, r.dev.Close(ctx))
	var ended []uint32
	for _, c := range r.commands[before:] {
		if c.code == format.CmdInvalidate {
			ended = append(ended, uint32(decode[format.KeyRef[uint64]](t, c.arg[:]).Key))
		}
	}
	require.Equal(t, []uint32{r.one.RKey(), r.two.RKey(), r.mr.RKey()}, ended)
	require.ErrorIs(t, r.one.Dealloc(ctx), verbs.ErrDestroyed)
}
