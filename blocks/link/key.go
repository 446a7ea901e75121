package link

import (
	"gornic/format"
	"gornic/hdl"
)

// FaultBits is the width of a fault: 0 is none, else a format.VendorCode from
// VendorKeyUnknown to VendorWQERead.
const FaultBits = 5

// RightRevoke, alone among the rights that are asked for, ends the key instead, as a SEND with
// invalidate does (protocol section 3.9): what is asked behind it finds no such key.
// VA and Range mean nothing then.
const RightRevoke = 1 << 7

// KeyRequest asks the key cache whether a key grants rights over a range
// (protocol section 6).
type KeyRequest struct {
	Key    hdl.Bits `w:"32"`
	PD     hdl.Bits `w:"24"` // of the queue pair that asks
	QPN    hdl.Bits `w:"24"` // and its number, for windows of type 2
	Rights hdl.Bits `w:"8"`  // format.Access bits, all of which have to be granted; or RightRevoke
	VA     hdl.Bits `w:"64"`
	Range  hdl.Bits `w:"32"` // bytes from VA on, not zero
}

// KeyReply answers the requests of one client in their order.
type KeyReply struct {
	Fault       hdl.Bits `w:"5"`  // FaultBits; the other fields mean nothing where it is not 0
	PageShift   hdl.Bits `w:"5"`  // 0: contiguous; else log2 of a page's bytes
	Translation hdl.Bits `w:"64"` // bus address of the region, or of its page list
	Offset      hdl.Bits `w:"64"` // VA less the region's first virtual address
	First       hdl.Bits `w:"21"` // low bits of the region's first virtual address
}

// KeyPort is a client's side of the key cache.
type KeyPort struct {
	Request hdl.Stream[KeyRequest]
	Reply   hdl.Stream[KeyReply] `hdl:"flip"`
}

// KeyPort returns the prototype.
func (s Sizes) KeyPort() KeyPort {
	return KeyPort{Request: hdl.StreamOf(KeyRequest{}), Reply: hdl.StreamOf(KeyReply{})}
}

// Kinds of KeyCommand.
const (
	KeyWrite      = 0 // makes Entry, which makes sense, at the index of its key, where there is none
	KeyInvalidate = 1 // ends the key, if no windows are bound to it
	KeyQuery      = 2 // reads its entry
	KeyForget     = 3 // nothing is held any more; nobody may ask meanwhile
	KeyLocalInv   = 4 // ends Key, as a LOCAL_INV of a queue pair does
	KeyRegister   = 5 // makes a free fast-registration region what Entry says
	KeyBind       = 6 // binds the window Entry.Key to the region Entry.Parent, or ends its binding where Length is 0
)

// What queue pairs ask for is refused for the first of these reasons (protocol section 6), and then
// changes nothing. A bus error is VendorBusRead or VendorBusWrite.
//
//	KeyLocalInv, and RightRevoke
//	  VendorKeyUnknown  no entry of this index, or another key
//	  VendorKeyPD       another PD than the queue pair's; of a valid KeyWindow2, another QPN
//	  VendorKeyType     neither KeyFastRegion nor KeyWindow2
//	  VendorKeyState    not KeyValid
//	  VendorKeyBound    Windows is not 0
//	  done: State KeyFree; a window leaves the count of its parent. Nothing else of the entry changes
//	KeyRegister
//	  VendorKeyUnknown  no entry of this index; its tag may be another
//	  VendorKeyPD       as above
//	  VendorKeyType     not KeyFastRegion
//	  VendorKeyState    not KeyFree
//	  VendorKeyRights   rights that do not exist, or remote write or atomic without local write
//	  VendorKeyRange    what a KeyWrite with this VA, Length, Translation and PageShift is refused for
//	  done: State KeyValid, and Key, VA, Length, Translation, Rights and PageShift of the command
//	KeyBind: the window
//	  VendorKeyUnknown  no entry of this index; its tag may be another
//	  VendorKeyPD       as above
//	  VendorKeyType     neither KeyWindow1 nor KeyWindow2
//	  VendorKeyState    KeyWindow2, and not KeyFree
//	  VendorKeyRange    KeyWindow2, and Length is 0
//	  done with a KeyWindow1 of Length 0: State KeyFree and Key alone; it leaves the count of its parent
//	  VendorKeyRights   rights beside remote write, read and atomic
//	KeyBind: the region
//	  VendorKeyUnknown  no entry of this index, or another key
//	  VendorKeyPD       another PD than the queue pair's
//	  VendorKeyType     neither KeyRegion nor KeyFastRegion
//	  VendorKeyState    not KeyValid
//	  VendorKeyRights   without AccessMWBind; or without AccessLocalWrite where the window has remote write or atomic
//	  VendorKeyRange    the window is not inside of it
//	  done: State KeyValid, Key, VA, Length, Rights, Parent, of a KeyWindow2 QPN, and Translation and
//	  PageShift that map the window as its region does; counts of the old and of the new parent

// KeyCommand works on the key table in host memory, of which the key cache is the
// only writer. It is taken when it has been done; its KeyDone follows.
type KeyCommand struct {
	Kind  hdl.Bits                  `w:"3"` // KeyWrite and others
	Entry format.KeyEntry[hdl.Bits] // of a KeyInvalidate and KeyQuery, Key alone; of what a queue pair asks for, PD and QPN are its own
}

// KeyDone answers a KeyCommand, and is taken at once: no lookup that begins later
// sees what was before. Replies on an invalidated key may still be on their way: a Fence finds them.
type KeyDone struct {
	Status hdl.Bits                  `w:"3"` // format.CmdOK, CmdBadNumber, CmdBusy or CmdBusError
	Vendor hdl.Bits                  `w:"5"` // of KeyLocalInv, KeyRegister and KeyBind that were refused: why
	Ended  hdl.Bits                  `w:"1"` // a key that was valid is not valid any more, or another; with a bus error, it may be
	Entry  format.KeyEntry[hdl.Bits] // of a KeyQuery that went well; else it means nothing
}

// LengthBits is the width of a number of payload bytes of one packet: 0 to 4096.
const LengthBits = 13

// Segment is a piece of one packet's payload in virtual addresses. The segments
// of a packet follow each other, the last one marked; a packet without payload
// has none.
type Segment struct {
	Key    hdl.Bits `w:"32"` // lkey of the SGE that the bytes are in; of a WRITE that came, the rkey
	PD     hdl.Bits `w:"24"` // of the queue pair
	QPN    hdl.Bits `w:"24"` // its number
	Rights hdl.Bits `w:"8"`  // format.Access bits that are asked for; none: to read what is the host's own
	VA     hdl.Bits `w:"64"` // of the first byte
	Range  hdl.Bits `w:"32"` // bytes from VA on that the key has to cover; without Skip at least Len
	Len    hdl.Bits `w:"13"` // bytes of payload, not zero
	Skip   hdl.Bits `w:"1"`  // no memory: the payload is dropped (receive) or comes from the WQE (send); the key is looked at only if Rights are asked for
	Probe  hdl.Bits `w:"1"`  // no payload, and no piece: the key is looked at. Len means nothing
	Bus    hdl.Bits `w:"1"`  // VA is a bus address of the host's own: no key is looked at, and the bytes lie within one page of 4 KiB
	Find   hdl.Bits `w:"1"`  // with Probe: the bus address of VA is looked up, too
	Last   hdl.Bits `w:"1"`  // of the packet's pieces; and of its segments, unless Probed
	Probed hdl.Bits `w:"1"`  // with Last, and without Probe: one more segment follows, a Probe, which is dropped where a fault came before it
}

// IsLast makes the segments of a packet a frame.
func (s Segment) IsLast() hdl.Bits { return s.Last.And(s.Probed.Not()) }

// Piece is a piece of one packet's payload in bus addresses that follow each
// other. It may cross boundaries of 4 KiB.
type Piece struct {
	Addr hdl.Bits `w:"64"`
	Len  hdl.Bits `w:"13"` // bytes, not zero; of a dropped rest it means nothing
	Skip hdl.Bits `w:"1"`  // as in Segment; after a fault, the rest of the packet
	Last hdl.Bits `w:"1"`
}

// Translated says how the segments of one packet fared: one for each packet with
// segments, in order. With a fault, the rest of the packet's payload is dropped.
type Translated struct {
	Fault hdl.Bits `w:"5"`  // FaultBits
	Probe hdl.Bits `w:"1"`  // all its segments were probes: there are no pieces
	Tail  hdl.Bits `w:"1"`  // the fault is that of the Probe behind a payload
	Addr  hdl.Bits `w:"64"` // of the last segment, if it had Find and there is no fault: its bus address
}

// Gathered says how the payload of a packet with segments fared: one for each,
// in order. Without a fault its payload is whole in the buffer and follows, unless its segments were
// probes; with one there is no payload.
type Gathered struct {
	Fault hdl.Bits `w:"5"` // FaultBits
}
