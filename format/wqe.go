package format

// WROpcode is the operation of a send WQE: the numbers of ibv_wr_opcode, and
// above 127 the core's own for work that verbs posts in other ways.
type WROpcode uint8

// Operations of send WQEs.
const (
	WRWrite         WROpcode = 0
	WRWriteImm      WROpcode = 1
	WRSend          WROpcode = 2
	WRSendImm       WROpcode = 3
	WRRead          WROpcode = 4
	WRCompSwap      WROpcode = 5
	WRFetchAdd      WROpcode = 6
	WRLocalInv      WROpcode = 7
	WRBindMW        WROpcode = 8
	WRSendInv       WROpcode = 9
	WRRegMR         WROpcode = 128
	WRCodeBits               = 8
	MessageMax               = 1 << 31 // bytes of the longest message
	GranuleBytes             = 16      // a WQE is a whole number of granules
	ControlGranules          = 2       // of a send WQE, before its SGEs or inline data
)

// Flags of a send WQE: the numbers of ibv_send_flags.
const (
	WRFlagFence     = 1
	WRFlagSignaled  = 2
	WRFlagSolicited = 4
	WRFlagInline    = 8
)

// SendControl is the first 32 bytes of a send WQE. Behind it stand NumSGE
// [SGE]s, or InlineLen bytes of payload, or what the operation wants there.
type SendControl[V any] struct {
	Opcode     V `w:"8"`  // WROpcode
	Flags      V `w:"8"`  // WRFlag...
	NumSGE     V `w:"8"`  // SGEs that follow; 0 with inline data
	InlineLen  V `w:"8"`  // bytes of inline data
	Imm        V `w:"32"` // immediate, its bytes in the order of the wire; or the key to invalidate, as a number
	WRID       V `w:"64"` // returned in the completion
	RemoteAddr V `w:"64"` // of WRITE, READ and atomics
	RKey       V `w:"32"` // that covers it
	Reserved   V `w:"32"` // 0
}

// RecvControl is the first 16 bytes of a receive WQE. NumSGE [SGE]s follow.
type RecvControl[V any] struct {
	WRID     V `w:"64"` // returned in the completion
	NumSGE   V `w:"8"`  // SGEs that follow
	Reserved V `w:"56"` // 0
}

// SGE is a scatter/gather element, 16 bytes: a piece of a registered region. A
// length of 0 is a piece of no bytes, whose key is not looked at.
type SGE[V any] struct {
	Addr   V `w:"64"` // virtual address
	Length V `w:"32"` // bytes, at most 2^31
	LKey   V `w:"32"` // local key
}

// AtomicOperands stand behind the [SendControl] of an atomic, before its one
// [SGE], where the 8 bytes of the original value go.
type AtomicOperands[V any] struct {
	SwapOrAdd V `w:"64"` // the new value, or the addend of FETCH_ADD
	Compare   V `w:"64"` // 0 of FETCH_ADD
}

// RegMROperands stand behind the [SendControl] of a REG_MR, whose RKey is the key and
// RemoteAddr the first virtual address of the region.
type RegMROperands[V any] struct {
	Length      V `w:"64"` // bytes
	Translation V `w:"64"` // as in a [KeyEntry]
	Rights      V `w:"8"`  // Access...
	PageShift   V `w:"8"`  // as in a [KeyEntry]
	Reserved0   V `w:"48"` // 0
	Reserved1   V `w:"64"` // 0
}

// BindMWOperands stand behind the [SendControl] of a BIND_MW, whose RKey is the new key of
// the window and RemoteAddr its first virtual address.
type BindMWOperands[V any] struct {
	Length   V `w:"64"` // bytes; 0 of a window of type 1 ends its binding
	Region   V `w:"32"` // key of the region that it is bound to
	Rights   V `w:"8"`  // Access...
	Reserved V `w:"24"` // 0
}

// WQE slots of a queue are 64 << LogStride bytes, LogStride 0 to [LogStrideMax];
// the driver chooses the stride of each queue at its creation. A WQE is one slot,
// that of index i slot i modulo the size of the ring. A new QP starts at index 0,
// and so does one that went to RESET.
const (
	WQEBytesMin  = 64
	LogStrideMax = 1
	WQEBytesMax  = WQEBytesMin << LogStrideMax
)

// SendSGEs is the most SGEs of a send WQE in a slot of 64 << logStride bytes.
func SendSGEs(logStride int) int { return WQEBytesMin<<logStride/GranuleBytes - ControlGranules }

// RecvSGEs is the most SGEs of a receive WQE in a slot of 64 << logStride bytes.
func RecvSGEs(logStride int) int { return WQEBytesMin<<logStride/GranuleBytes - 1 }

// InlineMax is the most bytes of inline data in a slot of 64 << logStride bytes.
func InlineMax(logStride int) int { return GranuleBytes * SendSGEs(logStride) }
