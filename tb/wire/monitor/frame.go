package monitor

import (
	"gornic/format"
	"gornic/tb/golden"
)

// minFrame is the length to which a MAC pads a frame, in bytes without FCS.
const minFrame = 60

// checkFrame judges what every packet has.
func checkFrame(p packet) *fault {
	switch {
	case p.ICRC != golden.ICRCGood:
		return wrong("1.7", "the ICRC is %v", p.ICRC)
	case p.Reason != format.ReasonOK:
		return wrong("2", "the receive side would not take it: %v", p.Reason)
	case len(p.frame) > p.End && len(p.frame) != minFrame:
		return wrong("1.1", "%d bytes behind the packet, expected none", len(p.frame)-p.End)
	}
	if f := checkBTH(p); f != nil {
		return f
	}
	port := p.Descriptor.SrcPort
	if port < 0xC000 {
		return wrong("1.2", "UDP source port %#x, expected 0xc000 to 0xffff", port)
	}
	return checkPad(p)
}

// checkBTH judges the fields that have one right value.
func checkBTH(p packet) *fault {
	for _, f := range []struct {
		name      string
		got, want uint64
	}{
		{"MigReq", p.BTH.MigReq, 0},
		{"P_Key", p.BTH.PKey, format.PKeyDefault},
		{"FECN", p.BTH.FECN, 0},
		{"BECN", p.BTH.BECN, 0},
		{"the 6 reserved bits", p.BTH.Resv6, 0},
		{"the 7 reserved bits", p.BTH.Resv7, 0},
	} {
		if f.got != f.want {
			return wrong("1.3", "%s: %#x, expected %#x", f.name, f.got, f.want)
		}
	}
	return nil
}

// checkPad: the payload is filled up to a whole word, with zeros.
func checkPad(p packet) *fault {
	want := -len(p.Payload) & 3
	if int(p.BTH.PadCnt) != want {
		return wrong("1.3", "PadCnt %d behind %d bytes of payload, expected %d", p.BTH.PadCnt, len(p.Payload), want)
	}
	end := p.End - format.ICRCSize
	for _, b := range p.frame[end-want : end] {
		if b != 0 {
			return wrong("1.5", "pad byte %#02x, expected 0", b)
		}
	}
	return nil
}
