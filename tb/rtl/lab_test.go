package rtl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/tb/workload"
	"gornic/tb/workload/play"
	"gornic/verbs"
)

// run plays a workload in a lab.
func run(t testing.TB, l *rtl.Lab, w workload.Workload, o play.Options) error {
	t.Helper()
	o.Now = l.Cycle
	var hosts [2]play.Host
	for i, h := range []*rtl.Host{l.A, l.B} {
		d, err := verbs.Open(ctx, h, verbs.Config{MAC: h.MAC})
		if err != nil {
			return err
		}
		hosts[i] = play.Host{Device: d, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6}
	}
	if _, err := play.Run(ctx, w, hosts, o); err != nil {
		return err
	}
	for _, h := range hosts {
		if err := h.Device.Close(ctx); err != nil {
			return err
		}
	}
	return l.CheckGuards()
}

// References on both sides play every workload as they do without a clock.
func TestReferences(t *testing.T) {
	config, err := configs.Load("board")
	require.NoError(t, err)
	for _, name := range workload.Names() {
		t.Run(name, func(t *testing.T) {
			w, err := workload.Load(name)
			require.NoError(t, err)
			watch := monitor.New()
			l, err := rtl.NewLab(nil, nil, rtl.Options{
				Config: config, Sides: [2]rtl.Kind{rtl.Reference, rtl.Reference}, Seed: 3, Faults: w.Faults(3), Taps: []wire.Tap{watch.Tap},
			})
			require.NoError(t, err)
			require.Nil(t, l.A.Core())
			require.NoError(t, run(t, l, w, play.Options{Seed: 3, Watch: watch}))
			require.NotZero(t, l.Cycle())
			require.NoError(t, l.Close())
		})
	}
}

// Both hosts have the same cycles, whatever their drivers do, and a frame crosses the wire in
// less than two slices.
func TestTime(t *testing.T) {
	config, err := configs.Load("tiny")
	require.NoError(t, err)
	design, io := hdltest.Build(t, echo(config.DataWidth))
	var crossed []wire.Crossing
	l, err := rtl.NewLab(design, io, rtl.Options{Config: config, Seed: hdltest.Seed(t), Taps: []wire.Tap{func(c wire.Crossing) { crossed = append(crossed, c) }}})
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	a, b := l.A.Core(), l.B.Core()
	for i := range 10 {
		require.NoError(t, l.B.WriteRegister(ctx, format.RegMACLow, uint32(i)))
		require.Equal(t, a.Cycle(), b.Cycle())
		require.NoError(t, l.A.Wait(ctx))
		require.Equal(t, a.Cycle(), b.Cycle())
	}
	v, err := l.B.ReadRegister(ctx, format.RegMACLow)
	require.NoError(t, err)
	require.EqualValues(t, 9, v)

	base, err := l.B.Alloc(64, 64)
	require.NoError(t, err)
	require.NoError(t, l.B.WriteRegister(ctx, format.RegKeyBaseLow, uint32(base)))
	require.NoError(t, l.B.WriteRegister(ctx, format.RegKeyBaseHigh, uint32(base>>32)))
	a.SendRaw([]byte("to and fro, for ever")) // out again on the raw stream
	l.B.Receive([]byte("to and fro, for ever"))
	start := l.Cycle()
	require.NoError(t, l.B.Wait(ctx))
	require.Less(t, l.Cycle(), start+128, "a write to memory ends the wait")
	require.Equal(t, []byte("to and f"), l.B.Peek(base, 8))
	require.NoError(t, l.Run(1000))
	raw, ok := a.Raw()
	require.True(t, ok)
	require.Equal(t, "to and fro, for ever", string(raw))
	require.Greater(t, len(crossed), 10)
	for i, c := range crossed {
		require.Equal(t, wire.Direction(1-i%2), c.Direction)
		require.Equal(t, "to and fro, for ever", string(c.Frame))
	}
}

// An error names its host.
func TestErrors(t *testing.T) {
	config, err := configs.Load("tiny")
	require.NoError(t, err)
	design, io := hdltest.Build(t, echo(config.DataWidth))
	l, err := rtl.NewLab(design, io, rtl.Options{Config: config})
	require.NoError(t, err)
	_, err = l.B.ReadRegister(ctx, 0xFF0)
	require.ErrorContains(t, err, "host b: axi: read at 0xff0: response 2")
	// A burst to an address that is not that of a beat.
	require.NoError(t, l.A.WriteRegister(ctx, format.RegKeyBaseLow, 4))
	l.A.Receive([]byte("x"))
	err = l.A.Wait(ctx)
	require.ErrorContains(t, err, "host a: axi: AW")
	require.Equal(t, err, l.A.Wait(ctx))
	require.Error(t, l.A.WriteRegister(ctx, format.RegKeyBaseLow, 0))
	require.ErrorContains(t, l.Close(), "host a: axi: AW")
}

func ExampleNewLab() {
	config, err := configs.Load("tiny")
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := rtl.NewLab(nil, nil, rtl.Options{Config: config, Sides: [2]rtl.Kind{rtl.Reference, rtl.Reference}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	device, err := verbs.Open(ctx, l.A, verbs.Config{MAC: l.A.MAC})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(device.Close(ctx))
	// Output: <nil>
}
