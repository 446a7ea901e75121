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
	lanes := make([]hdl.Bits, 8)
	for lane := range lanes {
		x := data.Byte(lane)
		for word := range headWord + 1 {
			byKind := make([]hdl.Bits, kinds)
			changes := false
			for k := range kinds {
				value, ok := replaced(k, f)[8*word+lane]
				if !ok {
					value = data.Byte(lane)
				}
				byKind[k], changes = value, changes || ok
			}
			if changes {
				x = hdl.Mux(at.Is(uint64(word)), hdl.Select(t.chosen, byKind...), x)
			}
		}
		lanes[7-lane] = x
	}
	return hdl.Cat(lanes...)
}
