package play

import (
	"bytes"
	"fmt"
	"strings"

	"gornic/tb/drill/packet"
	"gornic/tb/drill/script"
)

// differences compares a packet of the NIC with what is expected, field by field.
func (p *player) differences(q *queuePair, want *script.Packet, got *packet.Packet) ([]Difference, error) {
	var all []Difference
	add := func(field, want, got string) { all = append(all, Difference{field, want, got}) }
	e := p.env(q).counting(q.firstPSN(got.Response()))
	for _, text := range got.Problems {
		add("packet", "one that is well formed", text)
	}
	for _, f := range want.Fields {
		v, has := f.Get(got)
		if !has {
			add(f.Name, wanted(f), "none: "+packet.OpcodeName(opcodeOf(got))+" has no "+f.Header)
			continue
		}
		same := false
		for _, w := range f.Any {
			ok, err := w.Match(e, v)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			same = same || ok
		}
		if !same {
			add(f.Name, p.shownValues(f, e), p.shownField(q, f.Field, got, v))
		}
	}
	if want.Src.IsValid() && want.Src != got.Src {
		add("src_ip", want.Src.String(), got.Src.String())
	}
	if want.Dst.IsValid() && want.Dst != got.Dst {
		add("dst_ip", want.Dst.String(), got.Dst.String())
	}
	if want.ECN != nil && *want.ECN != got.TrafficClass&3 {
		add("ecn", fmt.Sprint(*want.ECN), fmt.Sprint(got.TrafficClass&3))
	}
	return all, p.comparePayload(e, want, got, add)
}

func (p *player) comparePayload(e env, want *script.Packet, got *packet.Packet, add func(field, want, got string)) error {
	if want.PayloadLen != nil {
		n, err := want.PayloadLen.Eval(e)
		if err != nil {
			return err
		}
		if n != uint64(len(got.Payload)) {
			add("payload_len", fmt.Sprint(n), fmt.Sprint(len(got.Payload)))
		}
	}
	if want.Payload == nil {
		return nil
	}
	b, err := want.Payload.Eval(e)
	if err == nil && !bytes.Equal(b, got.Payload) {
		add(differentBytes("payload", b, got.Payload))
	}
	return err
}

// differentBytes shows where two strings of bytes differ.
func differentBytes(what string, want, got []byte) (field, wanted, came string) {
	if len(want) != len(got) {
		return what, packet.Bytes(want), packet.Bytes(got)
	}
	i := 0
	for i < len(want) && want[i] == got[i] {
		i++
	}
	end := min(i+16, len(want))
	return fmt.Sprintf("%s from byte %d on", what, i), fmt.Sprintf("% x", want[i:end]), fmt.Sprintf("% x", got[i:end])
}

// wanted is what a field is expected to be, as it is written.
func wanted(f script.FieldValue) string {
	words := make([]string, len(f.Any))
	for i, v := range f.Any {
		words[i] = v.String()
	}
	return strings.Join(words, " or ")
}

// shownValues is the same, with the numbers that names and signs stand for.
func (p *player) shownValues(f script.FieldValue, e env) string {
	words := make([]string, len(f.Any))
	for i, v := range f.Any {
		words[i] = v.String()
		if n, isNum := v.(script.Num); isNum {
			if x, err := n.Eval(e); err == nil && f.Show(x) != words[i] {
				words[i] = f.Show(x) + " (" + words[i] + ")"
			}
		}
	}
	return strings.Join(words, " or ")
}

func (p *player) shownField(q *queuePair, f packet.Field, got *packet.Packet, v uint64) string {
	n := namer{p, q, true}
	switch f.Kind {
	case packet.PSN:
		return n.PSN(got)
	case packet.Key:
		return n.Key(v)
	case packet.Address:
		return n.Place(v)
	case packet.QPN:
		return n.QPN(v)
	}
	return f.Show(v)
}
