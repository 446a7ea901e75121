package rtl

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
	"gornic/tb/host"
	"gornic/tb/wire"
	"gornic/verbs"
)

// Options of a [Lab].
type Options struct {
	Config configs.Config // of both NICs
	Sides  [2]Kind        // of host A and host B
	NIC    NICOptions     // of cores; Waves "x.vcd" becomes x.a.vcd and x.b.vcd
	Seed   uint64         // of memory; NIC.Seed is replaced
	Faults wire.Faults
	Taps   []wire.Tap
	Slice  int // cycles that a side runs before it is the other's turn; 0: 32
	Wait   int // cycles that a driver waits at most; 0: 1024
}

const (
	defaultSlice = 32
	defaultWait  = 1024
)

// Lab is two hosts on a wire. It is used by one goroutine at a time.
type Lab struct {
	A, B *Host
	Link *wire.Link

	o      Options
	random *rand.Rand // how long drivers wait
}

// NewLab builds a lab of a core that has been built ([Build]). Nobody has opened its devices yet.
func NewLab(design *hdl.Design, io *core.IO, o Options) (*Lab, error) {
	if o.Slice == 0 {
		o.Slice = defaultSlice
	}
	if o.Wait == 0 {
		o.Wait = defaultWait
	}
	l := &Lab{o: o, random: rand.New(rand.NewPCG(o.Seed, 0x72746C))}
	for i, at := range []**Host{&l.A, &l.B} {
		h, err := l.host(design, io, i)
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		*at = h
	}
	l.A.peer, l.B.peer = l.B, l.A
	l.Link = wire.NewLink(l.A, l.B, o.Faults, o.Taps...)
	l.Link.Clock = func() time.Duration { return time.Duration(l.Cycle()) * Cycle }
	return l, nil
}

func (l *Lab) host(design *hdl.Design, io *core.IO, i int) (*Host, error) {
	number := byte(i + 1)
	memory, err := host.New(host.Options{Seed: wire.Hash(l.o.Seed, uint64(number))})
	if err != nil {
		return nil, fmt.Errorf("rtl: %w", err)
	}
	h := &Host{
		Memory: memory, MAC: verbs.MAC{2, 0, 0, 0, 0, number},
		IPv4: netip.AddrFrom4([4]byte{10, 0, 0, number}), IPv6: netip.AddrFrom16([16]byte{0: 0xFD, 15: number}),
		lab: l, name: [...]string{"a", "b"}[i],
	}
	if l.o.Sides[i] == Reference {
		h.device = newReference(l.o.Config, memory)
		return h, nil
	}
	o := l.o.NIC
	o.Seed = wire.Hash(l.o.Seed, uint64(number), 1)
	o.Waves = wavesOf(o.Waves, h.name)
	h.device, err = NewNIC(design, io, memory, o)
	return h, err
}

// wavesOf is the file of waves of a host.
func wavesOf(file, host string) string {
	if file == "" {
		return ""
	}
	kind := filepath.Ext(file)
	return strings.TrimSuffix(file, kind) + "." + host + kind
}

// Run lets both hosts work for so many cycles, and the wire carry what they send. The
// error is the first one of either NIC.
func (l *Lab) Run(cycles int) error {
	for cycles > 0 {
		n := min(cycles, l.o.Slice)
		cycles -= n
		if err := errors.Join(l.A.run(n), l.B.run(n)); err != nil {
			return err
		}
		l.exchange()
	}
	return nil
}

// exchange carries frames until there are none.
func (l *Lab) exchange() {
	for l.Link.Step() > 0 {
	}
}

// Cycle is how many cycles both hosts have run since reset, at least.
func (l *Lab) Cycle() uint64 { return min(l.A.device.Cycle(), l.B.device.Cycle()) }

// CheckGuards tells whether a device wrote beside an allocation of either host.
func (l *Lab) CheckGuards() error { return errors.Join(l.A.CheckGuards(), l.B.CheckGuards()) }

// Close ends the simulations. It returns the first error of each.
func (l *Lab) Close() error {
	var errs []error
	for _, h := range []*Host{l.A, l.B} {
		if h != nil {
			errs = append(errs, h.named(h.device.Close()))
		}
	}
	return errors.Join(errs...)
}
