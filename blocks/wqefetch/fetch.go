package wqefetch

import (
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// fetchState is the step of making up a burst.
type fetchState int

const (
	stIdle  fetchState = iota
	stLook             // the indices of the queue pair are read
	stPlan             // how far its ring, its page and its room go
	stLimit            // the smaller ones of two pairs of limits
	stPick             // the smallest of all
	stAsk              // the burst goes out
	stAgain            // what is left makes the queue pair due again
)

func (s fetchState) String() string {
	return [...]string{"idle", "look", "plan", "limit", "pick", "ask", "again"}[s]
}

// countBits is the width of a number of WQEs up to those of 4 KiB.
const countBits = logPage + 1

// fetch makes up bursts, for one due queue pair after the other.
func (b *block) fetch() {
	m, grant, n := b.m, b.due.Grant, b.p.slotBits()
	st := hdl.NewFSM(m, "fetch", stIdle, stLook, stPlan, stLimit, stPick, stAsk, stAgain)
	qp := m.RegN("fetch_qp", b.p.Sizes.QPBits)
	first := m.RegN("fetch_first", 16) // index of the first WQE to fetch
	posted := m.RegN("fetch_posted", 16)
	held := m.RegN("fetch_held", n+1) // WQEs here or on their way
	at := hdl.NewReg(m, "fetch_ring", ring{})
	room, end := m.RegN("fetch_room", n+1), m.RegN("fetch_end", countBits)
	wanted, near := m.RegN("fetch_wanted", countBits), m.RegN("fetch_near", countBits)
	count := m.RegN("fetch_count", countBits)

	b.idle.Set(st.Is(stIdle))
	grant.Ready.Set(b.idle.And(b.io.Config.Valid.Not()))
	asks := st.Is(stAsk).And(count.Any())
	more := posted.Ne(count.ZExt(16))
	st.Switch(
		hdl.On(stIdle, func() {
			qp.Set(grant.Data.QP)
			m.If(grant.Fire(), func() { st.Goto(stLook) })
		}),
		hdl.On(stLook, func() {
			fetched := b.fetched.At(qp)
			first.Set(fetched)
			posted.Set(b.producer.At(qp).Sub(fetched))
			held.Set(fetched.Sub(b.head.At(qp)).Trunc(n + 1))
			hdl.Set(at, hdl.Unpack(ring{}, b.rings.At(qp)))
			st.Goto(stPlan)
		}),
		hdl.On(stPlan, func() {
			capacity := hdl.Mux(at.LogStride, hdl.K(n+1, 1<<(n-1)), hdl.K(n+1, 1<<n))
			room.Set(capacity.Sub(held))
			end.Set(toEnd(first, at))
			st.Goto(stLimit)
		}),
		hdl.On(stLimit, func() {
			few := hdl.Mux(posted.GeK(1<<logPage), hdl.K(countBits, 1<<logPage), posted.Trunc(countBits))
			most := hdl.Mux(at.LogStride, hdl.K(countBits, uint64(b.p.burstSlots()/2)), hdl.K(countBits, uint64(b.p.burstSlots())))
			wanted.Set(lesser(few, room.ZExt(countBits)))
			near.Set(lesser(end, most))
			st.Goto(stPick)
		}),
		hdl.On(stPick, func() {
			count.Set(lesser(wanted, near))
			st.Goto(stAsk)
		}),
		hdl.On(stAsk, func() {
			m.If(count.None(), func() { st.Goto(stIdle) })
			m.If(b.io.Read.Burst.Fire(), func() {
				st.Goto(stIdle)
				m.If(more, func() { st.Goto(stAgain) })
			})
		}),
		hdl.On(stAgain, func() {
			m.If(b.again.Fire(), func() { st.Goto(stIdle) })
		}),
	)
	b.again.Valid.Set(st.Is(stAgain))
	b.again.Data.QP.Set(qp)
	b.ask(asks, at, flight{QP: qp, Index: first, Last: first.Add(count.ZExt(16)).SubK(1), LogStride: at.LogStride}, count)
}

// toEnd is how many WQEs lie in one piece from index first on: up to the end of
// the ring or of the 4 KiB page, whichever comes first. Both are powers of two.
func toEnd(first hdl.Bits, at ring) hdl.Bits {
	var steps []hdl.Bits
	for k := range logPage + 1 {
		size := hdl.K(countBits, 1<<k)
		steps = append(steps, size.Sub(size.SubK(1).And(first.Trunc(countBits))))
	}
	page := hdl.Mux(at.LogStride, hdl.K(4, logPage-1), hdl.K(4, logPage))
	return hdl.Select(lesser(at.LogSize, page).Trunc(3), steps...)
}

// lesser is the smaller of two numbers.
func lesser(a, b hdl.Bits) hdl.Bits { return hdl.Mux(a.Lt(b), a, b) }

// ask sends a burst where asks is one, and notes what it is for.
func (b *block) ask(asks hdl.Bits, at ring, f flight, count hdl.Bits) {
	m, burst := b.m, b.io.Read.Burst
	noted := hdl.NewWire(m, "noted", hdl.StreamOf(b.p.flight()))
	noted.Valid.Set(burst.Fire())
	hdl.Set(noted.Data, f)
	b.flights = stream.FIFO(m, "u_flights", noted, b.p.outstanding())
	under := m.Reg("on_their_way", 3, 0)
	m.If(burst.Fire().Xor(b.landed), func() {
		under.Set(hdl.Mux(b.landed, under.SubK(1), under.AddK(1)))
	})
	// Doorbells and steps of heads have the memories first: Config waits for a cycle without.
	b.io.Config.Ready.Set(hdl.AndAll(b.idle, under.None(), b.io.Bell.Valid.Not(), b.io.Queue.Take.Valid.Not()))

	// The slots of a ring that is not smaller than a page fill whole pages.
	offset := f.Index.And(ringMask(at))
	bytes := hdl.Mux(at.LogStride, hdl.Cat(offset, hdl.K(7, 0)), hdl.Cat(hdl.K(1, 0), offset, hdl.K(6, 0)))
	page := at.Page.Add(bytes.Slice(22, 12).ZExt(52))
	burst.Valid.Set(asks.And(under.LtK(uint64(b.p.outstanding()))))
	burst.Data.Addr.Set(hdl.Cat(page, bytes.Slice(11, 0)))
	slots := hdl.Mux(at.LogStride, hdl.Cat(count.Trunc(countBits-1), hdl.K(1, 0)), count).ZExt(12)
	beats := slots.ShlK(hdl.Log2(b.p.beatsPerSlot()))
	burst.Data.Len.Set(beats.SubK(1).Trunc(8))
	b.index(b.fetched, f.QP, burst.Fire(), f.Last.AddK(1))
	m.Event("wqes_asked", burst.Fire(),
		hdl.Field("qp", f.QP), hdl.Field("first", f.Index), hdl.Field("last", f.Last), hdl.Field("addr", burst.Data.Addr))
	m.Unused(noted.Ready)
	m.Assert("flights_have_room", noted.Ready.Or(noted.Valid.Not()))
}

// ringMask is the size of a ring in WQEs less one.
func ringMask(at ring) hdl.Bits { return hdl.Ones(16).Shl(at.LogSize).Not() }

// granulesPerSlot is the number of granules in 64 bytes.
const granulesPerSlot = format.WQEBytesMin / format.GranuleBytes
