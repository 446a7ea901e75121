package packet

import (
	"fmt"
	"strings"

	"gornic/format"
)

// Namer gives numbers the names of a case.
type Namer interface {
	PSN(p *Packet) string   // such as "0x000064 (+0)"
	Key(key uint64) string  // of a region or window
	Place(va uint64) string // in a region
	QPN(number uint64) string
}

// Words says what a packet is: its opcode, the fields of its headers, its payload; of what is below the
// BTH nothing but what is unusual.
func (p *Packet) Words(n Namer) string {
	words := []string{OpcodeName(format.Opcode(p.BTH.Opcode)), "psn " + n.PSN(p), "dest_qp " + n.QPN(p.BTH.DestQP)}
	add := func(text string, args ...any) { words = append(words, fmt.Sprintf(text, args...)) }
	for _, flag := range []struct {
		name string
		on   uint64
	}{{"ackreq", p.BTH.AckReq}, {"se", p.BTH.SE}, {"becn", p.BTH.BECN}, {"fecn", p.BTH.FECN}} {
		if flag.on != 0 {
			add("%s", flag.name)
		}
	}
	for _, f := range fields {
		v, has := f.Get(p)
		switch {
		case !has || len(f.ext) == 0:
		case f.Kind == Key:
			add("%s %s", f.Name, n.Key(v))
		case f.Kind == Address:
			add("%s %s", f.Name, n.Place(v))
		case f.Name == "dma_len":
			add("%s %d", f.Name, v)
		default:
			add("%s %s", f.Name, f.Show(v))
		}
	}
	if len(p.Payload) > 0 {
		add("payload %s", Bytes(p.Payload))
	}
	for _, text := range p.Problems {
		add("(%s)", text)
	}
	return strings.Join(words, ", ")
}

// mostShown is how many bytes are shown.
const mostShown = 16

// Bytes shows a string of bytes: the first of them, and how many there are.
func Bytes(b []byte) string {
	if len(b) <= mostShown {
		return fmt.Sprintf("%d bytes: % x", len(b), b)
	}
	return fmt.Sprintf("%d bytes: % x ...", len(b), b[:mostShown])
}
