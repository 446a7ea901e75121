package script

import (
	"net/netip"

	"gornic/format"
	"gornic/tb/drill/packet"
	"gornic/verbs"
)

// Case is a case of the protocol.
type Case struct {
	File   string
	About  string
	Config string            // configuration; empty: the player's
	Set    map[string]string // fields of the configuration that it needs
	Seed   uint64            // 0: the player's
	Long   bool              // takes more than a million cycles
	NICs   []string          // it is played on these alone; none: on all
	Pauses int               // percent of cycles in which the wire takes nothing of the NIC
	MRs    []MR
	MWs    []MW
	QPs    []QP
	Steps  []Step
	End    int // the last line of the file
}

// MR is a memory region.
type MR struct {
	Line     int
	Name     string
	PD       string
	Length   int
	Access   verbs.Access
	VA       uint64
	Fast     bool // for fast registration: without memory until a REG_MR
	Contents Data
}

// MW is a memory window. It is bound by a work request.
type MW struct {
	Line int
	Name string
	PD   string
	Type verbs.MWType
}

// QP is a queue pair, with a completion queue for each of its queues.
type QP struct {
	Line               int
	Name               string
	PD                 string
	QPN                uint32 // 0: as it comes
	SigAll             bool
	Congestion         bool
	Cap                verbs.QPCap
	SendCQE, RecvCQE   int
	State              verbs.QPState
	Attr               verbs.QPAttr // all attributes but State and AH
	MTU                int          // bytes
	Path               Path
	ReadsOut, ReadsIn  bool // MaxRDAtomic and MaxDestRDAtomic were given
	PeerMAC            verbs.MAC
	DestQPN            uint32
	PeerAddr, HostAddr netip.Addr // zero: the usual ones
}

// Path is where a queue pair's packets go (ibv_ah_attr).
type Path struct {
	IPv6         bool
	VLAN         verbs.VLAN
	TrafficClass uint8
	HopLimit     uint8
	FlowLabel    uint32
	SrcPort      uint16
}

// FindQP returns the definition of a queue pair.
func (c *Case) FindQP(name string) *QP {
	for i := range c.QPs {
		if c.QPs[i].Name == name {
			return &c.QPs[i]
		}
	}
	return nil
}

// FindMR returns the definition of a region.
func (c *Case) FindMR(name string) *MR {
	for i := range c.MRs {
		if c.MRs[i].Name == name {
			return &c.MRs[i]
		}
	}
	return nil
}

// Counters are those that steps look at.
func (c *Case) Counters() []format.Counter { return countersOf(c.Steps) }

func countersOf(steps []Step) (all []format.Counter) {
	for _, s := range steps {
		switch a := s.Do.(type) {
		case ExpectCounter:
			for _, d := range a.Counters {
				all = append(all, d.Counter)
			}
		case Repeat:
			all = append(all, countersOf(a.Steps)...)
		}
	}
	return all
}

// FieldValue is a field of a packet and what it is, or may be.
type FieldValue struct {
	packet.Field
	Line int
	Any  []Value
}
