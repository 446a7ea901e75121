package packet

import (
	"fmt"
	"strconv"
	"strings"

	"gornic/format"
)

// OpcodeName is the name of an opcode in the table, its number if it has none.
func OpcodeName(op format.Opcode) string {
	if info, ok := format.Lookup(op); ok {
		return info.Name
	}
	return fmt.Sprintf("0x%02x", uint8(op))
}

// ParseOpcode returns the opcode of a name in the table.
func ParseOpcode(name string) (format.Opcode, bool) {
	for op := range 256 {
		if info, ok := format.Lookup(format.Opcode(op)); ok && info.Name == name {
			return info.Code, true
		}
	}
	return 0, false
}

// Names of the codes of a NAK (protocol section 1.6).
var nakNames = []string{
	"NAK_SEQUENCE", "NAK_INVALID_REQUEST", "NAK_REMOTE_ACCESS", "NAK_REMOTE_OPERATIONAL", "NAK_INVALID_RD_REQUEST",
}

// SyndromeNames are the names of syndromes; ACK and RNR_NAK take a code behind them.
func SyndromeNames() []string { return append([]string{"ACK", "RNR_NAK"}, nakNames...) }

// SyndromeName is the name of a syndrome, with its code.
func SyndromeName(v uint64) string {
	code := v & 0x1F
	switch v >> 5 {
	case 0:
		if v == format.SyndromeNoCredits {
			return "ACK"
		}
		return fmt.Sprintf("ACK %d", code)
	case 1:
		return fmt.Sprintf("RNR_NAK %d", code)
	case 3:
		if int(code) < len(nakNames) {
			return nakNames[code]
		}
	}
	return fmt.Sprintf("0x%02x", v)
}

// A SyndromeValue is a syndrome as it is written: Any says that any code will do.
type SyndromeValue struct {
	Value uint64
	Any   bool
}

// Match tells whether it stands for a syndrome.
func (s SyndromeValue) Match(v uint64) bool {
	if s.Any {
		return v>>5 == s.Value>>5
	}
	return v == s.Value
}

// ParseSyndrome reads a syndrome: ACK, ACK 5 (credit code), RNR_NAK, RNR_NAK 12 (timer
// code), NAK_SEQUENCE and others. ACK alone is one without credits, and RNR_NAK alone of timer 1, or where
// one is expected any.
func ParseSyndrome(s string) (SyndromeValue, bool) {
	name, code, coded := strings.Cut(s, " ")
	for i, n := range nakNames {
		if n == s {
			return SyndromeValue{Value: format.SyndromeNAK | uint64(i)}, true
		}
	}
	var base, alone uint64
	switch name {
	case "ACK":
		base, alone = format.SyndromeACK, format.SyndromeNoCredits
	case "RNR_NAK":
		base, alone = format.SyndromeRNR, format.SyndromeRNR|1
	default:
		return SyndromeValue{}, false
	}
	if !coded {
		return SyndromeValue{Value: alone, Any: true}, true
	}
	n, err := strconv.ParseUint(code, 10, 5)
	return SyndromeValue{Value: base | n}, err == nil
}
