package model

import (
	"fmt"
	"math"
	"math/bits"

	"gornic/cycle/model/host"
	"gornic/cycle/model/link"
	"gornic/cycle/model/nic"
	"gornic/cycle/model/wire"
	"gornic/cycle/simkit"
	"gornic/cycle/table"
	"gornic/format"
	"gornic/tb/workload"
)

// pair is a simulation: hosts with their cores. Node 0 is host a, node 1 host b, others are in the place of a as well.
type pair struct {
	c     Config
	w     workload.Workload
	o     Options
	e     *simkit.Engine
	wire  *wire.Wire
	nics  []*nic.NIC
	hosts []*host.Software
	meter *meter
}

// fixed-point of times of a byte on the wire.
const byteUnit = 1 << 10

func build(c Config, w workload.Workload, o Options) (*pair, error) {
	if o.Table == nil {
		t, err := table.Default()
		if err != nil {
			return nil, err
		}
		o.Table = t
	}
	m := &pair{c: c, w: w, o: o, e: simkit.New(float64(c.ClockMHz) * 1e6)}
	m.meter = newMeter(m)
	nodes := c.Link.Senders + 1
	wires := m.e.Component("Wire")
	m.wire = wire.New(wires, m.wireConfig(), nodes)
	rings := make([][][2]*link.Ring, nodes)
	for i := range nodes {
		rings[i] = m.rings(i)
		n, err := m.nic(i, rings[i])
		if err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
		m.nics = append(m.nics, n)
	}
	for i := range nodes {
		if err := m.host(i, rings[i], wires); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// connections are the queue pairs of each sender; host b has those of all.
func (m *pair) connections() int { return m.w.Connections() }

// sender is the node that is at the other end of a queue pair of host b.
func (m *pair) sender(qp int) int {
	k := qp / m.connections()
	if k == 0 {
		return 0
	}
	return k + 1
}

// first is the first queue pair of a node.
func (m *pair) first(node int) int {
	if node < 2 {
		return 0
	}
	return (node - 1) * m.connections()
}

// rings are the work queues of a node, nil where it has no such queue pair.
func (m *pair) rings(node int) [][2]*link.Ring {
	all := make([][2]*link.Ring, m.connections()*m.c.Link.Senders)
	for i := range all {
		if node != 1 && m.sender(i) != node {
			continue
		}
		q := m.w.Connection(i % m.connections())
		slots := 1 << bits.Len(uint(q.Depth-1))
		send := &link.Ring{Slots: make([]link.WQE, slots), Stride: format.WQEBytesMin << workload.LogStride(q.SendSGEs, format.SendSGEs)}
		recv := &link.Ring{Slots: make([]link.WQE, slots), Stride: format.WQEBytesMin << workload.LogStride(q.RecvSGEs, format.RecvSGEs)}
		all[i] = [2]*link.Ring{send, recv}
	}
	return all
}

func (m *pair) nic(node int, rings [][2]*link.Ring) (*nic.NIC, error) {
	c, k := m.c, m.c.NIC
	p := nic.Params{
		Node: node, Width: k.DataWidth, QPs: k.QPs, Replay: k.Replay, Reads: k.Reads, WQEs: k.WQEs, AllWQEs: c.Caches.WQEs,
		RxBeats: k.RxBuffer / (k.DataWidth / 8), RxPackets: k.RxPackets, AckTick: k.AckTick,
		Context: cacheOf(c.Caches.Context, Cache{Misses: 1, Bytes: 128}),
		Keys:    cacheOf(c.Caches.Keys, Cache{Entries: k.Keys, Bytes: 64}),
		Lines:   cacheOf(c.Caches.Translation, Cache{Entries: 4, Ways: 1, Bytes: 64}),
		Paged:   c.Host.Paged, PageBits: c.Host.PageBits, BeatTime: m.byteTime(), Framing: int32(c.Link.Framing),
		Timeout: c.Retry.Timeout, Retries: c.Retry.Count, RNRTimer: c.Retry.RNRTimer, RNRs: c.Retry.RNRCount,
		Rates: m.rates(), Table: m.o.Table, Log: m.meter.log(node),
	}
	for i, r := range rings {
		q := m.w.Connection(i % m.connections())
		p.Conns = append(p.Conns, nic.Conn{MTU: int32(q.PathMTU), IP: q.IP, MaxRD: uint32(q.Reads), SQ: r[0], RQ: r[1], ECT: c.DCQCN.Enabled})
	}
	bus, err := m.bus(node)
	if err != nil {
		return nil, err
	}
	return nic.New(m.e, p, bus)
}

// cacheOf fills in what a cache does not say.
func cacheOf(c, otherwise Cache) nic.Cache {
	if c.Entries == 0 {
		c.Entries, c.Ways = otherwise.Entries, otherwise.Ways
	}
	if c.Misses == 0 {
		c.Misses = max(1, otherwise.Misses)
	}
	if c.Bytes == 0 {
		c.Bytes = otherwise.Bytes
	}
	return nic.Cache{Entries: c.Entries, Ways: c.Ways, Misses: c.Misses, Bytes: c.Bytes}
}

// axiLeast is from an address to its first beat, and from a last beat to its answer, of memory that answers at once.
const axiLeast = 2

func (m *pair) bus(node int) (nic.Bus, error) {
	h := m.c.Host
	if h.Bus == BusAXI {
		return &host.AXI{Least: axiLeast, Latency: int64(h.Latency)}, nil
	}
	ns := func(v int) float64 { return float64(v) * float64(m.c.ClockMHz) / 1e3 }
	p := h.PCIe
	return host.NewPCIe(host.PCIeConfig{
		Gen: p.Gen, Lanes: p.Lanes, MPS: p.MPS, MRRS: p.MRRS, RCB: p.RCB, Tags: p.Tags, Posted: p.Posted, NonPosted: p.NonPost,
		Latency: ns(p.Latency), Jitter: ns(p.Jitter), TailPerMille: p.TailRate, Tail: ns(p.TailNs), Hz: float64(m.c.ClockMHz) * 1e6,
		BeatBytes: m.c.NIC.DataWidth / 8, Seed: m.o.Seed<<8 | uint64(node),
	})
}

// byteTime is the time of a byte on the wire, in fixed point; 0: the wire is as fast as the stream.
func (m *pair) byteTime() int64 {
	if m.c.Link.Gbps == 0 {
		return 0
	}
	return int64(math.Round(8 * float64(m.c.ClockMHz) * 1e6 / (m.c.Link.Gbps * 1e9) * byteUnit))
}

// lineRate is that of the wire in Mb/s.
func (m *pair) lineRate() uint64 {
	switch {
	case m.c.DCQCN.LineRate > 0:
		return uint64(m.c.DCQCN.LineRate)
	case m.c.Link.Gbps > 0:
		return uint64(m.c.Link.Gbps * 1e3)
	}
	return uint64(m.c.NIC.DataWidth * m.c.ClockMHz)
}

// rates are the settings of congestion control, nil if there is none.
func (m *pair) rates() *format.Congestion[uint64] {
	d := m.c.DCQCN
	if !d.Enabled {
		return nil
	}
	return &format.Congestion[uint64]{
		CNPGap: uint64(d.CNPGap), LineRate: min(1<<18-1, m.lineRate()), MinRate: uint64(max(1, d.MinRate)), FirstRate: uint64(d.FirstRate),
		AIRate: uint64(d.AIRate), HAIRate: uint64(d.HAIRate), ByteReset: uint64(d.ByteReset), TimeReset: uint64(d.TimeReset),
		AlphaTime: uint64(max(1, d.AlphaTime)), Monitor: uint64(d.Monitor), G: uint64(d.G), InitialAlpha: uint64(d.InitialAlpha),
		GD: uint64(d.GD), MinKeep: uint64(d.MinKeep), Threshold: uint64(d.Threshold), Clamp: uint64(d.Clamp), ClampTime: uint64(d.ClampTime),
	}
}

func (m *pair) wireConfig() wire.Config {
	l := m.c.Link
	c := wire.Config{
		Latency: int64(l.Latency), Whole: l.Whole, BeatTime: m.byteTime(), Framing: int32(l.Framing),
		Buffer: l.Switch.Buffer, KMin: l.Switch.KMin, KMax: l.Switch.KMax, PMax: l.Switch.PMax, Seed: m.o.Seed,
		Faults: m.w.Faults(m.o.Seed), MHz: m.c.ClockMHz, Log: m.meter.arrival(),
	}
	// The numbers that a driver gives to queue pairs in turn: 0 and 1 are for management.
	c.QPN = func(_ int, qp int32) uint32 {
		if qp < 2 {
			return uint32(m.c.NIC.QPs) | uint32(qp)
		}
		return uint32(qp)
	}
	c.PSN = func(from int, qp int32) uint32 {
		side := workload.A
		if from == 1 {
			side = workload.B
		}
		return workload.FirstPSN(m.seedOf(int(qp)), side, int(qp)%m.connections())
	}
	c.To = func(from int, qp int32) int {
		if from == 1 {
			return m.sender(int(qp))
		}
		return 1
	}
	return c
}

// seedOf is the seed of the workload of a queue pair's sender: each has its own.
func (m *pair) seedOf(qp int) uint64 { return m.o.Seed + uint64(qp/m.connections())<<32 }

func (m *pair) host(node int, rings [][2]*link.Ring, wires *simkit.Component) error {
	n := m.nics[node]
	c := m.e.Component(fmt.Sprintf("Host[%d].Software", node))
	n.Connect(c, wires, wires)
	m.wire.Out = append(m.wire.Out, n.Out)
	m.wire.In = append(m.wire.In, n.In)
	side := workload.A
	if node == 1 {
		side = workload.B
	}
	interval, err := m.o.Table.Get("registers", "interval", m.c.NIC.DataWidth)
	if err != nil {
		return err
	}
	h := m.c.Host.Software
	s := host.NewSoftware(c, host.SoftwareConfig{
		Workload: m.w, Seed: m.seedOf(m.first(node)), Side: side, First: m.first(node),
		Post: int64(h.Post), Poll: max(1, int64(h.Poll)), Seen: int64(h.Events), Interval: int64(interval), Regions: m.c.Host.Regions,
		Ready: m.c.Retry.Ready, Script: m.script(node), Rang: m.meter.rang(node), Done: m.meter.done(node),
	}, rings, func(qp int) *host.Software {
		if node == 1 {
			return m.hosts[m.sender(qp)]
		}
		return m.hosts[1]
	})
	if node == 1 {
		for k := 1; k < m.c.Link.Senders; k++ {
			s.Serve(k*m.connections(), m.w, m.seedOf(k*m.connections()))
		}
	}
	s.Bells, s.CQEs = n.Bells, n.CQEs
	m.hosts = append(m.hosts, s)
	return nil
}

// script is when a host rings, nil if it decides.
func (m *pair) script(node int) []host.Ring {
	if m.o.Doorbells == nil {
		return nil
	}
	all := []host.Ring{}
	for _, e := range m.o.Doorbells {
		if e.Node == node && (e.Kind == Doorbell || e.Kind == RecvDoorbell) {
			all = append(all, host.Ring{Cycle: e.Cycle, QP: e.QP, Recv: e.Kind == RecvDoorbell, Last: uint32(e.WQE)})
		}
	}
	return all
}
