package atomic

import (
	"encoding/binary"
	"fmt"

	"gornic/format"
)

// Memory is host memory as the reference sees it.
type Memory interface {
	Read(addr uint64, b []byte) error
	Write(addr uint64, b []byte) error
}

// Op is an atomic operation.
type Op struct {
	CompareSwap   bool // else fetch-and-add
	Addr          uint64
	Swap, Compare uint64 // Swap is the addend of a fetch-and-add
}

// Reference executes an atomic in plain Go: it returns the number that memory had, which means nothing
// where there is a fault.
func Reference(mem Memory, o Op) (was uint64, fault format.VendorCode, err error) {
	if o.Addr%wordBytes != 0 {
		return 0, 0, fmt.Errorf("atomic at %#x, no multiple of %d", o.Addr, wordBytes)
	}
	var b [wordBytes]byte
	if mem.Read(o.Addr, b[:]) != nil {
		return 0, format.VendorBusRead, nil
	}
	was = binary.LittleEndian.Uint64(b[:])
	now := was + o.Swap
	if o.CompareSwap {
		if was != o.Compare {
			return was, format.VendorNone, nil
		}
		now = o.Swap
	}
	binary.LittleEndian.PutUint64(b[:], now)
	if mem.Write(o.Addr, b[:]) != nil {
		return was, format.VendorBusWrite, nil
	}
	return was, format.VendorNone, nil
}
