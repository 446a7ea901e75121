package model

import (
	"fmt"

	"gornic/configs"
	"gornic/format"
)

// Config is a pair of hosts, each with the NIC, and what lies between them. Start
// from [Default]: the zero value is not valid.
type Config struct {
	NIC      configs.Config `yaml:"-"`         // of both cores: the file that the RTL is generated from
	ClockMHz int            `yaml:"clock_mhz"` // of the core; all cycles are of this clock
	Caches   Caches         `yaml:"caches"`
	Host     Host           `yaml:"host"`
	Link     Link           `yaml:"link"`
	Retry    Retry          `yaml:"retry"`
	DCQCN    DCQCN          `yaml:"dcqcn"`
}

// Caches are the caches of state that may lie in host memory. That of keys is
// NIC.Keys, and that of WQEs NIC.WQEs of each queue.
type Caches struct {
	Context     Cache `yaml:"context"`     // of queue pairs; Entries 0: all are on chip, as in the RTL
	Keys        Cache `yaml:"keys"`        // Entries 0: NIC.Keys, as in the RTL
	Translation Cache `yaml:"translation"` // lines of 8 pages, in each direction; Entries 0: 4, as in the RTL
	WQEs        int   `yaml:"wqes"`        // WQEs of 128 bytes read ahead over all send queues; 0: NIC.WQEs of each, as in the RTL
}

// Cache is one cache, least recently used in sets.
type Cache struct {
	Entries int `yaml:"entries"`
	Ways    int `yaml:"ways"`   // 0: fully associative
	Misses  int `yaml:"misses"` // that may be outstanding at once; 0: 1
	Bytes   int `yaml:"bytes"`  // of host memory that a miss reads; 0: that of the RTL's format
}

// Host is a host: its memory behind its bus, and its software.
type Host struct {
	Bus      string   `yaml:"bus"`       // "axi": memory at the core's AXI4 port, as in the co-simulation; "pcie": behind PCIe
	Latency  int      `yaml:"latency"`   // of memory in cycles beside the least, of axi
	PCIe     PCIe     `yaml:"pcie"`      // of pcie
	Software Software `yaml:"software"`  // of the driver and the application
	Paged    bool     `yaml:"paged"`     // registered memory lies in pages, and each has a page list; else in one piece
	PageBits int      `yaml:"page_bits"` // log2 of the bytes of such a page, 12 to 30
	Regions  int      `yaml:"regions"`   // memory regions of each queue pair; its messages use them in turn
}

// Software says how long the host takes over its work, in cycles of the core.
type Software struct {
	Post   int `yaml:"post"`   // from a completion seen, or work that has arrived, to its doorbell
	Poll   int `yaml:"poll"`   // between two looks at a completion queue
	Events int `yaml:"events"` // from a CQE in memory until software may see it
}

// PCIe is a PCIe link at the level of TLPs.
type PCIe struct {
	Gen      int `yaml:"gen"`       // 1 to 6
	Lanes    int `yaml:"lanes"`     // 1, 2, 4, 8 or 16
	MPS      int `yaml:"mps"`       // largest payload of a TLP, bytes
	MRRS     int `yaml:"mrrs"`      // largest read request, bytes
	RCB      int `yaml:"rcb"`       // read completion boundary, bytes
	Tags     int `yaml:"tags"`      // reads outstanding
	Posted   int `yaml:"posted"`    // header credits for writes
	NonPost  int `yaml:"nonposted"` // header credits for reads
	Latency  int `yaml:"latency_ns"`
	Jitter   int `yaml:"jitter_ns"`      // added to some: exponential with this mean
	TailRate int `yaml:"tail_per_mille"` // of reads that take TailNs more
	TailNs   int `yaml:"tail_ns"`
}

// Link is the wire between the hosts.
type Link struct {
	Gbps    float64 `yaml:"gbps"`    // 0: as fast as the core's stream
	Latency int     `yaml:"latency"` // cycles from a beat out of one core to the same beat into the other
	Whole   bool    `yaml:"whole"`   // frames are carried whole: Latency is from the last beat out to the first beat in
	Framing int     `yaml:"framing"` // bytes of each frame on the wire beside the core's stream: FCS, preamble, gap; 0 if Gbps is 0
	Switch  Switch  `yaml:"switch"`
	Senders int     `yaml:"senders"` // hosts that send to host b through the switch at once; 1: no incast
}

// Switch is the queue in front of each host's port.
type Switch struct {
	Buffer int     `yaml:"buffer"` // bytes; 0: there is no switch
	KMin   int     `yaml:"kmin"`   // bytes from which packets are marked with CE
	KMax   int     `yaml:"kmax"`   // bytes from which all are
	PMax   float64 `yaml:"pmax"`   // share that is at KMax
}

// Retry are the attributes of queue pairs (protocol sections 4.6 and 5).
type Retry struct {
	Timeout  int  `yaml:"timeout"`   // exponent: 4.096 us * 2^Timeout; 0: never
	Count    int  `yaml:"count"`     // 0 to 7
	RNRTimer int  `yaml:"rnr_timer"` // code of the wait of a receiver that is not ready
	RNRCount int  `yaml:"rnr_count"` // 0 to 7; 7: for ever
	Ready    bool `yaml:"ready"`     // a message that consumes a receive work request waits until one is posted
}

// DCQCN are the settings of congestion control, those of the core's registers (docs/registers): times in ticks of 1.024 us,
// rates in Mb/s.
type DCQCN struct {
	Enabled      bool `yaml:"enabled"` // queue pairs take part; NIC.Congestion has to be 1
	CNPGap       int  `yaml:"cnp_gap"`
	LineRate     int  `yaml:"line_rate"` // 0: that of the link
	MinRate      int  `yaml:"min_rate"`
	FirstRate    int  `yaml:"first_rate"`
	AIRate       int  `yaml:"ai_rate"`
	HAIRate      int  `yaml:"hai_rate"`
	ByteReset    int  `yaml:"byte_reset"`
	TimeReset    int  `yaml:"time_reset"`
	AlphaTime    int  `yaml:"alpha_time"`
	Monitor      int  `yaml:"monitor"`
	G            int  `yaml:"g"`
	InitialAlpha int  `yaml:"initial_alpha"`
	GD           int  `yaml:"gd"`
	MinKeep      int  `yaml:"min_keep"`
	Threshold    int  `yaml:"threshold"`
	Clamp        int  `yaml:"clamp"`
	ClampTime    int  `yaml:"clamp_time"`
}

func defaultDCQCN() DCQCN {
	d := format.CongestionDefaults(0)
	return DCQCN{
		CNPGap: int(d.CNPGap), MinRate: int(d.MinRate), FirstRate: int(d.FirstRate), AIRate: int(d.AIRate), HAIRate: int(d.HAIRate),
		ByteReset: int(d.ByteReset), TimeReset: int(d.TimeReset), AlphaTime: int(d.AlphaTime), Monitor: int(d.Monitor), G: int(d.G),
		InitialAlpha: int(d.InitialAlpha), GD: int(d.GD), MinKeep: int(d.MinKeep), Threshold: int(d.Threshold),
		Clamp: int(d.Clamp), ClampTime: int(d.ClampTime),
	}
}

// Buses of hosts.
const (
	BusAXI  = "axi"
	BusPCIe = "pcie"
)

// Default is the pair of a configuration as the co-simulation has it: memory that
// answers at once, and a wire as fast as the core that loses nothing.
func Default(nic configs.Config) Config {
	return Config{
		NIC: nic, ClockMHz: 250,
		Host: Host{
			Bus: BusAXI, PageBits: 12, Regions: 1,
			PCIe:     PCIe{Gen: 4, Lanes: 16, MPS: 256, MRRS: 512, RCB: 64, Tags: 64, Posted: 64, NonPost: 64, Latency: 450},
			Software: Software{Poll: 1},
		},
		Link:  Link{Senders: 1},
		Retry: Retry{Timeout: 14, Count: 7, RNRTimer: 12, RNRCount: 7, Ready: true},
		DCQCN: defaultDCQCN(),
	}
}

// Unsupported is what the model does not have. It is an error rather than a result
// that leaves it out.
type Unsupported struct{ What string }

func (u Unsupported) Error() string { return fmt.Sprintf("the cycle model has no %s", u.What) }
