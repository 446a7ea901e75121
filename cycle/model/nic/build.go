package nic

import (
	"fmt"

	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
	"gornic/format"
)

// components makes the components, those who take before those who give, so that room is seen in the same cycle.
func (n *NIC) components() {
	n.mem.Component = n.component("dma", "DMA")
	n.cqw.Component = n.component("cqewriter", "CQEWriter")
	n.ret.Component = n.component("retry", "Retry")
	n.ack.Component = n.component("ackqueue", "AckQueue")
	n.cmp.Component = n.component("completer", "Completer")
	n.rep.Component = n.component("replay", "Replay")
	n.pb.Component = n.component("packetbuild", "PacketBuild")
	n.trm.Component = n.component("transmit", "Transmit")
	n.gat.Component = n.component("gather", "Gather")
	n.atm.Component = n.component("atomic", "Atomic")
	n.res.Component = n.component("resources", "Resources")
	n.sca.Component = n.component("scatter", "Scatter")
	n.ttx.Component = n.component("translate_tx", "TranslateTx")
	n.trx.Component = n.component("translate_rx", "TranslateRx")
	n.keys.Component = n.component("keycache", "KeyCache")
	n.rsp.Component = n.component("responder", "Responder")
	n.rm.Component = n.component("readmatch", "ReadMatch")
	n.psn.Component = n.component("psncheck", "PSNCheck")
	n.rx.Component = n.component("rxpath", "RxPath")
	n.rsd.Component = n.component("resend", "Resend")
	n.sq.Component = n.component("wqefetch_sq", "WQEFetchSQ")
	n.rq.Component = n.component("wqefetch_rq", "WQEFetchRQ")
	n.req.Component = n.component("requester", "Requester")
	n.sch.Component = n.component("scheduler", "Scheduler")
	n.ctx.Component = n.component("qpcontext", "QPContext")
	n.rate.Component = n.component("dcqcn", "DCQCN")
	n.db.Component = n.component("doorbell", "Doorbell")
	n.Blocks = Blocks{Doorbell: n.db.Component, CQEWriter: n.cqw.Component, PacketBuild: n.pb.Component, RxPath: n.rx.Component, DMA: n.mem.Component}
}

// Depths of streams. Those that the RTL keeps short have its depth; deep ones carry what is bounded elsewhere.
const (
	jobsAhead   = 8
	piecesAhead = 7 // of scatter: a register, a FIFO of 4 behind it, a plan, and the burst that is being written
	placing     = 3 // segments between the answer of their key and their piece, in translate
	deep        = 256
)

// streams joins the components.
func (n *NIC) streams(bus Bus) {
	qps := max(deep, 2*len(n.qps)+8)
	n.mem.n, n.mem.bus = n, bus
	for _, x := range []struct {
		client int
		c      *simkit.Component
		reads  **simkit.Stream[link.Read]
		done   **simkit.Stream[link.ReadDone]
	}{
		{readGather, n.gat.Component, &n.gat.reads, &n.gat.done}, {readSQ, n.sq.Component, &n.sq.reads, &n.sq.done},
		{readRQ, n.rq.Component, &n.rq.reads, &n.rq.done}, {readKeys, n.keys.Component, &n.keys.reads, &n.keys.done},
		{readTxPages, n.ttx.Component, &n.ttx.reads, &n.ttx.done}, {readRxPages, n.trx.Component, &n.trx.reads, &n.trx.done},
		{readMatch, n.rm.Component, &n.rm.reads, &n.rm.done}, {readAtomic, n.atm.Component, &n.atm.reads, &n.atm.done},
		{readResend, n.rsd.Component, &n.rsd.reads, &n.rsd.done}, {readContext, n.ctx.Component, &n.ctx.reads, &n.ctx.done},
	} {
		*x.reads = simkit.NewStream[link.Read]("Read", x.c, n.mem.Component, 4, 1)
		*x.done = simkit.NewStream[link.ReadDone]("ReadDone", n.mem.Component, x.c, deep, 1)
		n.mem.reads[x.client], n.mem.read[x.client] = *x.reads, *x.done
	}
	for _, x := range []struct {
		client int
		c      *simkit.Component
		writes **simkit.Stream[link.Write]
		done   **simkit.Stream[link.WriteDone]
	}{
		{writeScatter, n.sca.Component, &n.sca.writes, &n.sca.wrote}, {writeCQEs, n.cqw.Component, &n.cqw.writes, &n.cqw.wrote},
		{writeAtomic, n.atm.Component, &n.atm.writes, &n.atm.wrote},
	} {
		*x.writes = simkit.NewStream[link.Write]("Write", x.c, n.mem.Component, 8, 1)
		*x.done = simkit.NewStream[link.WriteDone]("WriteDone", n.mem.Component, x.c, deep, 1)
		n.mem.writes[x.client], n.mem.wrote[x.client] = *x.writes, *x.done
	}
	n.sendStreams(qps)
	n.receiveStreams(qps)
	n.againStreams(qps)
}

func (n *NIC) sendStreams(qps int) {
	n.db.n = n
	n.db.sq = simkit.NewStream[link.Bell]("SQ", n.db.Component, n.sq.Component, qps, 1)
	n.db.rq = simkit.NewStream[link.Bell]("RQ", n.db.Component, n.rq.Component, qps, 1)
	for _, w := range []struct {
		w     *wqefetch
		bells *simkit.Stream[link.Bell]
		taker *simkit.Component
		user  *simkit.Component
	}{{&n.sq, n.db.sq, n.sch.Component, n.req.Component}, {&n.rq, n.db.rq, n.rsp.Component, n.rsp.Component}} {
		w.w.n, w.w.bells = n, w.bells
		w.w.takes = simkit.NewStream[int32]("Take", w.user, w.w.Component, deep, 1)
		w.w.landed = simkit.NewStream[arrived]("Landed", w.w.Component, w.w.Component, deep, 1)
		w.w.ready = simkit.NewStream[int32]("Ready", w.w.Component, w.taker, qps, 1)
	}
	n.sch.n = n
	n.sch.in = make([]bool, len(n.qps))
	n.sch.grant = simkit.NewStream[int32]("Grant", n.sch.Component, n.req.Component, 1, n.grantTime())
	n.req.n, n.req.turnQP = n, -1
	n.req.grants = n.sch.grant
	n.req.turns = simkit.NewStream[turn]("Turn", n.req.Component, n.req.Component, 2, 1)
	n.req.jobs = simkit.NewStream[job]("Job", n.req.Component, n.trm.Component, 2, 1)
	n.req.segs = simkit.NewStream[segment]("Segment", n.req.Component, n.ttx.Component, jobsAhead+link.MaxSGEs, 1)
	n.req.again = simkit.NewStream[int32]("Again", n.req.Component, n.sch.Component, qps, 1)
	n.req.issue = simkit.NewStream[issued]("Issue", n.req.Component, n.rm.Component, qps, 1)
	n.cmp.retired = simkit.NewStream[retired]("Retired", n.cmp.Component, n.req.Component, deep*4, 1)
	n.req.retired = n.cmp.retired
	n.cmp.freed = simkit.NewStream[int32]("Freed", n.cmp.Component, n.sch.Component, deep*4, 1)
	n.ret.wakes = simkit.NewStream[int32]("Wake", n.ret.Component, n.sch.Component, qps, 1)
	n.ctx.n = n
	n.ctx.wakes = simkit.NewStream[int32]("Wake", n.ctx.Component, n.sch.Component, qps, 1)
	n.rate.n = n
	n.rate.wakes = [3]*simkit.Stream[int32]{
		simkit.NewStream[int32]("WakeRequester", n.rate.Component, n.sch.Component, qps, 1),
		simkit.NewStream[int32]("WakeResources", n.rate.Component, n.res.Component, qps, 1),
		simkit.NewStream[int32]("WakeResend", n.rate.Component, n.rsd.Component, qps, 1),
	}
	n.sch.wakes = []*simkit.Stream[int32]{n.sq.ready, n.req.again, n.cmp.freed, n.ret.wakes, n.ctx.wakes, n.rate.wakes[0]}

	n.trm.n = n
	n.trm.from[fromRequester], n.trm.segs[fromRequester] = n.req.jobs, n.req.segs
	n.res.jobs = simkit.NewStream[job]("Job", n.res.Component, n.trm.Component, 1, 1)
	n.res.segs = simkit.NewStream[segment]("Segment", n.res.Component, n.ttx.Component, n.ahead(2), 1)
	n.rsd.jobs = simkit.NewStream[job]("Job", n.rsd.Component, n.trm.Component, 1, 1)
	n.rsd.segs = simkit.NewStream[segment]("Segment", n.rsd.Component, n.ttx.Component, 2+link.MaxSGEs, 1)
	n.trm.from[fromResources], n.trm.segs[fromResources] = n.res.jobs, n.res.segs
	n.trm.from[fromResend], n.trm.segs[fromResend] = n.rsd.jobs, n.rsd.segs
	n.trm.order = simkit.NewStream[int8]("SegmentOrder", n.trm.Component, n.ttx.Component, jobsAhead, 1)
	n.trm.jobs = simkit.NewStream[job]("TxJobs", n.trm.Component, n.trm.Component, jobsAhead, 1)
	n.trm.desc = simkit.NewStream[link.Frame]("Desc", n.trm.Component, n.pb.Component, 2, 1)
	n.trm.record = simkit.NewStream[recorded]("Record", n.trm.Component, n.rep.Component, 4, 1)
	n.gat.n = n
	n.gat.out = simkit.NewStream[Cycle]("Gathered", n.gat.Component, n.trm.Component, 64, 1)
	n.trm.gathered = n.gat.out
	n.gat.freed = simkit.NewStream[int32]("Freed", n.pb.Component, n.gat.Component, deep, 1)
	n.pb.n, n.pb.desc, n.pb.freed = n, n.trm.desc, n.gat.freed
	n.gat.pieces = simkit.NewStream[segment]("Piece", n.ttx.Component, n.gat.Component, 2, 1)
	n.keys.n = n
	n.keys.missing = [2]int32{-1, -1}
	for dir, t := range []*translate{&n.ttx, &n.trx} {
		t.n, t.dir, t.most = n, dir, n.ahead(8)+placing
		t.client = int8([2]int{readTxPages, readRxPages}[dir])
		t.asks = simkit.NewStream[int32]("Key", t.Component, n.keys.Component, t.most, 1)
		t.known = simkit.NewStream[bool]("Known", n.keys.Component, t.Component, t.most, 1)
		n.keys.asks[dir], n.keys.known[dir] = t.asks, t.known
		t.lines = newLRU(max(1, n.p.Lines.Entries), n.p.Lines.Ways)
	}
	n.ttx.out = n.gat.pieces
	n.ttx.next, n.ttx.taken = n.nextSegment, n.tookSegment
}

// grantTime is what the scheduler takes.
func (n *NIC) grantTime() Cycle {
	const few = 64
	if n.p.QPs > few {
		return n.times.get("scheduler", "grant_many")
	}
	return n.times.get("scheduler", "grant")
}

// ahead is how many messages wait where count would at more than 64 bits.
func (n *NIC) ahead(count int) int {
	if n.p.Width == 64 {
		return 1
	}
	return count
}

// nextSegment is the stream whose segments are next, by the order of jobs.
func (n *NIC) nextSegment() *simkit.Stream[segment] {
	if !n.trm.order.Ready() {
		return nil
	}
	return n.trm.segs[*n.trm.order.Head()]
}

// tookSegment ends the turn of a job with its last segment.
func (n *NIC) tookSegment(s segment) {
	if s.last {
		n.trm.order.Pop()
	}
}

func (n *NIC) receiveStreams(qps int) {
	n.rx.n = n
	n.rx.out = simkit.NewStream[packet]("Header", n.rx.Component, n.psn.Component, n.p.RxPackets, 1)
	n.rx.freed = simkit.NewStream[int32]("Freed", n.sca.Component, n.rx.Component, max(deep, n.p.RxPackets), 1)
	n.psn.n, n.psn.in = n, n.rx.out
	n.psn.out = simkit.NewStream[packet]("Request", n.psn.Component, n.rm.Component, 2, 1)
	n.psn.outcomes = simkit.NewStream[outcome]("Outcome", n.rsp.Component, n.psn.Component, 16, 1)
	n.psn.executed = simkit.NewStream[int32]("AtomicDone", n.atm.Component, n.psn.Component, 64, 1)
	n.rm.n, n.rm.in, n.rm.issued = n, n.psn.out, n.req.issue
	n.rm.out = simkit.NewStream[packet]("Matched", n.rm.Component, n.rsp.Component, 2, 1)
	n.rsp.n, n.rsp.in, n.rsp.outcomes, n.rsp.flush = n, n.rm.out, n.psn.outcomes, n.rq.ready
	n.rsp.segs = simkit.NewStream[segment]("Segment", n.rsp.Component, n.trx.Component, link.MaxSGEs+1, 1)
	n.rsp.records = simkit.NewStream[record]("Record", n.rsp.Component, n.rsp.Component, n.ahead(4)+1, 1)
	n.rsp.commits = simkit.NewStream[commit]("Commit", n.rsp.Component, n.sca.Component, 64, 1)
	n.trx.next = func() *simkit.Stream[segment] { return n.rsp.segs }
	n.trx.taken = func(segment) {}
	n.trx.says = simkit.NewStream[int32]("Translated", n.trx.Component, n.rsp.Component, 4, 1)
	n.rsp.translated = n.trx.says
	n.sca.n = n
	n.sca.pieces = simkit.NewStream[segment]("Piece", n.trx.Component, n.sca.Component, piecesAhead, 1)
	n.trx.out = n.sca.pieces
	n.sca.commits, n.sca.freed = n.rsp.commits, n.rx.freed
	n.sca.placed = [2]*simkit.Stream[commit]{
		simkit.NewStream[commit]("Placed", n.sca.Component, n.ack.Component, 2, 1),
		simkit.NewStream[commit]("Response", n.sca.Component, n.cmp.Component, n.ahead(4)+2, 1),
	}
	n.ack.n, n.ack.in = n, n.sca.placed[0]
	n.ack.completions = simkit.NewStream[link.CQE]("Completion", n.ack.Component, n.cqw.Component, 2, 1)
	n.ack.resources = simkit.NewStream[commit]("Resource", n.ack.Component, n.res.Component, n.ahead(2), 1)
	n.ack.served = simkit.NewStream[served]("Left", n.trm.Component, n.ack.Component, qps, 1)
	n.trm.left = n.ack.served
	n.ack.out = simkit.NewStream[owed]("Ack", n.ack.Component, n.trm.Component, 1, 1)
	n.trm.acks = n.ack.out
	n.ack.owing = simkit.NewStream[int32]("Owing", n.ack.Component, n.ack.Component, qps, 1)
	n.res.n, n.res.in, n.res.last = n, n.ack.resources, -1
	n.res.results = simkit.NewStream[int32]("Result", n.atm.Component, n.res.Component, 64, 1)
	n.res.wakes = n.rate.wakes[1]
	n.res.atomics = simkit.NewStream[atomicCommand]("Atomic", n.res.Component, n.atm.Component, n.ahead(8), 1)
	n.res.due = simkit.NewStream[int32]("Due", n.res.Component, n.res.Component, qps, 1)
	n.atm.n, n.atm.in, n.atm.results, n.atm.told = n, n.res.atomics, n.res.results, n.psn.executed
	n.cmp.n, n.cmp.in = n, n.sca.placed[1]
	n.cmp.completions = simkit.NewStream[link.CQE]("Completion", n.cmp.Component, n.cqw.Component, 2, 1)
	n.cqw.n = n
	n.db.cq = simkit.NewStream[int32]("CQ", n.db.Component, n.cqw.Component, qps, 1)
	n.cqw.bells = n.db.cq
	n.cqw.in = [2]*simkit.Stream[link.CQE]{n.cmp.completions, n.ack.completions}
}

func (n *NIC) againStreams(qps int) {
	n.cmp.heard = simkit.NewStream[heard]("Heard", n.cmp.Component, n.ret.Component, 64, 1)
	n.rep.n, n.rep.in = n, n.trm.record
	n.rep.started = simkit.NewStream[heard]("Started", n.rep.Component, n.ret.Component, qps, 1)
	n.ret.n, n.ret.heard, n.ret.started = n, n.cmp.heard, n.rep.started
	n.ret.marks = simkit.NewStream[int32]("Mark", n.ret.Component, n.req.Component, qps, 1)
	n.req.marks = n.ret.marks
	n.trm.marked = simkit.NewStream[int32]("Marked", n.trm.Component, n.ret.Component, qps, 1)
	n.ret.marked = n.trm.marked
	n.ret.resends = simkit.NewStream[resendOrder]("Resend", n.ret.Component, n.rsd.Component, qps, 1)
	n.ret.resent = simkit.NewStream[resent]("Resent", n.rsd.Component, n.ret.Component, qps, 1)
	n.ret.failures = simkit.NewStream[failure]("Failure", n.ret.Component, n.cmp.Component, qps, 1)
	n.cmp.failures = n.ret.failures
	n.rsd.n, n.rsd.orders, n.rsd.resent, n.rsd.wakes, n.rsd.held = n, n.ret.resends, n.ret.resent, n.rate.wakes[2], -1
	n.rate.cnps = simkit.NewStream[int32]("CNP", n.rate.Component, n.trm.Component, qps, 1)
	n.trm.cnps = n.rate.cnps
}

// Connect joins the core with its host and the wire.
func (n *NIC) Connect(host, out, in *simkit.Component) {
	n.Bells = simkit.NewStream[link.Bell]("Bell", host, n.db.Component, max(deep, 2*len(n.qps)+8), 1)
	n.CQEs = simkit.NewStream[link.CQE]("CQE", n.cqw.Component, host, deep*16, 1)
	n.Out = simkit.NewStream[link.Frame](fmt.Sprintf("Out%d", n.p.Node), n.pb.Component, out, 8, 1)
	n.In = simkit.NewStream[link.Frame](fmt.Sprintf("In%d", n.p.Node), in, n.rx.Component, deep*64, 1)
}

// stages gives the components their stages and times.
func (n *NIC) stages() {
	t := func(block, name string) Cycle { return n.times.get(block, name) }
	least := func(block, name string) Cycle { return max(1, t(block, name)) }
	n.mem.address, n.mem.data, n.mem.answer = t("dma", "address"), t("dma", "data"), t("dma", "answer")
	n.mem.Add(n.mem.runReads)
	n.mem.Add(n.mem.runWrites)

	n.db.latency, n.db.interval = t("registers", "write")+t("doorbell", "latency"), least("registers", "interval")
	n.db.Add(n.db.run)
	for _, w := range []*wqefetch{&n.sq, &n.rq} {
		w.outMost = 4
		if n.p.Width == 64 {
			w.outMost = 2
		}
		w.pool = -1
		w.dueTime, w.again = n.grantTime(), t("wqefetch", "again")
		w.burst, w.interval, w.granule, w.arrive = least("wqefetch", "burst"), least("wqefetch", "interval"), t("wqefetch", "granule"), t("wqefetch", "arrive")
		w.Add(w.hear)
		w.Add(w.land)
		w.Add(w.fetch)
	}
	n.sq.client, n.rq.client, n.rq.recv = readSQ, readRQ, true
	if n.p.AllWQEs > 0 {
		n.sq.pool = 2 * n.p.AllWQEs
	}
	n.sch.Add(n.sch.run)
	r := &n.req
	r.look, r.interval, r.empty = least("requester", "look"), least("requester", "interval"), least("requester", "empty")
	r.job, r.plan, r.sum, r.next = least("requester", "job"), t("requester", "plan"), t("requester", "sum"), t("requester", "next")
	r.read, r.inline, r.end, r.made = t("requester", "read"), t("requester", "inline"), least("requester", "end"), t("requester", "made")
	r.inlineReady, r.atomic = t("requester", "inline_ready"), t("requester", "atomic")
	r.Add(r.hear)
	r.Add(r.send)
	r.Add(r.lookUp)
	n.contextStages()
	for _, x := range []*translate{&n.ttx, &n.trx} {
		block := [2]string{"translate_tx", "translate_rx"}[x.dir]
		x.ask, x.answerPiece, x.page, x.said = t(block, "ask"), least(block, "piece"), least(block, "page"), t(block, "said")
		x.interval, x.missTime = least(block, "interval"), t(block, "miss")
		x.Add(x.questions)
		x.Add(x.pieces)
	}
	n.keys.answer, n.keys.miss = least("keycache", "answer"), least("keycache", "miss")
	n.keys.cache = newKeys(max(2, n.p.Keys.Entries), n.p.Keys.Ways)
	n.keys.Add(n.keys.run)
	n.gat.burst, n.gat.gathered, n.gat.probed = least("gather", "burst"), t("gather", "gathered"), t("gather", "probed")
	n.gat.room = int32(max(4*format.MTUMax, 512*n.p.Width/8)) / n.beatBytes()
	n.gat.Add(n.gat.hear)
	n.gat.Add(n.gat.ask)
	n.gat.Add(n.gat.give)
	n.trm.cut = t("translate_tx", "cut")
	n.trm.packet, n.trm.interval, n.trm.fifo = least("transmit", "packet"), least("transmit", "interval"), least("transmit", "fifo")
	n.trm.Add(n.trm.choose)
	n.trm.Add(n.trm.merge)
	n.pb.first, n.pb.out, n.pb.ahead = t("packetbuild", "first"), t("packetbuild", "out"), t("packetbuild", "ahead")
	n.pb.Add(n.pb.run)
	n.rep.Add(n.rep.run)
	n.receiveStages(t, least)
	n.againStages(t, least)
}

func (n *NIC) contextStages() {
	c := &n.ctx
	if n.p.Context.Entries > 0 {
		c.cache = newLRU(n.p.Context.Entries, n.p.Context.Ways)
	}
	c.bytes, c.most = int32(max(1, n.p.Context.Bytes)), max(1, n.p.Context.Misses)
	c.wanted = [2][]bool{make([]bool, len(n.qps)), make([]bool, len(n.qps))}
	c.Add(c.run)
}

func (n *NIC) receiveStages(t, least func(block, name string) Cycle) {
	n.rx.header, n.rx.interval, n.rx.payload = least("rxpath", "header"), least("rxpath", "interval"), t("rxpath", "payload")
	n.rx.Add(n.rx.run)
	n.psn.request, n.psn.interval, n.psn.outcome = least("psncheck", "request"), least("psncheck", "interval"), t("psncheck", "outcome")
	n.psn.Add(n.psn.hear)
	n.psn.Add(n.psn.run)
	m := &n.rm
	m.request, m.interval, m.data = least("readmatch", "request"), least("readmatch", "interval"), least("readmatch", "data")
	m.dataInterval, m.piece, m.fetch = least("readmatch", "data_interval"), least("readmatch", "piece"), least("readmatch", "fetch")
	m.Add(m.hear)
	m.Add(m.run)
	r := &n.rsp
	r.segment, r.segmentRecv, r.interval = least("responder", "segment"), least("responder", "segment_recv"), least("responder", "interval")
	r.intervalRecv, r.intervalAck = least("responder", "interval_recv"), least("responder", "interval_ack")
	r.sge, r.sum, r.commit, r.outcome = t("responder", "sge"), t("responder", "sum"), least("responder", "commit"), t("responder", "outcome")
	r.answer = least("responder", "answer")
	r.Add(r.run)
	s := &n.sca
	s.burst, s.first, s.placedTime, s.empty = least("scatter", "burst"), t("scatter", "first"), least("scatter", "placed"), least("scatter", "empty")
	s.response = t("completer", "in")
	s.Add(s.hear)
	s.Add(s.write)
	s.Add(s.report)
	a := &n.ack
	a.ack, a.interval, a.completion, a.resource = least("ackqueue", "ack"), least("ackqueue", "interval"), least("ackqueue", "completion"), least("ackqueue", "resource")
	a.Add(a.run)
	x := &n.res
	x.interval, x.alone, x.jobTime = least("resources", "interval"), least("resources", "alone"), least("resources", "job")
	x.atomicTime = least("resources", "atomic")
	x.take, x.duplicate, x.lookTime = least("resources", "take"), least("resources", "duplicate"), t("resources", "look")
	x.Add(x.run)
	y := &n.atm
	y.read, y.modify, y.result, y.interval = least("atomic", "read"), least("atomic", "modify")+t("atomic", "beat"), least("atomic", "result"), least("atomic", "interval")
	y.most = 8
	if n.p.Width == 64 {
		y.most = 2
	}
	y.Add(y.run)
}

func (n *NIC) againStages(t, least func(block, name string) Cycle) {
	c := &n.cmp
	c.first, c.interval, c.packet = least("completer", "first"), least("completer", "interval"), least("completer", "packet")
	c.read, c.other = least("completer", "read"), least("completer", "other")
	c.Add(c.run)
	w := &n.cqw
	w.burst, w.interval = least("cqewriter", "burst")+t("cqewriter", "beat"), least("cqewriter", "interval")
	w.update = least("cqewriter", "update")
	w.Add(w.run)
	n.ret.operation, n.ret.markTime, n.ret.resendTime = least("retry", "operation"), least("retry", "mark"), least("retry", "resend")
	n.ret.Add(n.ret.run)
	n.rsd.first, n.rsd.same, n.rsd.sge = t("resend", "first"), least("resend", "same"), t("resend", "sge")
	n.rsd.Add(n.rsd.hear)
	n.rsd.Add(n.rsd.run)
	n.rate.wake, n.rate.markTime = least("dcqcn", "wake"), least("cnp", "mark")
	if n.p.Rates != nil {
		n.rate.settings = *n.p.Rates
	}
	n.rate.Add(n.rate.run)
}
