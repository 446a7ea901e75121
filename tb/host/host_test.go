package host_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gornic/tb/host"
)

func newMemory(t require.TestingT, o host.Options) *host.Memory {
	m, err := host.New(o)
	require.NoError(t, err)
	return m
}

func alloc(t require.TestingT, m *host.Memory, size, align uint64) uint64 {
	addr, err := m.Alloc(size, align)
	require.NoError(t, err)
	return addr
}

func TestOptions(t *testing.T) {
	for _, o := range []host.Options{{AddressBits: 15}, {AddressBits: 65}, {Guard: -1}, {AddressBits: 16, Guard: 1 << 20}} {
		_, err := host.New(o)
		require.Error(t, err, "%+v", o)
	}
}

// What is read is what was written, else the pattern; allocations are aligned,
// apart from each other, and their guard zones stay intact.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMemory(t, host.Options{
			Seed:        rapid.Uint64().Draw(t, "seed"),
			AddressBits: rapid.SampledFrom([]int{20, 32, 64}).Draw(t, "bits"),
			Guard:       rapid.IntRange(1, 300).Draw(t, "guard"),
		})
		live := map[uint64][]byte{}
		t.Repeat(map[string]func(*rapid.T){
			"alloc": func(t *rapid.T) {
				size := rapid.Uint64Range(1, 20000).Draw(t, "size")
				align := uint64(1) << rapid.IntRange(0, 13).Draw(t, "align")
				addr, err := m.Alloc(size, align)
				if err != nil {
					require.ErrorIs(t, err, host.ErrNoSpace)
					return
				}
				require.Zero(t, addr%align)
				require.GreaterOrEqual(t, addr, uint64(host.PageBytes))
				for other, b := range live {
					require.True(t, addr+size <= other || other+uint64(len(b)) <= addr, "%#x and %#x", addr, other)
				}
				live[addr] = m.Pattern(addr, int(size))
			},
			"write": func(t *rapid.T) {
				addr, b := someOf(t, live)
				from := rapid.IntRange(0, len(b)-1).Draw(t, "from")
				data := rapid.SliceOfN(rapid.Byte(), 0, min(len(b)-from, 200)).Draw(t, "data")
				write := m.Write
				if rapid.Bool().Draw(t, "device") {
					write = m.DeviceWrite
				}
				require.NoError(t, write(addr+uint64(from), data))
				copy(b[from:], data)
			},
			"free": func(t *rapid.T) {
				addr, _ := someOf(t, live)
				require.NoError(t, m.Free(addr))
				require.ErrorIs(t, m.DeviceWrite(addr, []byte{1}), host.ErrUnmapped)
				delete(live, addr)
			},
			"": func(t *rapid.T) {
				require.NoError(t, m.CheckGuards())
				for addr, want := range live {
					got := make([]byte, len(want))
					require.NoError(t, m.DeviceRead(addr, got))
					require.True(t, bytes.Equal(want, got))
				}
			},
		})
	})
}

// someOf draws one of the live allocations.
func someOf(t *rapid.T, live map[uint64][]byte) (uint64, []byte) {
	if len(live) == 0 {
		t.Skip("nothing allocated")
	}
	lowest := ^uint64(0)
	for addr := range live {
		lowest = min(lowest, addr)
	}
	return lowest, live[lowest]
}

// The same seed and calls give the same places; another seed gives others.
func TestPlacesFollowTheSeed(t *testing.T) {
	places := func(seed uint64) (all []uint64) {
		m := newMemory(t, host.Options{Seed: seed})
		for i := range 50 {
			all = append(all, alloc(t, m, uint64(100+i), 8))
		}
		return all
	}
	require.Equal(t, places(1), places(1))
	require.NotEqual(t, places(1), places(2))
}

func TestPlacesCrossPages(t *testing.T) {
	m := newMemory(t, host.Options{Seed: 3})
	across := 0
	for range 200 {
		addr := alloc(t, m, 64, 4)
		if addr/host.PageBytes != (addr+63)/host.PageBytes {
			across++
		}
	}
	require.Greater(t, across, 50)
	require.Less(t, across, 150)
}

// A small address space is used to its last gap, then refuses.
func TestSearchFindsGaps(t *testing.T) {
	m := newMemory(t, host.Options{AddressBits: 16, Guard: 16})
	var addrs []uint64
	for {
		addr, err := m.Alloc(1000, 8)
		if err != nil {
			require.ErrorIs(t, err, host.ErrNoSpace)
			break
		}
		addrs = append(addrs, addr)
	}
	require.GreaterOrEqual(t, len(addrs), 25, "of 60 that fit without a gap")
	require.NoError(t, m.Free(addrs[7]))
	_, err := m.Alloc(1000, 8)
	require.NoError(t, err)
}

func TestAllocRefuses(t *testing.T) {
	m := newMemory(t, host.Options{AddressBits: 32})
	for _, c := range []struct {
		size, align uint64
		want        error
	}{
		{0, 1, host.ErrParameter},
		{1, 3, host.ErrParameter},
		{1 << 32, 1, host.ErrNoSpace},
		{1 << 63, 1 << 63, host.ErrNoSpace},
		{^uint64(0), 1, host.ErrNoSpace},
	} {
		_, err := m.Alloc(c.size, c.align)
		require.ErrorIs(t, err, c.want, "%+v", c)
	}
	require.ErrorIs(t, m.Free(4096), host.ErrNotThere)
	require.ErrorIs(t, m.AllocAt(1<<32-10, 11), host.ErrParameter)
	require.NoError(t, m.AllocAt(1<<32-10, 10))
	require.ErrorIs(t, m.AllocAt(1<<32-20, 5), host.ErrOverlap, "in the guard zone")
}

// Guard zones of neighbours may touch, but not overlap.
func TestNeighbours(t *testing.T) {
	m := newMemory(t, host.Options{Guard: 16})
	require.NoError(t, m.AllocAt(0x10000, 100))
	for _, distance := range []uint64{0, 1, 16, 31} {
		require.ErrorIs(t, m.AllocAt(0x10000+100+distance, 8), host.ErrOverlap, "%d behind", distance)
		require.ErrorIs(t, m.AllocAt(0x10000-8-distance, 8), host.ErrOverlap, "%d before", distance)
	}
	require.NoError(t, m.AllocAt(0x10000+100+32, 8))
	require.NoError(t, m.AllocAt(0x10000-8-32, 8))
}

// Neighbours on one page: when one goes, the other keeps what it holds, and a new
// one finds the pattern.
func TestFreeOnSharedPage(t *testing.T) {
	m := newMemory(t, host.Options{Guard: 16})
	const a, b = 0x10000, 0x10100
	require.NoError(t, m.AllocAt(a, 64))
	require.NoError(t, m.AllocAt(b, 64))
	require.NoError(t, m.Write(a, []byte("gone")))
	require.NoError(t, m.Write(b, []byte("kept")))
	require.NoError(t, m.Free(a))
	require.Equal(t, "kept", string(m.Peek(b, 4)))
	require.NoError(t, m.AllocAt(a, 64))
	require.Equal(t, m.Pattern(a, 64), m.Peek(a, 64))
}

// The last byte of the address space can be used, and nothing wraps behind it.
func TestTopOfAddressSpace(t *testing.T) {
	m := newMemory(t, host.Options{})
	const top = ^uint64(0) - 99
	require.NoError(t, m.AllocAt(top, 100))
	require.NoError(t, m.AllocAt(0, 100))
	require.NoError(t, m.DeviceWrite(top, bytes.Repeat([]byte{7}, 100)))
	require.ErrorIs(t, m.DeviceWrite(top, make([]byte, 101)), host.ErrUnmapped)
	require.Equal(t, bytes.Repeat([]byte{7}, 100), m.Peek(top, 100))
	require.NoError(t, m.CheckGuards())
	require.NoError(t, m.Free(top))
}

func TestGuards(t *testing.T) {
	for _, c := range []struct {
		offset int64
		want   string
	}{
		{-1, "byte 1 before"}, {-256, "byte 256 before"}, {100, "byte 1 behind"}, {355, "byte 256 behind"},
	} {
		t.Run(c.want, func(t *testing.T) {
			m := newMemory(t, host.Options{Seed: 5})
			addr := alloc(t, m, 100, 1)
			at := addr + uint64(c.offset)
			b := m.Peek(at, 1)
			b[0] ^= 0x10
			require.NoError(t, m.DeviceWrite(at, b))
			err := m.CheckGuards()
			var damage *host.GuardError
			require.ErrorAs(t, err, &damage)
			require.Equal(t, at, damage.Addr)
			require.ErrorContains(t, err, c.want)
			require.ErrorAs(t, m.Free(addr), &damage)
			require.NoError(t, m.CheckGuards(), "gone with its allocation")
		})
	}
	m := newMemory(t, host.Options{})
	addr := alloc(t, m, 100, 1)
	require.ErrorIs(t, m.DeviceWrite(addr+356, []byte{1}), host.ErrUnmapped)
	require.ErrorIs(t, m.DeviceRead(addr-257, make([]byte, 2)), host.ErrUnmapped)
}

func TestFaults(t *testing.T) {
	m := newMemory(t, host.Options{Seed: 1})
	addr := alloc(t, m, 8192, 4096)
	f := m.InjectFault(addr+100, 10, host.Reads)
	b := make([]byte, 4)
	require.NoError(t, m.DeviceRead(addr+96, b))
	require.ErrorIs(t, m.DeviceRead(addr+97, b), host.ErrFault)
	require.ErrorIs(t, m.DeviceRead(addr+109, b), host.ErrFault)
	require.NoError(t, m.DeviceRead(addr+110, b))
	require.NoError(t, m.DeviceWrite(addr+100, b))
	require.NoError(t, m.Read(addr+100, b), "software meets no fault")
	require.Equal(t, 2, f.Hits())
	f.Remove()
	require.NoError(t, m.DeviceRead(addr+100, b))

	before := m.Peek(addr, 8)
	m.InjectFault(addr, 4096, host.Writes)
	var failed *host.AccessError
	require.ErrorAs(t, m.DeviceWrite(addr, make([]byte, 8)), &failed)
	require.Equal(t, host.AccessError{Source: host.Device, Write: true, Addr: addr, Size: 8, Err: host.ErrFault}, *failed)
	require.Equal(t, before, m.Peek(addr, 8))
}

func TestBeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMemory(t, host.Options{Seed: 9})
		addr := alloc(t, m, 64, 64)
		b := rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, "beat")
		strobe := rapid.Uint64().Draw(t, "strobe")
		want := m.Peek(addr, 64)
		for i := range b {
			if strobe>>i&1 == 1 {
				want[i] = b[i]
			}
		}
		require.NoError(t, m.DeviceWriteBeat(addr, b, strobe))
		require.Equal(t, want, m.Peek(addr, 64))
		require.NoError(t, m.CheckGuards())
	})
}

func TestLog(t *testing.T) {
	m := newMemory(t, host.Options{Seed: 1})
	addr := alloc(t, m, 100, 4)
	var lines []string
	remove := m.OnAccess(func(a host.Access) {
		lines = append(lines, fmt.Sprintf("%v write=%v +%d %x %v", a.Source, a.Write, a.Addr-addr, a.Data, a.Err))
	})
	require.NoError(t, m.Write(addr, []byte{1, 2}))
	require.NoError(t, m.DeviceWriteBeat(addr, []byte{3, 4, 5, 6}, 0b1011))
	require.NoError(t, m.DeviceRead(addr, make([]byte, 4)))
	m.InjectFault(addr+50, 1, host.Writes)
	require.Error(t, m.DeviceWrite(addr+50, []byte{9}))
	remove()
	require.NoError(t, m.Write(addr, []byte{1}))
	third := m.Pattern(addr+2, 1)[0]
	require.Equal(t, []string{
		"software write=true +0 0102 <nil>",
		"device write=true +0 0304 <nil>",
		"device write=true +3 06 <nil>",
		fmt.Sprintf("device write=false +0 0304%02x06 <nil>", third),
		"device write=true +50 09 injected fault",
	}, lines)
}

func TestFirstDifference(t *testing.T) {
	a, b := newMemory(t, host.Options{Seed: 4}), newMemory(t, host.Options{Seed: 4})
	addr := alloc(t, a, 9000, 8)
	require.Equal(t, addr, alloc(t, b, 9000, 8))
	_, differ := host.FirstDifference(a, b)
	require.False(t, differ)
	require.NoError(t, a.Write(addr+10, []byte("same")))
	require.NoError(t, b.Write(addr+10, []byte("same")))
	_, differ = host.FirstDifference(a, b)
	require.False(t, differ)
	old := a.Peek(addr+9000, 1)
	require.NoError(t, a.Write(addr+9000, []byte{old[0] + 1}), "in the guard zone")
	d, differ := host.FirstDifference(a, b)
	require.True(t, differ)
	require.Equal(t, host.Difference{Addr: addr + 9000, Start: addr, Size: 9000, Got: old[0] + 1, Want: old[0]}, d)
	more := alloc(t, a, 10, 1)
	d, differ = host.FirstDifference(a, b)
	require.True(t, differ)
	require.True(t, d.Allocation)
	require.Contains(t, []uint64{addr, more}, d.Addr)
	require.Contains(t, d.String(), "allocations differ from")
	other := alloc(t, b, 20, 1)
	d, differ = host.FirstDifference(a, b)
	require.True(t, differ && d.Allocation)
	require.Contains(t, []uint64{addr, more, other}, d.Addr)
	_, differ = host.FirstDifference(newMemory(t, host.Options{Seed: 1}), newMemory(t, host.Options{Seed: 2}))
	require.True(t, differ, "of two seeds")
}

// What a report says, in words.
func TestWords(t *testing.T) {
	for want, got := range map[string]fmt.Stringer{
		"byte -2 of the allocation of 10 bytes at 0x1000, at 0xffe: is 0x07, want 0x08": host.Difference{
			Addr: 0xFFE, Start: 0x1000, Size: 10, Got: 7, Want: 8,
		},
		"software": host.Software,
		"device":   host.Device,
	} {
		require.Equal(t, want, got.String())
	}
	for want, got := range map[string]error{
		"host: device write of 8 bytes at 0x1000: injected fault": &host.AccessError{
			Source: host.Device, Write: true, Addr: 0x1000, Size: 8, Err: host.ErrFault,
		},
		"host: software read of 1 bytes at 0x0: not allocated": &host.AccessError{Size: 1, Err: host.ErrUnmapped},
		"host: byte 3 behind the allocation of 16 bytes at 0x1000, at 0x1012, was written to: it is 0x01, was 0x02": &host.GuardError{
			Addr: 0x1012, Start: 0x1000, Size: 16, Got: 1, Want: 2,
		},
	} {
		require.EqualError(t, got, want)
	}
}

// The sides that a bus and a device model want.
func TestSides(t *testing.T) {
	m := newMemory(t, host.Options{Seed: 1})
	addr := alloc(t, m, 16, 16)
	m.InjectFault(addr, 1, host.Reads|host.Writes)
	device := host.DeviceSide{Memory: m}
	b := make([]byte, 4)
	require.ErrorIs(t, device.Read(addr, b), host.ErrFault)
	require.ErrorIs(t, device.Write(addr, b), host.ErrFault)
	require.NoError(t, m.WriteMemory(context.Background(), addr, []byte{1, 2, 3, 4}))
	require.NoError(t, m.ReadMemory(context.Background(), addr, b))
	require.Equal(t, []byte{1, 2, 3, 4}, b)
	m.Allocations(func(a, size uint64) { require.Equal(t, [2]uint64{addr, 16}, [2]uint64{a, size}) })
	require.ErrorIs(t, m.DeviceWriteBeat(addr, make([]byte, 65), 1), host.ErrParameter)
	f := m.InjectFault(addr+4, ^uint64(0), host.Writes) // to the end of the address space
	require.ErrorIs(t, device.Write(addr+15, b[:1]), host.ErrFault)
	require.Equal(t, 1, f.Hits())
}

// Memory that nobody wrote takes no room: a region of 2^40 bytes can be had.
func TestSparse(t *testing.T) {
	m := newMemory(t, host.Options{})
	addr := alloc(t, m, 1<<40, 1<<21)
	require.NoError(t, m.DeviceWrite(addr+1<<39, []byte{1}))
	require.Equal(t, []byte{1}, m.Peek(addr+1<<39, 1))
	require.NoError(t, m.CheckGuards())
	require.NoError(t, m.Free(addr))
}

func BenchmarkDeviceWriteBeat(b *testing.B) {
	m := newMemory(b, host.Options{})
	addr := alloc(b, m, 1<<20, 4096)
	for range 100 {
		alloc(b, m, 4096, 8)
	}
	beat := make([]byte, 64)
	b.SetBytes(64)
	for i := 0; b.Loop(); i++ {
		if err := m.DeviceWriteBeat(addr+uint64(i*64)%(1<<20), beat, ^uint64(0)); err != nil {
			b.Fatal(err)
		}
	}
}
