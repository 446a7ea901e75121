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
	VendorKeyType     VendorCode = 17 // key of a type that the operation is not for
	VendorKeyState    VendorCode = 18 // key in a state that the operation is not for
	VendorKeyBound    VendorCode = 19 // windows are bound to the region
	VendorAlignment   VendorCode = 20 // atomic at an address that is no multiple of 8
	VendorResources   VendorCode = 21 // more READs and atomics at once than agreed
	VendorResponse    VendorCode = 22 // a response that does not fit what it answers
)
