package mac

import (
	"encoding/binary"
	"hash/crc32"
)

// WireSymbol is a symbol as a PHY gives it, in plain Go.
type WireSymbol struct {
	Data   byte
	Enable bool
	Error  bool
	Lost   bool // symbols before this one were lost
}

// Outcome is what became of a frame that came.
type Outcome int

// The outcomes, each a pulse of Received.
const (
	Good Outcome = iota
	BadFCS
	Short
	Long
	PHYError
	Lost
)

// String returns the outcome's name.
func (o Outcome) String() string {
	return [...]string{"good", "bad FCS", "short", "long", "PHY error", "lost"}[o]
}

// Decoded is a frame that came: without preamble and FCS, and cut where it is too long.
type Decoded struct {
	Data    []byte // empty where the receiver gives no beat
	Outcome Outcome
}

// Decode is what the receiver makes of symbols; a frame without an end is left out.
func Decode(symbols []WireSymbol, maxFrame int) []Decoded {
	var frames []Decoded
	var run []WireSymbol
	for _, s := range symbols {
		run = append(run, s)
		if s.Enable {
			continue
		}
		if f, ok := decodeRun(run, maxFrame); ok {
			frames = append(frames, f)
		}
		run = nil
	}
	return frames
}

// decodeRun judges the symbols up to one with Enable low; false if there is no frame.
func decodeRun(run []WireSymbol, maxFrame int) (Decoded, bool) {
	body := run[:len(run)-1]
	start := 0
	for start < len(body) && body[start].Data == 0x55 {
		start++
	}
	started := start > 0 && start < len(body) && body[start].Data == 0xD5
	if !started {
		switch {
		case anyLost(run):
			return Decoded{Outcome: Lost}, true
		case len(body) > 0:
			return Decoded{Outcome: PHYError}, true
		}
		return Decoded{}, false
	}
	end := len(body)
	long := end-(start+1) > maxFrame
	if long { // judged at the first byte too many
		end = start + 1 + maxFrame + 1
		run, body = run[:end], run[:end]
	}
	frame := bytesOf(body[start+1 : end])
	d := Decoded{Data: frame[:max(0, len(frame)-4)]}
	if long {
		d.Data = frame[:maxFrame-4]
	}
	d.Outcome = judge(frame, anyLost(run), anyError(body), long)
	return d, true
}

func judge(frame []byte, lost, phy, long bool) Outcome {
	switch {
	case lost:
		return Lost
	case phy:
		return PHYError
	case long:
		return Long
	case len(frame) < 64:
		return Short
	case crc32.ChecksumIEEE(frame[:len(frame)-4]) != binary.LittleEndian.Uint32(frame[len(frame)-4:]):
		return BadFCS
	}
	return Good
}

func anyLost(run []WireSymbol) bool {
	for _, s := range run {
		if s.Lost {
			return true
		}
	}
	return false
}

func anyError(run []WireSymbol) bool {
	for _, s := range run {
		if s.Error {
			return true
		}
	}
	return false
}

func bytesOf(run []WireSymbol) []byte {
	data := make([]byte, len(run))
	for i, s := range run {
		data[i] = s.Data
	}
	return data
}

// Encode is the bytes on the wire of a frame without FCS: preamble and start delimiter, the frame padded, its FCS.
// A frame that is bad has the complement of its FCS.
func Encode(frame []byte, bad bool) []byte {
	padded := append([]byte(nil), frame...)
	for len(padded) < 60 {
		padded = append(padded, 0)
	}
	fcs := crc32.ChecksumIEEE(padded)
	if bad {
		fcs = ^fcs
	}
	wire := append([]byte{0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5}, padded...)
	return binary.LittleEndian.AppendUint32(wire, fcs)
}
