package pingpong

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/tb/rtl"
	"gornic/verbs"
)

// What ibv_rc_pingpong of rdma-core says for QPN 0x12, PSN 0xabcdef and 192.168.1.50.
const said = "0000:000012:abcdef:00000000000000000000ffffc0a80132\x00"

func TestAddressIsThatOfRDMACore(t *testing.T) {
	a := address{0x12, 0xabcdef, netip.MustParseAddr("192.168.1.50")}
	require.Equal(t, said, string(a.text()))
	require.Len(t, a.text(), addressBytes)
	again, err := parse([]byte(said))
	require.NoError(t, err)
	require.Equal(t, a, again)
	for _, wrong := range []string{"", "0000:12:34", "0000:0000xx:abcdef:00000000000000000000ffffc0a80132", "0000:000012:abcdef:ffffc0a80132"} {
		_, err := parse([]byte(wrong))
		require.Error(t, err, wrong)
	}
}

// script is a peer that says what was recorded.
type script struct {
	*bytes.Reader
	heard bytes.Buffer
}

func (s *script) Write(b []byte) (int, error) { return s.heard.Write(b) }

func TestWhoSpeaksFirst(t *testing.T) {
	own := address{7, 8, netip.MustParseAddr("10.0.0.1")}
	client := &script{Reader: bytes.NewReader([]byte(said))}
	require.NoError(t, tell(client, false, own, func(peer address) error {
		require.EqualValues(t, 0x12, peer.qpn)
		require.Equal(t, own.text(), client.heard.Bytes(), "a client tells before it knows")
		return nil
	}))
	require.Equal(t, string(own.text())+done, client.heard.String())

	server := &script{Reader: bytes.NewReader([]byte(said + done))}
	require.NoError(t, tell(server, true, own, func(address) error {
		require.Empty(t, server.heard.Bytes(), "a server is ready before it tells")
		return nil
	}))
	require.Equal(t, own.text(), server.heard.Bytes())

	require.Error(t, tell(&script{Reader: bytes.NewReader(nil)}, true, own, nil), "a peer that hangs up")
}

// shared is one host of a lab, which another goroutine uses, too.
type shared struct {
	*rtl.Host
	mu *sync.Mutex
}

func (s shared) locked(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f()
}

func (s shared) ReadRegister(ctx context.Context, offset uint32) (v uint32, err error) {
	err = s.locked(func() error { v, err = s.Host.ReadRegister(ctx, offset); return err })
	return v, err
}

func (s shared) WriteRegister(ctx context.Context, offset, value uint32) error {
	return s.locked(func() error { return s.Host.WriteRegister(ctx, offset, value) })
}

func (s shared) ReadMemory(ctx context.Context, addr uint64, b []byte) error {
	return s.locked(func() error { return s.Host.ReadMemory(ctx, addr, b) })
}

func (s shared) WriteMemory(ctx context.Context, addr uint64, b []byte) error {
	return s.locked(func() error { return s.Host.WriteMemory(ctx, addr, b) })
}

func (s shared) Alloc(size, align uint64) (addr uint64, err error) {
	err = s.locked(func() error { addr, err = s.Host.Alloc(size, align); return err })
	return addr, err
}

func (s shared) Free(addr uint64) error { return s.locked(func() error { return s.Host.Free(addr) }) }

func (s shared) Wait(ctx context.Context) error {
	return s.locked(func() error { return s.Host.Wait(ctx) })
}

// Two ends on reference NICs play with each other.
func TestRun(t *testing.T) {
	config, err := configs.Load("tiny")
	require.NoError(t, err)
	l, err := rtl.NewLab(nil, nil, rtl.Options{Config: config, Sides: [2]rtl.Kind{rtl.Reference, rtl.Reference}})
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var mu sync.Mutex
	var wires [2]net.Conn
	wires[0], wires[1] = net.Pipe()
	var results [2]Result
	errs := make(chan error, 2)
	for i, h := range []*rtl.Host{l.A, l.B} {
		peer := []*rtl.Host{l.B, l.A}[i]
		go func() {
			d, err := verbs.Open(ctx, shared{h, &mu}, verbs.Config{MAC: h.MAC})
			if err == nil {
				results[i], err = Run(ctx, d, wires[i], Options{
					Server: i == 0, IPv4: h.IPv4, PeerMAC: peer.MAC, Size: 1000, Messages: 20, MTU: verbs.MTU256,
				})
			}
			if err != nil {
				cancel() // the other end waits in vain
			}
			errs <- err
		}()
	}
	for range 2 {
		require.NoError(t, <-errs)
	}
	for _, r := range results {
		require.Equal(t, 20, r.Messages)
		require.EqualValues(t, 40000, r.Bytes)
	}
}

func TestResultReadsAsThatOfRDMACore(t *testing.T) {
	r := Result{Messages: 1000, Bytes: 8192000, Took: 500 * time.Millisecond}
	require.Equal(t, "8192000 bytes in 0.50 seconds = 131.07 Mbit/sec\n1000 iters in 0.50 seconds = 500.00 usec/iter", r.String())
}
