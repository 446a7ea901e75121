package rxparse

import (
	"gornic/format"
	"gornic/hdl"
)

// A finding is a reason and the condition for it.
type finding struct {
	holds hdl.Bits
	code  hdl.Bits
}

// reasonOf returns the reason of the frame in stage 2: the first of the table
// whose condition holds, each of which counts only if none before it does.
// optionPort tells that the packet behind IPv4 options is for port 4791. The
// second result tells that the frame ends before its IP packet.
func reasonOf(m *hdl.Module, f facts, b beat, optionPort hdl.Bits) (reason, cut hdl.Bits) {
	cut = m.Wire("cut", 1)
	cut.Set(b.Last.And(f.Behind.Lt(f.Size.ZExt(lengthMax))))
	is := func(holds hdl.Bits, r format.Reason) finding {
		return finding{holds, hdl.K(format.ReasonBits, uint64(r))}
	}
	option := hdl.Mux(optionPort, hdl.K(format.ReasonBits, uint64(format.ReasonIPOptions)), hdl.K(format.ReasonBits, uint64(format.ReasonUDPPort)))
	noLength := f.Less.Slice(lessBits-1, 12).Any().And(f.Less.All().Not())
	first := firstOf([]finding{
		is(b.Err, format.ReasonBadFrame),
		is(f.ShortTag, format.ReasonTruncated),
		is(f.RoCEv1, format.ReasonRoCEv1),
		is(f.NotIP, format.ReasonEtherType),
		is(f.ShortIP, format.ReasonTruncated),
		is(f.Version, format.ReasonIPVersion),
		is(f.NotUDP, format.ReasonNotUDP),
		is(f.Fragment, format.ReasonFragment),
		is(f.ShortUDP, format.ReasonTruncated),
		{f.Options, option},
		is(f.Swapped, format.ReasonSwappedPort),
		is(f.OtherPort, format.ReasonUDPPort),
		is(f.Length, format.ReasonLength),
		is(f.ShortBTH, format.ReasonTruncated),
		is(f.QP1, format.ReasonQP1),
		is(f.TVer, format.ReasonTVer),
		is(f.PKey, format.ReasonPKey),
		is(f.QP0, format.ReasonQP0),
		is(f.Transport, format.ReasonTransport),
		is(noLength, format.ReasonLength),
		is(cut, format.ReasonTruncated),
	})
	return first.code.And(first.holds.Rep(format.ReasonBits)), cut
}

// firstOf returns the first finding that holds, by a balanced tree.
func firstOf(list []finding) finding {
	if len(list) == 1 {
		return list[0]
	}
	half := len(list) / 2
	a, b := firstOf(list[:half]), firstOf(list[half:])
	return finding{a.holds.Or(b.holds), hdl.Mux(a.holds, a.code, b.code)}
}

// packetThere returns one bit: the frame in stage 2 holds a whole RoCEv2 packet
// with an ICRC.
func packetThere(f facts, cut hdl.Bits) hdl.Bits {
	return hdl.OrAll(f.ShortTag, f.RoCEv1, f.NotIP, f.ShortIP, f.Version, f.NotUDP, f.Fragment, f.ShortUDP,
		f.Options, f.OtherPort, f.NoICRC, cut).Not()
}

// passed returns one bit: the reason is one of those that pass a frame to the
// host.
func passed(reason hdl.Bits) hdl.Bits {
	return reason.LtK(uint64(format.ReasonBadFrame)).And(reason.IsNot(uint64(format.ReasonOK)))
}
