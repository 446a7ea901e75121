package format

// VendorCode is the core's own reason in a CQE or EQE, finer than a status.
type VendorCode uint16

// Vendor codes.
const (
	VendorNone        VendorCode = 0
	VendorBadOpcode   VendorCode = 1  // operation of a WQE that does not exist
	VendorBadSGECount VendorCode = 2  // more SGEs or inline bytes than the slot has
	VendorTooLong     VendorCode = 3  // message over 2^31 bytes, or 2^23 packets
	VendorKeyUnknown  VendorCode = 4  // no such key, or not valid
	VendorKeyPD       VendorCode = 5  // key of another protection domain or QP
	VendorKeyRights   VendorCode = 6  // right not granted
	VendorKeyRange    VendorCode = 7  // outside of the key's range
	VendorBusRead     VendorCode = 8  // error response to a read of host memory
	VendorBusWrite    VendorCode = 9  // and to a write
	VendorSequence    VendorCode = 10 // opcode out of sequence
	VendorLength      VendorCode = 11 // packet length against MTU or RETH
	VendorNoRoom      VendorCode = 12 // message longer than the receive WQE
	VendorAccess      VendorCode = 13 // the QP does not grant the operation
	VendorNAK         VendorCode = 14 // the peer refused; the status says how
	VendorCQOverflow  VendorCode = 15 // the completion queue was full
	VendorWQERead     VendorCode = 16 // the WQE could not be read
)
