package model

import "fmt"

// Event is something that can be seen at the ports of a core, in the RTL as in the
// model: what calibration compares. Fields that a kind does not name are 0.
type Event struct {
	Cycle  int64 // of the core's clock
	Node   int   // 0 is host a, 1 is b
	Kind   EventKind
	QP     int    // index of the queue pair in the workload, from 0
	WQE    int    // index of the work request in its queue of that node, from 0
	PSN    uint32 // of the packet, counted from the first of its queue pair
	Opcode uint8  // of the packet
	Bytes  int    // of payload
}

// EventKind is a kind of event.
type EventKind uint8

// Kinds of events, with what their fields are.
const (
	// Doorbell is the cycle in which a doorbell of a send queue is offered to AXI4-Lite (both AWVALID and
	// WVALID are high, the first such cycle). QP; WQE is the last that it rings for.
	Doorbell EventKind = iota
	// WQERead is the cycle in which the address of a read of send WQEs is taken. QP; WQE is the first that it reads.
	WQERead
	// FirstOut and LastOut are the cycles in which the first and last beat of a packet leave m_axis_tx. QP, PSN, Opcode, Bytes.
	FirstOut
	LastOut
	// FirstIn and LastIn are those in which they enter s_axis_rx. QP, PSN, Opcode, Bytes.
	FirstIn
	LastIn
	// AckOut is FirstOut of an acknowledgement or NAK. QP, PSN.
	AckOut
	// CQE is the cycle in which the last beat of a CQE is taken by memory. QP; WQE is the work request that
	// completes, of the send queue.
	CQE
	// RecvCQE is likewise for the receive queue.
	RecvCQE
	// RecvDoorbell is Doorbell of a receive queue.
	RecvDoorbell
)

var kinds = [...]string{"doorbell", "wqe_read", "first_out", "last_out", "first_in", "last_in", "ack_out", "cqe", "recv_cqe", "recv_doorbell"}

func (k EventKind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return fmt.Sprintf("event %d", uint8(k))
}

// Kinds returns the names of all kinds, in their order.
func Kinds() []string { return append([]string(nil), kinds[:]...) }
