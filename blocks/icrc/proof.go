package icrc

import (
	"fmt"
	"math/bits"

	"gornic/format"
	"gornic/hdl"
)

// Proofs lists small instances of both modules: of their control for all time
// and any frames, and of their data for known frames of which any one bit is
// inverted; of the longest one, through Generate, the highest bit of any byte.
func Proofs() []hdl.Proof {
	p := Params{DataWidth: 64, WordEnd: true, depth: 2}
	fast := Params{DataWidth: 64, WordEnd: true, depth: 8} // a beat every cycle
	ipv4, ipv6, tagged := samples()
	check := hdl.ProofOf(CheckDef(p), 13, 0).Breaks(
		hdl.StuckAt0("waiting", 1).As("more frames than verdicts have room"),
		hdl.StuckAt1("valid_5").As("a verdict without a frame"),
	)
	generate := hdl.ProofOf(GenerateDef(p), 20, 0).Breaks(
		hdl.StuckAt0("u_wait.in_last").As("frames run together"),
		hdl.StuckAt1("valid_3").As("a sum without a beat"),
	)
	return []hdl.Proof{
		check, check.ByZ3(8), generate, generate.ByZ3(8),
		sampleProof(checkSample(p, ipv4), 17).Breaks(
			hdl.StuckAt0("u_check.beat_5_ipv4").As("UDP checksum and FECN not masked"),
			hdl.StuckAt0("u_check.sum_0_1", 17).As("a term of the CRC left out"),
			hdl.Invert("u_check.residue").As("no final inversion"),
			hdl.ReverseBytes("u_check.state").As("wrong byte order"),
			hdl.Invert("u_check.end_lane", 2).As("the packet ends in another byte"),
			hdl.StuckAt1("u_check.verdict_made_good").As("all frames are good"),
		),
		withoutCovers(sampleProof(checkSample(p, ipv6), 19)).Breaks(
			hdl.StuckAt0("u_check.beat_7_ipv6").As("UDP checksum not masked"),
			hdl.StuckAt0("u_check.is_ipv6_now").As("IPv6 not known"),
			hdl.StuckAt1("u_check.verdict_made_good").As("all frames are good"),
		),
		withoutCovers(sampleProof(checkSample(p, tagged), 17)).Breaks(
			hdl.StuckAt0("u_check.beat_3_tagged_ipv4").As("TTL and header checksum not masked"),
			hdl.StuckAt0("u_check.has_tag_now").As("tag not known"),
		),
		sampleProof(generateSample(fast, ipv4, (*bench).anyBit), 22).Breaks(
			hdl.StuckAt0("u_generate.beat_5_ipv4").As("UDP checksum and FECN not masked"),
			hdl.StuckAt0("u_generate.sum_0_1", 17).As("a term of the CRC left out"),
			hdl.Invert("u_generate.back_4_1").As("no final inversion"),
			hdl.ReverseBytes("u_generate.sum_data").As("wrong byte order"),
			hdl.Invert("u_generate.zeros_1").As("the frame ends in another byte"),
			hdl.StuckAt0("u_generate.rest").As("the rest of the ICRC left out"),
			hdl.SwapBits("u_generate.u_wait.out_data", 3, 4).As("data changed on the way"),
		),
		sampleProof(generateSample(fast, ipv6, (*bench).topBit), 24).Breaks(
			hdl.StuckAt0("u_generate.beat_8_ipv6").As("FECN not masked"),
			hdl.StuckAt0("u_generate.zeros_4").As("the frame ends in another byte"),
			hdl.StuckAt1("u_generate.u_out.out_ready").As("a beat lost that waits"),
		),
	}
}

// withoutCovers leaves covers to simulation.
func withoutCovers(p hdl.Proof) hdl.Proof {
	p.NoCovers = true
	return p
}

// sampleProof is a proof of so many cycles, in which the sample has come out.
func sampleProof(def hdl.Def[sampleIO], depth int) hdl.Proof {
	return hdl.BoundedProofOf(def, depth, hdl.ABC).OfTopAlone()
}

// sampleIO is the ports of the designs that samples go through.
type sampleIO struct {
	Choose choices `hdl:"in"`
}

// checkSample is a Check that gets a sample. Its verdict is that of the reference.
func checkSample(p Params, s sample) hdl.Def[sampleIO] {
	return hdl.Def[sampleIO]{
		Name: p.name("icrc_check") + "_" + s.name,
		Body: func(m *hdl.Module, io *sampleIO) {
			b := newBench(m, io.Choose)
			u := hdl.Instance(m, "u_check", CheckDef(p))
			b.anyBit()
			b.send(u.In, s.frame, func(n hdl.Bits) hdl.Bits { return b.Gap.And(n.Eq(b.Beat)) })
			u.Verdict.Ready.SetK(1)
			m.Unused(u.Verdict.Valid, u.Verdict.Data.Good)

			harmful := which(s.frame, func(frame []byte) bool { return !s.good(frame) })
			good := u.Verdict.Data.Good
			m.Assert("verdict_of_reference", u.Verdict.Valid.Not().Or(good.Ne(b.flipsOneOf(harmful))))
			m.Cover("good", u.Verdict.Valid.And(good))
			m.Cover("bad", u.Verdict.Valid.And(good.Not()))
		},
	}
}

// Where a Generate in a proof has to wait for a cycle, for a beat of In and with
// one of Out. Were they the solver's choice, too, it would have to look for the
// sums in every cycle in which they can be.
const (
	gapAt  = 3
	waitAt = 5
)

// generateSample is a Generate that gets a sample without its ICRC. What comes
// out is the same, inverted bit and all, and behind it the ICRC that the
// reference has for it.
func generateSample(p Params, s sample, invert func(*bench)) hdl.Def[sampleIO] {
	return hdl.Def[sampleIO]{
		Name: p.name("icrc_generate") + "_" + s.name,
		Body: func(m *hdl.Module, io *sampleIO) {
			b := newBench(m, io.Choose)
			u := hdl.Instance(m, "u_generate", GenerateDef(p))
			invert(b)
			b.send(u.In, s.bare(), func(n hdl.Bits) hdl.Bits { return n.Is(gapAt) })
			m.Unused(b.Gap)
			beats := b.complete(s)
			n := b.number("out_number", u.Out, len(beats))
			u.Out.Ready.Set(b.once("wait", u.Out.Valid.And(n.Is(waitAt))))

			out := u.Out.Data
			m.Unused(out.Data, out.Keep, out.Last, out.Err)
			want, keep := hdl.Select(n.Trunc(bits.Len(uint(len(beats)-1))), beats...), keepOf(s.frame, n)
			foreign := b.flipsOneOf(which(s.bare(), s.foreign))
			for i := range p.bytes() {
				here := u.Out.Valid.And(keep.Bit(i)).And(foreign.Not())
				m.Assert(fmt.Sprintf("byte_%d", i), here.Not().Or(out.Data.Byte(i).Eq(want.Byte(i))))
			}
			m.Assert("keep", u.Out.Valid.Not().Or(out.Keep.Eq(keep)))
			m.Assert("last", u.Out.Valid.Not().Or(out.Last.Eq(n.Is(uint64(len(beats)-1)))))
			m.Assert("err", u.Out.Valid.Not().Or(out.Err.Not()))
			m.Cover("whole", u.Out.Fire().And(out.Last))
		},
	}
}

// complete returns the beats that have to come out of Generate. Each bit of the
// ICRC is the sample's, unless what is inverted changes it.
func (b *bench) complete(s sample) []hdl.Bits {
	bare := s.bare()
	sum := s.sum(bare)
	end := make([]hdl.Bits, 8*format.ICRCSize)
	for i := range end {
		changes := which(bare, func(frame []byte) bool { return (s.sum(frame)^sum)>>i&1 == 1 })
		end[i] = hdl.K(1, uint64(sum>>i&1)).Xor(b.flipsOneOf(changes))
	}
	beats := words(s.frame)
	for i := range beats {
		data := split(beats[i].Xor(b.flips(b.Beat.K(uint64(i)))))
		for j := range data {
			if at := 64*i + j - 8*len(bare); 0 <= at && at < len(end) {
				data[j] = end[at]
			}
		}
		beats[i] = join(data)
	}
	return beats
}

// join puts bits side by side, bit 0 first.
func join(parts []hdl.Bits) hdl.Bits {
	x := parts[0]
	for _, bit := range parts[1:] {
		x = hdl.Cat(bit, x)
	}
	return x
}
