package golden

import (
	"time"

	"gornic/format"
)

// NIC is the reference device. It is used by one goroutine at a time.
type NIC struct {
	config     Config
	memory     Memory
	port       port
	mailbox    [format.MailboxBytes]byte
	done       format.CommandStatus // of the last command
	counters   [format.CounterCount]uint32
	congestion []uint32 // registers, in the order of format.Congestion

	eqs []*eventQueue      // by EQN; nil: there is none
	cqs []*completionQueue // by CQN
	qps []*queuePair       // by the low bits of the QPN

	frames [][]byte      // built, and not yet on the wire
	raw    [][]byte      // received, for the host's network stack
	turn   int           // index of the queue pair that is asked for work first
	now    time.Duration // since the device was made
}

// port is what the registers set for the device as a whole.
type port struct {
	enabled    bool
	mac        uint64
	keyBase    uint64
	keyLogSize uint32
	moderation uint32
	irqPending uint32
}

// NewNIC returns a device after reset. A number of the configuration outside of
// its range counts as the nearest inside.
func NewNIC(config Config, memory Memory) *NIC {
	config = config.inRange()
	return &NIC{
		config:     config,
		memory:     memory,
		congestion: newCongestion(config),
		eqs:        make([]*eventQueue, 1<<config.LogEQs),
		cqs:        make([]*completionQueue, 1<<config.LogCQs),
		qps:        make([]*queuePair, 1<<config.LogQPs),
	}
}

// Receive takes a frame from the wire, without FCS. The NIC does at once all
// that the frame asks for; answers wait for [NIC.Send].
func (n *NIC) Receive(frame []byte) {
	if !n.port.enabled {
		return
	}
	r := Receive(frame, false)
	switch r.Reason.Verdict() {
	case format.Accepted:
		n.count(format.CntRxAccepted)
		n.packet(r.Descriptor, r.Payload)
	case format.Passed:
		n.count(format.CntRxPassed)
		n.raw = append(n.raw, append([]byte(nil), frame...))
	case format.Dropped:
		n.count(refusedBy(r.Reason))
	}
}

// Send returns the next frame for the wire, without FCS; false if there is no
// work left that makes one.
func (n *NIC) Send() ([]byte, bool) {
	for len(n.frames) == 0 {
		if !n.Step() {
			return nil, false
		}
	}
	frame := n.frames[0]
	n.frames = n.frames[1:]
	return frame, true
}

// Step does one unit of work: it builds a packet or completes a WQE of one queue
// pair, the next in turn that has work. It returns false if none has. A frame
// that waits for Send holds back further requests, but nothing else.
func (n *NIC) Step() bool {
	if !n.port.enabled {
		return false
	}
	for i := range n.qps {
		index := (n.turn + i) % len(n.qps)
		if q := n.qps[index]; q != nil && n.work(q) {
			n.turn = index + 1
			return true
		}
	}
	return false
}

// Tick lets time pass. Retransmissions that it makes due are work for Step.
func (n *NIC) Tick(d time.Duration) { n.now += d }

// Interrupt is the interrupt output: a vector has an interrupt that software did
// not clear.
func (n *NIC) Interrupt() bool { return n.port.irqPending != 0 }

// Raw returns the next received frame for the host's network stack.
func (n *NIC) Raw() ([]byte, bool) {
	if len(n.raw) == 0 {
		return nil, false
	}
	frame := n.raw[0]
	n.raw = n.raw[1:]
	return frame, true
}

// SendRaw sends a frame of the host's network stack, without FCS.
func (n *NIC) SendRaw(frame []byte) {
	if n.port.enabled {
		n.frames = append(n.frames, append([]byte(nil), frame...))
	}
}

// Counter returns the value of a counter, 0 for one that does not exist.
func (n *NIC) Counter(c format.Counter) uint32 {
	if c < 0 || int(c) >= len(n.counters) {
		return 0
	}
	return n.counters[c]
}

// refusedBy is the counter of frames that are dropped for a reason.
func refusedBy(r format.Reason) format.Counter {
	switch r {
	case format.ReasonICRC:
		return format.CntRxICRC
	case format.ReasonPKey:
		return format.CntRxPKey
	}
	return format.CntRxRefused
}

func (n *NIC) count(c format.Counter) { n.counters[c]++ }
