package keycache

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// enter lets one into the pipeline in each cycle: a question whose entry has
// come, which cannot wait, else the killing of an entry, else the question whose turn it is.
func (b *block) enter() {
	m := b.m
	open := make([]hdl.Stream[link.KeyRequest], len(b.io.Clients))
	var wanted []hdl.Bits
	for i, c := range b.io.Clients {
		may, ends := b.mayAsk(i), isRevoke(c.Request.Data)
		wanted = append(wanted, hdl.AndAll(c.Request.Valid, ends, may))
		open[i] = stream.Gate(m, fmt.Sprintf("open_%d", i), c.Request, may.And(ends.Not().Or(b.grant.Bit(i))))
	}
	b.wanted.Set(bitsOf(wanted))
	next, from := stream.RoundRobin(m, "u_turn", open...)
	b.killed.Set(b.kill.And(b.comes.Not()))
	next.Ready.Set(hdl.OrAll(b.comes, b.kill, b.closed).Not())

	b.looks.Set(next.Fire().Or(b.comes.And(b.twin)))
	b.fills.Set(b.comes.And(b.twin.Not()))
	b.kills.Set(b.killed)
	b.asked.Client.Set(hdl.Mux(b.comes, b.owner, from.ZExt(b.p.ownerBits())))
	request := next.Data
	request.Key = hdl.Mux(b.kill, b.target, request.Key)
	hdl.Set(b.asked.Request, hdl.MuxOf(b.comes, b.waiting(b.owner), request))
	b.close()
}

// choose grants one client its question that ends its key: the next one behind that which had the
// last turn.
func (b *block) choose() {
	lowest := func(x hdl.Bits) hdl.Bits { return x.And(x.SubK(1).Not()) }
	upTo := b.turn.Or(b.turn.SubK(1))
	later := b.wanted.And(upTo.Not())
	chosen := hdl.Mux(later.Any(), lowest(later), lowest(b.wanted))
	b.grant.Set(chosen)
	b.turn.Set(chosen)
}

// isRevoke returns one bit: the question ends its key.
func isRevoke(q link.KeyRequest) hdl.Bits { return q.Rights.Bit(hdl.Log2(link.RightRevoke)) }

// close keeps questions out of the pipeline while one is in it that may end its key, until the
// entry is killed.
func (b *block) close() {
	b.closed.Set(hdl.OrAll(
		b.looks.Or(b.fills).And(isRevoke(b.asked.Request)), b.finds.Or(b.filled).And(isRevoke(b.found.Request)),
		b.judges.And(b.judged.Revoke), b.revoked, b.state.Is(stLock),
	))
}

// mayAsk returns one bit: client i's next question would be answered in order.
// One before it may not be of unknown fate, nor wait for host memory.
func (b *block) mayAsk(i int) hdl.Bits {
	mine := func(client hdl.Bits) hdl.Bits { return client.Is(uint64(i)) }
	asked := b.looks.And(mine(b.asked.Client))
	found := b.finds.And(mine(b.found.Client))
	return hdl.OrAll(asked, found, b.misses[i].busy()).Not().And(b.room[i])
}

// waiting is the question of a client that waits for host memory.
func (b *block) waiting(client hdl.Bits) link.KeyRequest {
	all := b.misses[0].request
	for i := 1; i < len(b.misses); i++ {
		all = hdl.MuxOf(client.Is(uint64(i)), b.misses[i].request, all)
	}
	return all
}
