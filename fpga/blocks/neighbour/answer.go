package neighbour

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// answer sends what is in the store with the fields of the answer in it; it returns one bit: the last word leaves.
func (t *taker) answer(f fields) (leaves hdl.Bits) {
	m, from := t.m, t.store.Out
	out := hdl.NewStream(m, "patched", stream.BeatOf(64))
	out.Valid.Set(from.Valid.And(t.phase.Is(sending)))
	from.Ready.Set(hdl.Mux(t.phase.Is(sending), out.Ready, t.phase.Is(flushing)))
	at := wordCounter(m, "send_at", out.Fire(), from.Data.Last)
	hdl.Set(out.Data, stream.Beat{
		Data: t.patch(at, from.Data.Data, f),
		Keep: stream.KeepTo(from.Data.LastByte, 8), Last: from.Data.Last, Err: hdl.K(1, 0),
	})
	leaves = out.Fire().And(from.Data.Last)
	m.If(leaves, func() { t.phase.Goto(free) })
	hdl.Connect(t.io.Answer, stream.Slice(m, "u_answer", out))
	return leaves
}

// patch is word at of the answer, made of that of the request.
func (t *taker) patch(at, data hdl.Bits, f fields) hdl.Bits {
	here := make([][]hdl.Bits, headWord+1) // the word and the kind are those
	for word := range here {
		for k := range t.kinds {
			here[word] = append(here[word], at.Is(uint64(word)).And(t.isChosen(k)))
		}
	}
	lanes := make([]hdl.Bits, 8)
	for lane := range lanes {
		var choices choices
		for word := range here {
			for k := range t.kinds {
				if value, ok := replaced(k, f)[8*word+lane]; ok {
					choices.add(value, here[word][k])
				}
			}
		}
		lanes[7-lane] = choices.or(data.Byte(lane))
	}
	return hdl.Cat(lanes...)
}

// choices are values of which at most one is chosen.
type choices struct{ values, chosen []hdl.Bits }

// add adds a value, or another case of one that is there.
func (c *choices) add(value, chosen hdl.Bits) {
	for i, v := range c.values {
		if v.Node() == value.Node() {
			c.chosen[i] = c.chosen[i].Or(chosen)
			return
		}
	}
	c.values, c.chosen = append(c.values, value), append(c.chosen, chosen)
}

// or is the value that is chosen, or x.
func (c *choices) or(x hdl.Bits) hdl.Bits {
	if len(c.values) == 0 {
		return x
	}
	terms := []hdl.Bits{x.And(hdl.OrAll(c.chosen...).Not().Rep(x.Width()))}
	for i, v := range c.values {
		terms = append(terms, v.And(c.chosen[i].Rep(x.Width())))
	}
	return hdl.OrAll(terms...)
}
