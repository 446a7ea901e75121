package format

// The extension headers that follow a BTH (protocol section 1.4).

// RETH is the RDMA extended transport header, 16 bytes.
type RETH[V any] struct {
	VA     V `w:"64"` // remote virtual address
	RKey   V `w:"32"` // remote key
	DMALen V `w:"32"` // bytes of the whole message, at most 2^31
}

// AtomicETH is the header of an atomic request, 28 bytes.
type AtomicETH[V any] struct {
	VA      V `w:"64"` // remote virtual address, a multiple of 8
	RKey    V `w:"32"` // remote key
	SwapAdd V `w:"64"` // value to store (CMP_SWAP) or to add (FETCH_ADD)
	Compare V `w:"64"` // value to compare with; 0 in FETCH_ADD
}

// AETH is the acknowledge header, 4 bytes.
type AETH[V any] struct {
	Syndrome V `w:"8"`  // ACK, RNR NAK or NAK, and its code (protocol section 1.6)
	MSN      V `w:"24"` // message sequence number of the responder
}

// AtomicAckETH is the result of an atomic operation, 8 bytes.
type AtomicAckETH[V any] struct {
	Original V `w:"64"` // the value before the operation
}

// ImmDt is immediate data, 4 bytes, opaque to the transport.
type ImmDt[V any] struct {
	Imm V `w:"32"` // delivered with the completion, as it was sent
}

// IETH names the key to invalidate, 4 bytes.
type IETH[V any] struct {
	RKey V `w:"32"` // remote key to invalidate
}

// DETH is the datagram header of UD, 8 bytes. The core does not speak UD; the
// header is here for what travels to QP 1.
type DETH[V any] struct {
	QKey  V `w:"32"` // queue key
	Resv  V `w:"8"`  // 0
	SrcQP V `w:"24"` // source queue pair number
}
