package golden

import (
	"time"

	"gornic/format"
)

// The place among the registers of format.Congestion of those that this NIC looks at.
const (
	cnpGap     = 0 // CNPGap
	cutMonitor = 9 // Monitor
)

// notifications are what a queue pair that has congestion control knows of it.
type notifications struct {
	sent, cut     bool          // there was one
	sentAt, cutAt time.Duration // the last CNP that was sent, and the last cut
}

// congestionWidths are the bits of the registers of format.Congestion.
var congestionWidths = func() []int {
	fields, err := format.Layout[format.Congestion[uint64]]()
	if err != nil {
		return nil // cannot be: tables_test of package format looks at it
	}
	var all []int
	for _, f := range fields {
		all = append(all, f.Bits)
	}
	return all
}()

// newCongestion is what the registers have after reset.
func newCongestion(c Config) []uint32 {
	var all []uint32
	for _, v := range format.CongestionDefaults(uint64(c.LineRate)).Fields() {
		all = append(all, uint32(v))
	}
	return all
}

// congestionAt returns the register at an offset, nil if there is none, and the bits that it has.
func (n *NIC) congestionAt(offset uint32) (*uint32, int) {
	i := int(offset-format.RegCongestion) / 4
	if offset < format.RegCongestion || offset%4 != 0 || i >= len(n.congestion) {
		return nil, 0
	}
	return &n.congestion[i], congestionWidths[i]
}

// withinTicks tells whether less than so many ticks of a quarter of Tick have passed.
func (n *NIC) withinTicks(since time.Duration, register int) bool {
	return n.now-since < time.Duration(n.congestion[register])*n.config.Tick/4
}

// marked answers a packet with the mark of congestion, whatever becomes of it, with a CNP, unless one was sent to that peer a
// moment ago (protocol sections 1.8 and 7).
func (n *NIC) marked(q *queuePair) {
	n.count(format.CntECNMarked)
	if v := &q.notifications; q.congestion && !(v.sent && n.withinTicks(v.sentAt, cnpGap)) {
		v.sent, v.sentAt = true, n.now
		d := q.header(format.OpCNP, 0)
		d.TrafficClass, d.BECN = cnpDSCP<<2|d.TrafficClass&ecnMark, 1
		n.count(format.CntCNPSent)
		n.transmit(d, make([]byte, cnpBytes))
	}
}

const (
	cnpDSCP  = 48
	cnpBytes = 16 // that mean nothing
)

// notified takes a CNP. A queue pair that has congestion control would be slowed down by it; this one is as fast as the wire takes
// its packets, and only counts.
func (n *NIC) notified(q *queuePair) {
	v := &q.notifications
	switch {
	case !q.congestion:
		n.count(format.CntCNPIgnored)
	case !(v.cut && n.withinTicks(v.cutAt, cutMonitor)):
		v.cut, v.cutAt = true, n.now
		n.count(format.CntCNPHandled)
	}
}
