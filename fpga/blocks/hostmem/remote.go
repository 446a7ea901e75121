package hostmem

import "gornic/hdl"

// remoteReads is the way of read bursts to the PC.
type remoteReads struct {
	goes    hdl.Bits // the present burst does, in this cycle
	blocked hdl.Bits // it has an ID of which bursts are with the PC
	answers []hdl.Stream[answer]
}

// remoteReads offers next to the PC if it is for it, once all before it have been answered here.
func (b *block) remoteReads(next hdl.Stream[ask], quiet hdl.Bits) remoteReads {
	m, axi := b.m, &b.io.Remote[0]
	goes, ends := m.Wire("read_goes_away", 1), m.Wire("read_comes_back", 1)
	away := b.track("read", goes, next.Data.ID, ends)
	axi.ARValid.Set(hdl.AndAll(next.Valid, next.Data.Remote, quiet, away.room))
	axi.ARID.Set(next.Data.ID)
	axi.ARAddr.Set(next.Data.Addr)
	axi.ARLen.Set(next.Data.Len)
	axi.ARSize.SetK(sizeWord)
	axi.ARBurst.SetK(burstINCR)
	axi.ARLock.SetK(0)
	axi.ARCache.SetK(cacheWrite)
	axi.ARProt.SetK(protData)
	goes.Set(axi.ARValid.And(axi.ARReady))

	back := hdl.NewStream(m, "remote_r", answer{})
	back.Valid.Set(axi.RValid)
	hdl.Set(back.Data, answer{ID: axi.RID, Data: axi.RData, Resp: axi.RResp, Last: axi.RLast})
	axi.RReady.Set(back.Ready)
	ends.Set(back.Fire().And(axi.RLast))
	return remoteReads{goes: goes, blocked: away.has(next.Data.ID), answers: []hdl.Stream[answer]{back}}
}

// remoteWrites is the way of write bursts to the PC.
type remoteWrites struct {
	goes    hdl.Bits // the present burst does, in this cycle
	takes   hdl.Bits // a beat, if there is one
	blocked hdl.Bits // it has an ID of which bursts are with the PC
	ended   []hdl.Stream[ending]
}

// remoteWrites offers next to the PC if it is for it, and then its beats while the burst is under way.
func (b *block) remoteWrites(next hdl.Stream[ask], beats hdl.Stream[beat], free, underway hdl.Bits) remoteWrites {
	m, axi := b.m, &b.io.Remote[0]
	goes, ends := m.Wire("write_goes_away", 1), m.Wire("write_comes_back", 1)
	away := b.track("write", goes, next.Data.ID, ends)
	axi.AWValid.Set(hdl.AndAll(next.Valid, next.Data.Remote, free, away.room))
	axi.AWID.Set(next.Data.ID)
	axi.AWAddr.Set(next.Data.Addr)
	axi.AWLen.Set(next.Data.Len)
	axi.AWSize.SetK(sizeWord)
	axi.AWBurst.SetK(burstINCR)
	axi.AWLock.SetK(0)
	axi.AWCache.SetK(cacheWrite)
	axi.AWProt.SetK(protData)
	goes.Set(axi.AWValid.And(axi.AWReady))
	axi.WValid.Set(beats.Valid.And(underway))
	axi.WData.Set(beats.Data.Data)
	axi.WStrb.Set(beats.Data.Strb)
	axi.WLast.Set(beats.Data.Last)

	back := hdl.NewStream(m, "remote_b", ending{})
	back.Valid.Set(axi.BValid)
	hdl.Set(back.Data, ending{ID: axi.BID, Resp: axi.BResp})
	axi.BReady.Set(back.Ready)
	ends.Set(back.Fire())
	return remoteWrites{goes: goes, takes: underway.And(axi.WReady), blocked: away.has(next.Data.ID), ended: []hdl.Stream[ending]{back}}
}
