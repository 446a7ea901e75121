package hostmem

import "gornic/fpga/blocks/port"

// Place says where the byte of a bus address is.
type Place int

// Places.
const (
	Nowhere Place = iota
	Here
	Remote
)

// Reference is the bytes of the board in plain Go.
type Reference struct{ Bytes []byte }

// Place says where a bus address is, for a board with a PC or without.
func (r Reference) Place(addr uint64, remote bool) Place {
	switch {
	case addr < uint64(len(r.Bytes)):
		return Here
	case addr >= port.RemoteBase && remote:
		return Remote
	}
	return Nowhere
}

// Write writes the bytes of a word whose bit in lanes is one; false: there is none on the board.
func (r Reference) Write(addr uint64, word [8]byte, lanes uint8) bool {
	if addr%8 != 0 || r.Place(addr, false) != Here {
		return false
	}
	for i, b := range word {
		if lanes>>i&1 == 1 {
			r.Bytes[addr+uint64(i)] = b
		}
	}
	return true
}

// Read reads a word; false: there is none on the board.
func (r Reference) Read(addr uint64) (word [8]byte, ok bool) {
	if addr%8 != 0 || r.Place(addr, false) != Here {
		return word, false
	}
	return [8]byte(r.Bytes[addr:]), true
}
