package format

// A key is 32 bits: the index of its entry in the key table in bits 31 to 8, a
// tag in bits 7 to 0 (protocol section 6).
const (
	KeyTagBits   = 8
	KeyIndexBits = 24
)

// Access rights: the numbers of ibv_access_flags.
const (
	AccessLocalWrite   = 1
	AccessRemoteWrite  = 2
	AccessRemoteRead   = 4
	AccessRemoteAtomic = 8
	AccessMWBind       = 16
	AccessZeroBased    = 32
)

// States of a key.
const (
	KeyInvalid = 0 // no such key
	KeyFree    = 1 // allocated for fast registration or a window, not usable
	KeyValid   = 2
)

// Types of a key.
const (
	KeyRegion     = 0 // an ordinary memory region
	KeyFastRegion = 1 // a region for fast registration
	KeyWindow1    = 2 // a memory window of type 1
	KeyWindow2    = 3 // a memory window of type 2: only through its QP
)

// KeyEntry is an entry of the key table in host memory, 64 bytes.
//
// A contiguous key (PageShift 0) maps VA to Translation. Else Translation is the
// bus address of a list of 8-byte bus addresses, of a page of 1 << PageShift
// bytes each: entry i is the page of virtual addresses from (VA >> PageShift) + i
// on.
type KeyEntry[V any] struct {
	Key         V `w:"32"` // the whole key
	PD          V `w:"24"` // protection domain
	State       V `w:"4"`  // KeyValid and others
	Type        V `w:"4"`  // KeyRegion and others
	VA          V `w:"64"` // first virtual address
	Length      V `w:"64"` // bytes
	Translation V `w:"64"` // bus address
	Rights      V `w:"8"`  // Access...
	PageShift   V `w:"8"`  // 12 to 21; 0: contiguous
	QPN         V `w:"24"` // of a KeyWindow2: the QP that bound it
	Windows     V `w:"24"` // of a region: windows bound to it
	Parent      V `w:"32"` // of a window: the key of its region
	Reserved0   V `w:"32"` // 0
	Reserved1   V `w:"64"` // 0
	Reserved2   V `w:"64"` // 0
}

// Page sizes of a page list.
const (
	PageShiftMin = 12
	PageShiftMax = 21
)
