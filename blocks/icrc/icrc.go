package icrc

import (
	"fmt"
	"math/bits"

	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of both modules.
type Params struct {
	// DataWidth is the width of a beat in bits: 64, 128, 256 or 512.
	DataWidth int

	// WordEnd promises [GenerateDef] frames whose length is two more than a multiple of
	// four bytes, as that of every RoCEv2 frame with an Ethernet header is. It
	// saves two stages. A frame of another length gets a wrong ICRC.
	WordEnd bool

	// depth is how many beats or verdicts may wait inside, 0 for the usual 16,
	// which is more than the stages: a frame of one beat is then taken every cycle.
	// Proofs are of less.
	depth int
}

// wait is depth with its default.
func (p Params) wait() int {
	if p.depth == 0 {
		return 16
	}
	return p.depth
}

// name adds the parameters to the name of a module.
func (p Params) name(module string) string {
	name := fmt.Sprintf("%s_%d", module, p.DataWidth)
	if p.WordEnd {
		name += "_word_end"
	}
	if p.depth != 0 {
		name += fmt.Sprintf("_x%d", p.depth)
	}
	return name
}

// accept rejects parameters that the module cannot be built with.
func (p Params) accept(m *hdl.Module) {
	switch p.DataWidth {
	case 64, 128, 256, 512:
	default:
		m.Reject("data width of %d bits: not 64, 128, 256 or 512", p.DataWidth)
	}
}

// bytes is the number of bytes in a beat, a power of two.
func (p Params) bytes() int { return p.DataWidth / 8 }

// laneBits is the width of the number of a byte in a beat.
func (p Params) laneBits() int { return bits.Len(uint(p.bytes() - 1)) }

// CheckIO is the ports of [CheckDef].
type CheckIO struct {
	In      stream.Frame        `hdl:"in"`
	Verdict hdl.Stream[Verdict] `hdl:"out"`
}

// Verdict is what [CheckDef] says of a frame.
type Verdict struct {
	Good hdl.Bits `w:"1"` // the frame holds a whole IP packet that ends with its ICRC
}

// CheckDef judges the ICRC of whole Ethernet frames, one verdict a frame in their
// order. The packet ends where its IP length says; what follows in the frame is
// not looked at. Good is zero for a frame that is no IP packet, is too short for
// a BTH, or ends before the packet does. Err is not looked at.
//
// A beat is taken every cycle while fewer than 16 verdicts wait; a verdict
// comes 6 cycles after the frame's last beat.
func CheckDef(p Params) hdl.Def[CheckIO] {
	return hdl.Def[CheckIO]{
		Name: p.name("icrc_check"),
		Doc:  "Judges the ICRC of each Ethernet frame; a beat every cycle.",
		IO:   CheckIO{In: stream.FrameOf(p.DataWidth), Verdict: hdl.StreamOf(Verdict{Good: hdl.W(1)})},
		Body: func(m *hdl.Module, io *CheckIO) {
			p.accept(m)
			check(m, p, io)
		},
	}
}

// GenerateIO is the ports of [GenerateDef].
type GenerateIO struct {
	In  stream.Frame `hdl:"in"`
	Out stream.Frame `hdl:"out"`
}

// GenerateDef appends the ICRC to Ethernet frames that carry an IPv4 packet without
// options or an IPv6 packet. A frame comes in without padding: from the Ethernet
// header to the last byte before the ICRC, which the IP length counts already.
// Err passes through. What is appended to a frame of another protocol means nothing.
//
// A beat is taken every cycle, but for the cycle in which an ICRC needs a beat
// more than its frame had. Each beat is held until the ICRC would be there if it
// were the last one, so a frame that comes in without gaps leaves without gaps.
func GenerateDef(p Params) hdl.Def[GenerateIO] {
	return hdl.Def[GenerateIO]{
		Name: p.name("icrc_generate"),
		Doc:  "Appends the ICRC to each Ethernet frame; a beat every cycle.",
		IO:   GenerateIO{In: stream.FrameOf(p.DataWidth), Out: stream.FrameOf(p.DataWidth)},
		Body: func(m *hdl.Module, io *GenerateIO) {
			p.accept(m)
			generate(m, p, io)
		},
	}
}
