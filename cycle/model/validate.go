package model

import (
	"errors"
	"fmt"

	"gornic/tb/wire"
	"gornic/tb/workload"
)

// Validate tells what of a configuration cannot be, or is not modelled, with a workload.
func (c Config) Validate(w workload.Workload) error {
	var errs []error
	fail := func(field, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", field, fmt.Sprintf(format, args...)))
	}
	if c.ClockMHz < 1 || c.ClockMHz > 10000 {
		fail("clock_mhz", "%d: expected 1 to 10000", c.ClockMHz)
	}
	if c.NIC.DataWidth == 0 {
		fail("nic", "there is none")
	}
	if c.Host.Bus != BusAXI && c.Host.Bus != BusPCIe {
		fail("host.bus", "%q: expected %s or %s", c.Host.Bus, BusAXI, BusPCIe)
	}
	if c.Host.Latency < 0 {
		fail("host.latency", "%d: expected 0 or more cycles", c.Host.Latency)
	}
	if c.Host.PageBits < 12 || c.Host.PageBits > 30 {
		fail("host.page_bits", "%d: expected 12 to 30", c.Host.PageBits)
	}
	if c.Host.Regions < 1 {
		fail("host.regions", "%d: expected 1 or more", c.Host.Regions)
	}
	s := c.Host.Software
	if s.Post < 0 || s.Poll < 0 || s.Events < 0 {
		fail("host.software", "a time is negative")
	}
	if c.Link.Latency < 0 || c.Link.Gbps < 0 || c.Link.Framing < 0 {
		fail("link", "a number is negative")
	}
	if c.Link.Senders < 1 || c.Link.Senders > 64 {
		fail("link.senders", "%d: expected 1 to 64", c.Link.Senders)
	}
	if c.Link.Senders > 1 && c.Link.Switch.Buffer == 0 {
		fail("link.switch.buffer", "several senders meet at a switch: expected its buffer in bytes")
	}
	if b := c.Link.Switch; b.Buffer > 0 && (b.KMin < 0 || b.KMax < b.KMin || b.PMax < 0 || b.PMax > 1) {
		fail("link.switch", "marks from %d to %d bytes with a share of %g: expected 0 <= kmin <= kmax, and a share of 0 to 1", b.KMin, b.KMax, b.PMax)
	}
	if c.Link.Switch.Buffer > 0 && c.Link.Gbps == 0 {
		fail("link.gbps", "a switch has ports of a rate: expected it")
	}
	for _, x := range []struct {
		name string
		c    Cache
	}{{"context", c.Caches.Context}, {"keys", c.Caches.Keys}, {"translation", c.Caches.Translation}} {
		if x.c.Entries < 0 || x.c.Ways < 0 || x.c.Misses < 0 || x.c.Bytes < 0 || x.c.Ways > 0 && x.c.Entries%x.c.Ways != 0 {
			fail("caches."+x.name, "%d entries in sets of %d: expected whole sets, and no negative number", x.c.Entries, x.c.Ways)
		}
	}
	if c.DCQCN.Enabled && c.NIC.Congestion == 0 {
		fail("dcqcn.enabled", "the core has no congestion control: its configuration says congestion: 0")
	}
	if n := w.Connections() * max(1, c.Link.Senders); n > c.NIC.QPs {
		fail("nic.qps", "the workload has %d queue pairs at one host, the core %d", n, c.NIC.QPs)
	}
	if c.NIC.Atomics == 0 && w.Operations.CmpSwap+w.Operations.FetchAdd > 0 {
		fail("nic.atomics", "the workload has atomics, and the core has none")
	}
	for _, q := range w.QueuePairs {
		if q.PathMTU > c.NIC.PathMTU {
			fail("nic.path_mtu", "the workload has a path MTU of %d bytes, the core at most %d", q.PathMTU, c.NIC.PathMTU)
		}
		if q.Reads > c.NIC.Reads {
			fail("nic.reads", "the workload has %d READs and atomics at once, the core at most %d", q.Reads, c.NIC.Reads)
		}
	}
	return errors.Join(append(errs, c.modelled(w)...)...)
}

// modelled tells what is not.
func (c Config) modelled(w workload.Workload) []error {
	var errs []error
	if w.Operations.SendInv > 0 {
		errs = append(errs, Unsupported{"SEND with invalidate (operations.send_inv): keys are made once"})
	}
	for _, r := range w.Rules {
		if r.Action == wire.Delay {
			errs = append(errs, Unsupported{"delayed packets (faults: action: delay)"})
		}
	}
	if c.Caches.Keys.Misses > 1 || c.Caches.Translation.Misses > 1 {
		errs = append(errs, Unsupported{"several misses of keys or translations at once (caches: misses): each direction has one, as in the RTL"})
	}
	if c.NIC.Credits != 0 {
		errs = append(errs, Unsupported{"credits in acknowledgements (nic: credits: 1)"})
	}
	if c.Link.Senders > 1 && w.Direction != workload.AToB {
		errs = append(errs, Unsupported{"incast of a workload that host b sends, too (direction: a_to_b is)"})
	}
	return errs
}
