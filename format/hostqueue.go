package format

// FrameDescriptor is an entry of a host queue, 16 bytes: one Ethernet frame of
// the host's network stack, or room for one. A queue is a ring of 2^k of them
// in host memory; index i, free-running, is entry i modulo 2^k.
//
// Software writes all of it, with Status 0 and Phase i>>k & 1, then moves the
// queue's producer register over it. The device reads it, and when it is done
// with the buffer writes bytes 8 to 15 again, in one beat, with Phase
// 1 ^ (i>>k & 1): software that has seen n of them polls entry n for that.
// A ring of zeros is one in which nothing is done.
type FrameDescriptor[V any] struct {
	Addr     V `w:"64"` // bus address of the bytes, a multiple of FrameAlign
	Length   V `w:"16"` // bytes: of the frame, without FCS; to receive: of the buffer, then of the frame that is in it
	Status   V `w:"8"`  // FrameStatus; software writes 0
	Reserved V `w:"39"` // 0
	Phase    V `w:"1"`  // changes when the device is done with the entry, and with each lap of the ring
}

// Numbers of frames.
const (
	FrameAlign   = 64    // of a buffer; the low bits of its address count as 0
	FrameMin     = 14    // shortest frame to be sent: an Ethernet header
	FrameLogMost = 15    // log2 of the entries of the largest ring
	FrameMost    = 65535 // longest frame that Length has room for
)

// FrameStatus is what became of a frame.
type FrameStatus uint8

// Frame statuses.
const (
	FrameDone   FrameStatus = 0 // received, or to be sent and read: the buffer is software's again
	FrameLength FrameStatus = 1 // not sent: shorter than 14 bytes, or longer than the device holds
	FrameBusErr FrameStatus = 2 // host memory answered for some of it with an error: the frame is dropped
)

var frameStatusNames = [...]string{"done", "length", "bus_error"}

func (s FrameStatus) String() string { return indexed(frameStatusNames[:], s, "frame status") }

// Registers of host queues. Those of the receive queue begin at RegHostReceive,
// those of the send queue at RegHostSend; each has the same, at these offsets.
const (
	RegHostReceive  = 0x300
	RegHostSend     = 0x320
	RegHostFrameMax = 0x340

	HostBaseLow  = 0x00
	HostBaseHigh = 0x04
	HostControl  = 0x08
	HostStatus   = 0x0C
	HostProducer = 0x10
	HostConsumer = 0x14
	HostArm      = 0x18
	HostDropped  = 0x1C

	HostQueueBytes = 0x20 // of the registers of a queue
)

// Bits of the registers of a host queue.
const (
	HostEnable      = 1 << 0 // HostControl
	HostLogShift    = 4      // log2 of the ring's entries, 4 bits
	HostVectorShift = 8      // interrupt vector, 5 bits
	HostBusy        = 1 << 0 // HostStatus
	HostFailed      = 1 << 1
)

// HostRegisters returns the registers of the host queues in the order of their
// offsets. A device without host queues (RegCaps2) has none of them.
func HostRegisters() []Register {
	var all []Register
	for _, q := range []struct {
		name   string
		offset uint32
		what   string
	}{{"host_rx", RegHostReceive, "received"}, {"host_tx", RegHostSend, "to be sent"}} {
		at := func(name string, offset uint32, access RegisterAccess, doc string) {
			all = append(all, Register{q.name + "_" + name, q.offset + offset, access, doc})
		}
		at("base_low", HostBaseLow, ReadWrite, "bus address of the ring of frames "+q.what+", a multiple of its size and of 64. It and the bits of control but 0 can be written while the queue is disabled and not busy")
		at("base_high", HostBaseHigh, ReadWrite, "its high half")
		at("control", HostControl, ReadWrite, "bit 0: enabled, from index 0 on; cannot be set while the queue is busy. 7:4: log2 of the ring's entries, 12:8: interrupt vector")
		at("status", HostStatus, ReadOnly, "bit 0: busy: enabled, or host memory is still accessed; bit 1: failed: an entry could not be read or written, and nothing more happens until the queue is disabled")
		at("producer", HostProducer, ReadWrite, "index behind the last entry that software has written. One that it cannot have reached changes nothing")
		at("consumer", HostConsumer, ReadOnly, "index behind the last entry that the device is done with, and host memory has")
		at("arm", HostArm, WriteOnly, "index of the first entry that software has not seen done: one interrupt when it is, or when the queue fails; at once if it is or has")
		at("dropped", HostDropped, ReadOnly, "frames "+q.what+" that were dropped; wraps")
	}
	return append(all, Register{"host_frame_max", RegHostFrameMax, ReadOnly, "bytes of the longest frame that can be sent, and be received"})
}
