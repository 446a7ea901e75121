package format

// PKeyDefault is the partition key of RoCE: the default partition, full member.
const PKeyDefault = 0xFFFF

// PKeyMask covers the partition number; the bit above it is the membership.
const PKeyMask = 0x7FFF

// Queue pair numbers with a meaning of their own.
const (
	QP0 = 0 // subnet management: does not exist in RoCE
	QP1 = 1 // general services: connection management
)

// MTUMax is the largest path MTU: the most payload bytes of one packet.
const MTUMax = 4096

// ICRCSize is the length of the invariant CRC that ends a packet, in bytes.
const ICRCSize = 4

// BTH is the base transport header, 12 bytes (protocol section 1.3).
type BTH[V any] struct {
	Opcode V `w:"8"`  // transport (3 bits) and operation (5): see Opcodes
	SE     V `w:"1"`  // solicited event
	MigReq V `w:"1"`  // migration state: sent as 0, either is accepted
	PadCnt V `w:"2"`  // pad bytes between payload and ICRC
	TVer   V `w:"4"`  // transport header version: 0
	PKey   V `w:"16"` // partition key
	FECN   V `w:"1"`  // forward congestion notification: ignored
	BECN   V `w:"1"`  // backward congestion notification: 1 in a CNP
	Resv6  V `w:"6"`  // sent as 0, ignored; its whole byte is not covered by the ICRC
	DestQP V `w:"24"` // destination queue pair number
	AckReq V `w:"1"`  // the sender asks for an acknowledgement
	Resv7  V `w:"7"`  // sent as 0, ignored, covered by the ICRC
	PSN    V `w:"24"` // packet sequence number
}
