package walk

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever a fact rests on: without it, or with another value in it, the fact is none.
func TestFactsNeedWhatTheyRestOn(t *testing.T) {
	for _, w := range All() {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			plays := played(t, w)
			done := map[string]bool{}
			for i, f := range check(w, plays).Facts {
				require.True(t, f.OK)
				for _, u := range f.used {
					seen := plays[u.play].log[u.order-1]
					if id := fmt.Sprint(i, u); !done[id] {
						done[id] = true
						needs(t, w, plays, i, u, seen)
					}
				}
			}
		})
	}
}

// needs makes sure that a fact is none if what it rests on is another or is not there.
func needs(t *testing.T, w Walk, plays map[string]*play, fact int, u used, seen Seen) {
	t.Helper()
	upTo := w
	upTo.steps = w.steps[:fact+1]
	lacks := func(log Log, why string) {
		f := check(upTo, doctored(plays, u.play, log)).Facts[fact]
		require.Falsef(t, f.OK, "%s.%d, %s, is seen [%s] %s %v", w.Name, f.Step, f.Fact, u.play, why, seen)
	}
	log := plays[u.play].log
	if again := slices.ContainsFunc(log[u.order:], func(s Seen) bool { return alike(s, seen) }); !again {
		lacks(log.without(u.order), "without")
	}
	for _, v := range u.is {
		lacks(log.changed(u.order, v.Name), "with another "+v.Name+" in")
	}
}

// alike tells that two observations are of the same, but for when.
func alike(a, b Seen) bool {
	return a.Where == b.Where && a.What == b.What && slices.Equal(a.Values, b.Values)
}

// doctored is plays with another log of one of them.
func doctored(plays map[string]*play, name string, log Log) map[string]*play {
	all := maps.Clone(plays)
	p := *plays[name]
	p.log = log
	all[name] = &p
	return all
}

// without is a log without one observation.
func (l Log) without(order int) Log {
	return slices.Delete(slices.Clone(l), order-1, order).numbered()
}

// changed is a log in which a value of an observation is another.
func (l Log) changed(order int, name string) Log {
	l = slices.Clone(l)
	s := &l[order-1]
	s.Values = slices.Clone(s.Values)
	for i := range s.Values {
		if s.Values[i].Name == name {
			s.Values[i].Number ^= 1
		}
	}
	return l
}

// with is a log with one more observation behind another.
func (l Log) with(order int, s Seen) Log {
	s.Cycle = l[order-1].Cycle
	return slices.Insert(slices.Clone(l), order, s).numbered()
}

// moved is a log in which an observation stands behind another one.
func (l Log) moved(order, behind int) Log {
	s := l[order-1]
	s.Cycle = l[behind-1].Cycle
	l = slices.Insert(slices.Clone(l), behind, s)
	if behind < order {
		order++
	}
	return l.without(order)
}

// place is where the first observation of a name is.
func (l Log) place(t *testing.T, where Where, what string) int {
	t.Helper()
	i := slices.IndexFunc(l, func(s Seen) bool { return s.Where == where && s.What == what })
	require.GreaterOrEqual(t, i, 0, what)
	return i + 1
}

// What must not happen, and what must not happen then, is noticed by the fact that it
// belongs to.
func TestDoctored(t *testing.T) {
	type doctor func(t *testing.T, l Log) Log
	also := func(behind Where, what string, s Seen) doctor {
		return func(t *testing.T, l Log) Log { return l.with(l.place(t, behind, what), s) }
	}
	event := func(where Where, what string, values ...Value) Seen {
		return Seen{Where: where, What: what, Values: values}
	}
	early := func(where Where, what string, before Where, than string) doctor {
		return func(t *testing.T, l Log) Log { return l.moved(l.place(t, where, what), l.place(t, before, than)-1) }
	}
	late := func(where Where, what string, behind Where, than string) doctor {
		return func(t *testing.T, l Log) Log { return l.moved(l.place(t, where, what), l.place(t, behind, than)) }
	}
	stain := func(what string, at int) doctor {
		return func(_ *testing.T, l Log) Log {
			l = slices.Clone(l)
			for i := range slices.Backward(l) {
				if l[i].What == what {
					l[i].Data = slices.Clone(l[i].Data)
					l[i].Data[len(l[i].Data)+at] ^= 1
					break
				}
			}
			return l
		}
	}
	stainAll := func(what string, at int) doctor {
		return func(_ *testing.T, l Log) Log {
			l = slices.Clone(l)
			for i := range l {
				if l[i].What == what {
					l[i].Data = slices.Clone(l[i].Data)
					l[i].Data[len(l[i].Data)+at] ^= 1
				}
			}
			return l
		}
	}
	slots := func(used uint64) doctor {
		return func(t *testing.T, l Log) Log {
			i := l.place(t, B, "resources.resource_taken") - 1
			l = slices.Clone(l)
			l[i].Values = slices.Clone(l[i].Values)
			for k := range l[i].Values {
				if l[i].Values[k].Name == "used" {
					l[i].Values[k].Number = used
				}
			}
			return l
		}
	}
	// The second READ is made before the first has retired.
	secondRead := func(t *testing.T, l Log) Log {
		i := slices.IndexFunc(l, func(s Seen) bool { return s.What == "requester.packet_made" && s.Get("wqe") == 1 })
		require.GreaterOrEqual(t, i, 0)
		return l.moved(i+1, l.place(t, A, "completer.entry_retired")-1)
	}
	cqe := event(A, "writes send CQ", val("at", 0), val("bytes", cqeBytes))
	for name, c := range map[string]struct {
		walk   Walk
		play   string
		doctor doctor
		facts  []int // that notice, at least
	}{
		"two WQEs posted":                       {W1, signaled, also(A, "posts send WQE", event(A, "posts send WQE")), []int{1}},
		"two doorbells":                         {W1, signaled, also(A, "rings send queue", event(A, "rings send queue")), []int{1}},
		"a fourth packet":                       {W1, signaled, also(A, "requester.packet_made", event(A, "transmit.packet_leaves")), []int{2}},
		"a frame before its entry":              {W1, signaled, late(A, "replay.recorded", A, "core.frame_sent"), []int{3}},
		"a fourth entry":                        {W1, signaled, also(A, "core.frame_sent", event(A, "replay.recorded")), []int{3}},
		"bytes written before the rkey":         {W1, signaled, early(B, "writes target", B, "keycache.key_compared"), []int{5, 6}},
		"a receive WQE taken":                   {W1, signaled, also(B, "psncheck.psn_checked", event(B, "wqefetch_rq.wqe_taken")), []int{8}},
		"a CQE at B":                            {W1, signaled, also(B, "ackqueue.ack_owed", event(B, "writes receive CQ")), []int{8}},
		"two ACKs":                              {W1, signaled, also(BToA, "ACKNOWLEDGE", event(BToA, "ACKNOWLEDGE")), []int{9}},
		"an entry gone before the ACK":          {W1, signaled, early(A, "replay.removed", A, "core.frame_sent"), []int{3, 9}},
		"a CQE although unsignaled":             {W1, unsignaled, also(A, "completer.entry_retired", cqe), []int{10}},
		"a CQE before the ACK":                  {W1, signaled, early(A, "writes send CQ", A, "core.frame_sent"), []int{10}},
		"a wrong byte on the wire":              {W1, signaled, stain("WRITE_LAST", -1), []int{2, 8}},
		"a wrong byte in memory":                {W1, signaled, stain("writes target", -1), []int{8}},
		"the context before the WQE":            {W2, signaled, early(A, "wqefetch_sq.wqe_here", A, "doorbell.sq_doorbell"), []int{2}},
		"the payload before the lkey":           {W2, signaled, early(A, "reads source", A, "keycache.key_compared"), []int{3}},
		"the receive queue read":                {W2, signaled, also(B, "scatter.in_memory", event(B, "reads receive queue")), []int{6}},
		"the head looked at":                    {W2, signaled, also(B, "scatter.in_memory", event(B, "wqefetch_rq.head")), []int{6}},
		"an ACK before the payload":             {W2, signaled, early(B, "ackqueue.ack_owed", B, "keycache.key_compared"), []int{7}},
		"an interrupt":                          {W2, signaled, also(B, "ackqueue.ack_owed", event(B, "events.interrupt")), []int{7}},
		"a WRITE completes although unsignaled": {W2, unsignaled, also(A, "completer.entry_retired", cqe), []int{9}},
		"the CQ changed":                        {W2, signaled, stain("holds receive CQ", -1), []int{10}},
		"the receive queue changed":             {W2, signaled, stain("holds receive queue", -64), []int{10}},
		"the scatter list used":                 {W2, armed, also(B, "scatter.in_memory", event(B, "writes receive buffer 0")), []int{11}},
		"the scatter list's key looked up":      {W2, armed, also(B, "keycache.key_judged", event(B, "keycache.key_compared")), []int{11}},
		"its buffer changed":                    {W2, armed, stain("holds receive buffer 0", -1), []int{11}},
		"two receive WQEs taken":                {W2, armed, also(B, "wqefetch_rq.wqe_taken", event(B, "wqefetch_rq.wqe_taken")), []int{11}},
		"the CQE before the payload":            {W2, armed, early(B, "writes receive CQ", B, "writes target"), []int{12}},
		"no event although armed":               {W2, armed, func(t *testing.T, l Log) Log { return l.without(l.place(t, B, "writes event queue")) }, []int{13}},
		"an event before the CQE":               {W2, armed, early(B, "events.told", B, "writes receive CQ"), []int{13}},
		"an event although not armed":           {W2, notArmed, also(B, "cqewriter.cqe_in_memory", event(B, "events.told")), []int{13}},
		"the receive WQE too late":              {S1, signaled, late(B, "wqefetch_rq.wqe_here", A, "posts send WQE"), []int{1}},
		"a NAK, too":                            {S1, signaled, also(BToA, "ACKNOWLEDGE", event(BToA, "ACKNOWLEDGE", val("syndrome", 0x60))), []int{5}},
		"a gap that is written":                 {S1, gap, also(B, "ackqueue.ack_owed", event(B, "dma.write")), []int{5}},
		"a WQE taken for an RNR NAK":            {S1, emptyQueue, also(B, "ackqueue.ack_owed", event(B, "wqefetch_rq.wqe_taken")), []int{5}},
		"the second buffer written":             {S1, signaled, also(B, "scatter.in_memory", event(B, "writes receive buffer 1")), []int{6}},
		"the ACK waits for the CQE":             {S1, signaled, late(BToA, "ACKNOWLEDGE", B, "cqewriter.cqe_in_memory"), []int{7}},
		"an rkey looked up":                     {S2, signaled, also(B, "keycache.key_judged", event(B, "keycache.key_compared", val("rights", 2))), []int{6}},
		"the WQE taken before the PSN":          {S2, signaled, early(B, "wqefetch_rq.wqe_taken", B, "psncheck.psn_checked"), []int{7, 9}},
		"a byte written before the key":         {S2, signaled, early(B, "writes receive buffer 0", B, "keycache.key_compared"), []int{8}},
		"the ACK waits for the CQE, too":        {S2, signaled, late(BToA, "ACKNOWLEDGE", B, "cqewriter.cqe_in_memory"), []int{9}},
		"an interrupt although not armed":       {S2, notArmed, also(B, "cqewriter.cqe_in_memory", event(B, "events.interrupt")), []int{10}},
		"a SEND completes although unsignaled":  {S2, unsignaled, also(A, "completer.entry_retired", cqe), []int{12}},
		"another path with immediate":           {S2, withImmediate, also(B, "keycache.key_judged", event(B, "translate_rx.piece")), []int{13}},
		"a second request":                      {R1, signaled, also(A, "requester.packet_made", event(A, "requester.packet_made")), []int{2}},
		"a frame before its entry, of a READ":   {R1, signaled, late(A, "replay.recorded", A, "core.frame_sent"), []int{3}},
		"a second entry of a READ":              {R1, signaled, also(A, "replay.recorded", event(A, "replay.recorded")), []int{3}},
		"B's memory read before the rkey":       {R1, signaled, early(B, "reads target", B, "keycache.key_compared"), []int{4, 5}},
		"the second READ too early":             {R1, oneAtATime, secondRead, []int{5}},
		"the second READ too late":              {R1, twoReads, early(A, "completer.entry_retired", A, "core.frame_sent"), []int{2}},
		"a slot more than agreed":               {R1, oneAtATime, slots(2), []int{5}},
		"no slot taken":                         {R1, signaled, slots(0), []int{5}},
		"a third slot taken":                    {R2, signaled, slots(3), []int{4}},
		"a READ beside":                         {R1, signaled, also(B, "resources.resource_done", event(B, "resources.resource_taken")), []int{5}},
		"a doorbell at B":                       {R1, signaled, also(B, "resources.resource_taken", event(B, "rings receive queue")), []int{6}},
		"a command at B":                        {R1, signaled, also(B, "resources.resource_taken", event(B, "gives command")), []int{6}},
		"a READ takes a receive WQE":            {R1, signaled, also(B, "resources.resource_taken", event(B, "wqefetch_rq.wqe_taken")), []int{6}},
		"a wrong byte in the first response":    {R1, signaled, stain("READ_RESP_FIRST", -1), []int{7}},
		"a wrong byte of the last in memory":    {R1, signaled, stain("writes sink", -1), []int{8}},
		"an ACK for a READ":                     {R1, signaled, also(B, "resources.resource_done", event(BToA, "ACKNOWLEDGE")), []int{8}},
		"an ACK owed for a READ":                {R1, signaled, also(B, "resources.resource_done", event(B, "ackqueue.ack_owed")), []int{8}},
		"an entry gone before the last data":    {R1, signaled, early(A, "replay.removed", A, "scatter.in_memory"), []int{8}},
		"a CQE before the data":                 {R1, signaled, early(A, "writes send CQ", A, "scatter.in_memory"), []int{9}},
		"a READ completes although unsignaled":  {R1, unsignaled, also(A, "completer.entry_retired", cqe), []int{9}},
		"A's buffer read":                       {R2, signaled, also(A, "requester.packet_made", event(A, "reads sink")), []int{3}},
		"a payload for a READ request":          {R2, signaled, also(A, "requester.packet_made", event(A, "gather.payload_whole")), []int{3}},
		"two keys looked up for a READ":         {R2, signaled, also(A, "keycache.key_judged", event(A, "keycache.key_compared")), []int{3}},
		"a READ request before the lkey":        {R2, signaled, early(A, "transmit.packet_leaves", A, "keycache.key_compared"), []int{3}},
		"B's memory read before the slot":       {R2, signaled, late(B, "resources.resource_taken", B, "reads target"), []int{5}},
		"a response before its payload":         {R2, signaled, early(B, "transmit.packet_leaves", B, "reads target"), []int{6}},
		"data before the match":                 {R2, signaled, early(A, "writes sink", A, "readmatch.response"), []int{7}},
		"an ACK for a READ, too":                {R2, signaled, also(B, "resources.resource_done", event(BToA, "ACKNOWLEDGE")), []int{8}},
		"a READ completes, too":                 {R2, unsignaled, also(A, "completer.entry_retired", cqe), []int{9}},
		"the key good too late":                 {I1, signaled, late(B, "keyops.key_op_done", A, "posts send WQE"), []int{1}},
		"two receive WQEs taken by a SEND":      {I1, signaled, also(B, "wqefetch_rq.wqe_taken", event(B, "wqefetch_rq.wqe_taken")), []int{3}},
		"the lent buffer written":               {I1, signaled, also(B, "scatter.in_memory", event(B, "writes "+lent)), []int{4}},
		"the key ends before its payload":       {I1, signaled, early(B, "keycache.key_revoked", B, "psncheck.psn_checked"), []int{5}},
		"a second key ends":                     {I1, signaled, also(B, "keycache.key_revoked", event(B, "keycache.key_revoked")), []int{5}},
		"the completion before the key's end":   {I1, signaled, late(B, "keycache.key_revoked", B, "ackqueue.recv_completes"), []int{5}},
		"the ACK waits for the flagged CQE":     {I1, signaled, late(BToA, "ACKNOWLEDGE", B, "cqewriter.cqe_in_memory"), []int{6}},
		"a second entry retires":                {I1, signaled, also(A, "completer.entry_retired", event(A, "completer.entry_retired")), []int{7}},
		"it completes although unsignaled":      {I1, unsignaled, also(A, "completer.entry_retired", cqe), []int{8}},
		"a stale byte written":                  {I1, signaled, also(B, "qpcontext.went_to_error", event(B, "writes "+lent)), []int{10}},
		"a stale byte in memory":                {I1, signaled, stain("holds "+lent, -1), []int{10}},
		"an ACK beside the NAK":                 {I1, signaled, also(B, "qpcontext.went_to_error", event(BToA, "ACKNOWLEDGE")), []int{10}},
		"the lent buffer written by the SEND":   {I2, signaled, also(AToB, "SEND_ONLY_INV", event(B, "writes "+lent)), []int{6}},
		"the lent buffer other than A wrote":    {I2, signaled, stainAll("holds "+lent, -1), []int{7}},
		"an ordinary region ends":               {I2, ordinaryRegion, also(B, "qpcontext.went_to_error", event(B, "keycache.key_revoked")), []int{7}},
		"a window of type 1 ends":               {I2, window1, also(B, "qpcontext.went_to_error", event(B, "keycache.key_revoked")), []int{7}},
		"a region with a window ends":           {I2, boundRegion, also(B, "qpcontext.went_to_error", event(B, "keycache.key_revoked")), []int{7}},
		"an ACK beside the NAK of a refusal":    {I2, boundRegion, also(B, "qpcontext.went_to_error", event(BToA, "ACKNOWLEDGE")), []int{7}},
		"the CQE waits for the ACK":             {I2, signaled, late(B, "cqewriter.cqe_leaves", A, "completer.send_completes"), []int{8}},
		"software of B acts":                    {I2, signaled, also(B, "keycache.key_revoked", event(B, "gives command")), []int{11}},
		"scatter before the PSN":                {C1, "scatter", early(B, "writes region 3", B, "psncheck.psn_checked"), []int{2, 5}},
		"the WQE taken between the packets":     {C1, "scatter", early(B, "wqefetch_rq.wqe_taken", B, "translate_rx.piece"), []int{7}},
		"the rest of SGE 1 changed":             {C1, "scatter", stain("holds region 4", -1), []int{9}},
		"a write behind the message":            {C1, "scatter", also(B, "scatter.in_memory", event(B, "writes region 4", val("at", c1Large-8), val("bytes", 8))), []int{9}},
	} {
		t.Run(name, func(t *testing.T) {
			plays := played(t, c.walk)
			r := check(c.walk, doctored(plays, c.play, c.doctor(t, plays[c.play].log)))
			for _, n := range c.facts {
				require.Falsef(t, r.Facts[n-1].OK, "%s.%d, %s, is seen", r.Walk, n, r.Facts[n-1].Fact)
			}
			require.Error(t, r.Err())
		})
	}
}
