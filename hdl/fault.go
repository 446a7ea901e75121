package hdl

import (
	"fmt"
	"strings"
)

// A Fault is a defect that is put into one signal of a design on purpose, after
// the generator has run: a proof whose properties do not notice it does not
// speak of that signal. See [Proof.Breaks].
//
// A fault of a register, a wire or an input is in what the hardware reads of it;
// the properties of its own module go on seeing the signal as it is. A fault of
// an output is in what leaves the module, and everybody sees that.
type Fault struct {
	Signal string // name in Verilog behind the path of its instance: "u_fifo.head", "out_valid"
	Kind   FaultKind
	Bits   []int  // which bits; nil for all
	Name   string // what the defect stands for, for people; may be empty
}

// FaultKind says what happens to a signal.
type FaultKind int

// The kinds of fault.
const (
	FaultStuckAt0 FaultKind = iota
	FaultStuckAt1
	FaultInverted
	FaultBitsSwapped  // two bits, or all of them in the opposite order
	FaultBytesSwapped // all bytes in the opposite order
)

var faultNames = [...]string{"stuck at 0", "stuck at 1", "inverted", "bits swapped", "bytes swapped"}

// String returns the kind in words, such as "stuck at 0".
func (k FaultKind) String() string { return faultNames[k] }

// StuckAt0 makes bits of a signal zero for ever: all of them where none is named.
func StuckAt0(signal string, bits ...int) Fault {
	return Fault{Signal: signal, Kind: FaultStuckAt0, Bits: bits}
}

// StuckAt1 makes bits of a signal one for ever: all of them where none is named.
func StuckAt1(signal string, bits ...int) Fault {
	return Fault{Signal: signal, Kind: FaultStuckAt1, Bits: bits}
}

// Invert turns bits of a signal over: all of them where none is named.
func Invert(signal string, bits ...int) Fault {
	return Fault{Signal: signal, Kind: FaultInverted, Bits: bits}
}

// SwapBits exchanges two bits of a signal.
func SwapBits(signal string, a, b int) Fault {
	return Fault{Signal: signal, Kind: FaultBitsSwapped, Bits: []int{a, b}}
}

// ReverseBits puts the bits of a signal into the opposite order.
func ReverseBits(signal string) Fault { return Fault{Signal: signal, Kind: FaultBitsSwapped} }

// ReverseBytes puts the bytes of a signal, whose width is a multiple of 8, into
// the opposite order.
func ReverseBytes(signal string) Fault { return Fault{Signal: signal, Kind: FaultBytesSwapped} }

// As names what the defect stands for: Invert("crc").As("no final inversion").
func (f Fault) As(name string) Fault {
	f.Name = name
	return f
}

// String says what is broken, such as "level[2] stuck at 0" or "no final
// inversion (crc inverted)".
func (f Fault) String() string {
	what := f.Signal
	if f.Bits != nil {
		what += "[" + strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Bits), " ", ","), "[]") + "]"
	}
	what += " " + f.Kind.String()
	if f.Name != "" {
		return f.Name + " (" + what + ")"
	}
	return what
}
