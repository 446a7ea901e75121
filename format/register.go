package format

import "strconv"

// RegisterAccess says what software may do with a register.
type RegisterAccess uint8

// Kinds of access.
const (
	ReadOnly RegisterAccess = iota
	ReadWrite
	WriteOnly
)

var accessNames = [...]string{"read", "read, write", "write"}

func (a RegisterAccess) String() string { return indexed(accessNames[:], a, "access") }

// Register is a 32-bit register of the device.
type Register struct {
	Name   string
	Offset uint32 // bytes from the start of the device's address range
	Access RegisterAccess
	Doc    string
}

// Offsets of registers, in bytes. Those of 64 bits have their low half first.
const (
	RegID          = 0x000
	RegVersion     = 0x004
	RegCaps0       = 0x008
	RegCaps1       = 0x00C
	RegControl     = 0x010
	RegStatus      = 0x014
	RegMACLow      = 0x018
	RegMACHigh     = 0x01C
	RegKeyBaseLow  = 0x020
	RegKeyBaseHigh = 0x024
	RegKeyLogSize  = 0x028
	RegModeration  = 0x02C
	RegIRQPending  = 0x030
	RegCongestion  = 0x034 // of CongestionRegisters, a word each
	RegCaps2       = 0x07C
	RegMailboxGo   = 0x080
	RegMailboxDone = 0x084
	RegMailbox     = 0x100 // MailboxBytes
	RegCounters    = 0x200 // one 32-bit counter each, see Counters
)

// DeviceID is what RegID reads as: "gorn" in memory order.
const DeviceID = 0x6E726F67

// Version of these tables, as RegVersion reads. A driver works with every device
// of its major version.
const (
	VersionMajor = 1
	VersionMinor = 0
)

// Bits of registers.
const (
	CapsCongestion = 1 << 0 // RegCaps2
	CapsNoAtomics  = 1 << 1
	CapsNoKeyOps   = 1 << 2
	ControlEnable  = 1 << 0  // RegControl
	MailboxBusy    = 1 << 31 // RegMailboxDone
)

// Registers returns the registers of the device in the order of their offsets,
// without the mailbox and the counters.
func Registers() []Register {
	all := []Register{
		{"id", RegID, ReadOnly, "0x6E726F67"},
		{"version", RegVersion, ReadOnly, "major in bits 31:16, minor in 15:0"},
		{"caps0", RegCaps0, ReadOnly, "log2 of: QPs 4:0, CQs 12:8, EQs 20:16, data width in bytes 26:24; path MTU code 30:28"},
		{"caps1", RegCaps1, ReadOnly, "doorbell pages 15:0; replay entries a QP 23:16"},
		{"control", RegControl, ReadWrite, "bit 0: enabled. Until then no packet is sent or taken"},
		{"status", RegStatus, ReadOnly, "bit 0: enabled, bit 1: a command is running"},
		{"mac_low", RegMACLow, ReadWrite, "low 32 bits of the port's MAC address"},
		{"mac_high", RegMACHigh, ReadWrite, "its high 16 bits"},
		{"key_base_low", RegKeyBaseLow, ReadWrite, "bus address of the key table, a multiple of 64"},
		{"key_base_high", RegKeyBaseHigh, ReadWrite, "its high half"},
		{"key_log_size", RegKeyLogSize, ReadWrite, "log2 of the entries of the key table, 0 to 24"},
		{"moderation", RegModeration, ReadWrite, "least cycles between two interrupts of a vector"},
		{"irq_pending", RegIRQPending, ReadWrite, "vectors with an interrupt; write ones to clear"},
	}
	all = append(all, CongestionRegisters()...)
	return append(all,
		Register{"caps2", RegCaps2, ReadOnly, "bit 0: queue pairs may have congestion control, bit 1: no atomics, bit 2: no work requests that change keys; READs and atomics outstanding of a QP 15:8; clock cycles of 4.096 us, the unit of retry timers, 31:16, 0: not known"},
		Register{"mailbox_go", RegMailboxGo, WriteOnly, "CommandCode: starts it on what is in the mailbox"},
		Register{"mailbox_done", RegMailboxDone, ReadOnly, "bit 31: a command is running; 7:0: CommandStatus of the last"},
	)
}

// Doorbells. Page n lies at DoorbellBase + n * DoorbellPageBytes. The offset in
// the page is the kind; the data is the free-running index in bits 31:16 and the
// low 16 bits of the QPN, CQN or EQN in 15:0.
const (
	DoorbellBase      = 0x1000
	DoorbellPageBytes = 0x1000

	DoorbellSQ           = 0x00 // producer index of the send queue
	DoorbellRQ           = 0x04 // producer index of the receive queue
	DoorbellCQ           = 0x08 // consumer index of the completion queue
	DoorbellArm          = 0x0C // the same, and an event for the next CQE
	DoorbellArmSolicited = 0x10 // the same, and an event for the next solicited or failed one
	DoorbellEQ           = 0x14 // consumer index of an event queue; page 0 only
)

// Counter is the number of a counter behind RegCounters. Each has 32 bits and
// wraps. Those that the rdma tool of Linux knows of other devices have the
// name, and count what, they do there.
type Counter int

// Counters of the device.
const (
	// Frames, by what the parser makes of them.
	CntRxAccepted Counter = iota // packets accepted by the parser
	CntRxPassed                  // frames for the host's network stack
	CntRxFull                    // frames dropped for want of room
	CntRxICRC                    // frames dropped because their ICRC is wrong
	CntRxPKey                    // frames dropped because of their partition key
	CntRxRefused                 // frames dropped for another reason

	// Packets that no QP takes.
	CntRxBadQP      // packets for a QP that does not exist, or had another number
	CntRxBadAddress // packets for a QP that come from another address than its peer's, or go to another than its own
	CntRxBadState   // packets for a QP whose state takes none such, or that has failed

	// Requests, and what the responder makes of them.
	CntRxDuplicate    // requests received again
	CntRxAhead        // requests with a PSN ahead of the expected one
	CntOutOfBuffer    // requests answered with an RNR NAK for want of a receive WQE
	CntRespInvalid    // requests refused with NAK 0x61
	CntRespAccess     // requests refused with NAK 0x62
	CntRespOperation  // requests refused with NAK 0x63
	CntRespLength     // messages longer than their receive WQE
	CntRespCQEErrors  // receive WQEs completed with an error, but for those flushed
	CntRespCQEFlushes // receive WQEs flushed

	// Responses, and what the requester makes of them.
	CntRxIgnored       // responses that answer nothing
	CntSequenceNAKs    // NAKs 0x60 received
	CntImpliedNAKs     // responses that tell that one to a READ or atomic is lost, which is behind the one due
	CntRNRNAKs         // RNR NAKs received
	CntReqInvalid      // requests that the peer refused with NAK 0x61
	CntReqAccess       // requests that the peer refused with NAK 0x62
	CntReqOperation    // requests that the peer refused with NAK 0x63
	CntTimeouts        // expiries of the local ACK timeout
	CntRetriesExceeded // QPs that failed because their retries were used up
	CntRNRExceeded     // QPs that failed because their RNR retries were used up
	CntReqCQEErrors    // send WQEs completed with an error, but for those flushed
	CntReqCQEFlushes   // send WQEs flushed

	// What is sent.
	CntTxPackets // packets sent
	CntTxResent  // requests among them that were sent before
	CntTxNAKs    // NAKs among them, those for RNR, too

	// Congestion.
	CntCNPHandled // CNPs that lowered a rate
	CntCNPIgnored // CNPs for QPs without congestion control
	CntECNMarked  // packets received with the mark of congestion
	CntCNPSent    // CNPs sent

	// The host.
	CntBadDoorbell     // doorbells refused
	CntKeyMisses       // key lookups that went to host memory
	CntBusErrors       // error responses of host memory
	CounterCount   int = iota
)

var counterNames = [CounterCount]string{
	"rx_accepted", "rx_passed", "rx_full", "rx_icrc_encapsulated", "rx_bad_pkey", "rx_refused",
	"rx_bad_qp", "rx_bad_address", "rx_bad_state",
	"duplicate_request", "out_of_sequence", "out_of_buffer",
	"resp_remote_invalid_request", "resp_remote_access_errors", "resp_remote_operation_errors", "resp_local_length_error",
	"resp_cqe_error", "resp_cqe_flush_error",
	"rx_ignored", "packet_seq_err", "implied_nak_seq_err", "rnr_nak_retry_err",
	"req_remote_invalid_request", "req_remote_access_errors", "req_remote_operation_errors",
	"local_ack_timeout_err", "req_transport_retries_exceeded", "req_rnr_retries_exceeded", "req_cqe_error", "req_cqe_flush_error",
	"tx_packets", "tx_resent", "tx_naks",
	"rp_cnp_handled", "rp_cnp_ignored", "np_ecn_marked_roce_packets", "np_cnp_sent",
	"bad_doorbell", "key_misses", "bus_errors",
}

func (c Counter) String() string {
	if c >= 0 && int(c) < CounterCount {
		return counterNames[c]
	}
	return "counter " + strconv.Itoa(int(c))
}
