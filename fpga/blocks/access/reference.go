package access

import "gornic/fpga/blocks/port"

// Target is who answers an access.
type Target int

// Who answers.
const (
	Nobody Target = iota
	Core
	Board
	Memory
)

// Reference says who answers an access, and at which address of its own, with a core of so many
// address bits.
func Reference(memory bool, addr uint64, coreBits int) (Target, uint64) {
	switch {
	case memory:
		return Memory, addr
	case addr%4 != 0:
		return Nobody, 0
	case addr < 1<<coreBits:
		return Core, addr
	case addr >= port.BoardBase && addr < port.BoardBase+1<<BoardBits:
		return Board, addr - port.BoardBase
	}
	return Nobody, 0
}
