package core

import (
	"gornic/blocks/ackqueue"
	"gornic/blocks/atomic"
	"gornic/blocks/cnp"
	"gornic/blocks/command"
	"gornic/blocks/completer"
	"gornic/blocks/cqewriter"
	"gornic/blocks/dcqcn"
	"gornic/blocks/dma"
	"gornic/blocks/doorbell"
	"gornic/blocks/events"
	"gornic/blocks/gather"
	"gornic/blocks/keycache"
	"gornic/blocks/keyops"
	"gornic/blocks/link"
	"gornic/blocks/packetbuild"
	"gornic/blocks/psncheck"
	"gornic/blocks/pulses"
	"gornic/blocks/qpcontext"
	"gornic/blocks/readmatch"
	"gornic/blocks/registers"
	"gornic/blocks/replay"
	"gornic/blocks/requester"
	"gornic/blocks/resend"
	"gornic/blocks/resources"
	"gornic/blocks/responder"
	"gornic/blocks/retry"
	"gornic/blocks/rxpath"
	"gornic/blocks/scatter"
	"gornic/blocks/scheduler"
	"gornic/blocks/translate"
	"gornic/blocks/transmit"
	"gornic/blocks/wqefetch"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Clients of blocks that serve several, in the order of their ports. Those of
// the DMA engine are also their AXI IDs.
const (
	readGather = iota
	readSQ
	readRQ
	readKeys
	readTxPages
	readRxPages
	readMatch
	readResend
	readAtomic // none where the core has no atomics, and likewise writeAtomic
	readers
)

const (
	writeScatter = iota
	writeCQEs
	writeEvents
	writeKeys
	writeAtomic
	writers
)

const (
	lookRequester = iota
	lookTransmit
	lookPSNCheck
	lookResponder
	lookCompleter
	lookResources
	lookResend
	lookCommand
	lookers
)

const (
	keyTx = iota
	keyRx
	keyUsers
)

const (
	wakeFetched = iota
	wakeAgain
	wakeRetired
	wakeDead
	wakeKeyOp
	wakeRetry
	wakeCommand
	wakers
)

const (
	faultCompleter = iota
	faultAckQueue
	faultTransmit
	faultCQEs
	faulters
)

const asyncs = 4

// How many ports the blocks that serve several have here.
const (
	Lookers  = lookers
	Faulters = faulters
	Asyncs   = asyncs
	Pacers   = pacers
)

// Readers is how many clients of the DMA engine read.
func (p Params) Readers() int {
	if !p.Sizes.Has(link.Atomics) {
		return readAtomic
	}
	return readers
}

// Writers is how many clients of the DMA engine write.
func (p Params) Writers() int {
	if !p.Sizes.Has(link.Atomics) {
		return writeAtomic
	}
	return writers
}

// AXI IDs of clients that who watches the AXI4 port looks for.
const (
	ReadSQ    = readSQ    // reads of send WQEs
	ReadRQ    = readRQ    // of receive WQEs
	WriteCQEs = writeCQEs // writes of CQEs
)

// core is the module while it is built: every block, under the name of its folder.
type core struct {
	m  *hdl.Module
	p  Params
	io *IO

	registers *registers.IO
	command   *command.IO
	doorbell  *doorbell.IO
	qpcontext *qpcontext.IO
	keycache  *keycache.IO
	dma       *dma.IO

	wqefetchSQ  *wqefetch.IO
	scheduler   *scheduler.IO
	requester   *requester.IO
	translateTx *translate.IO
	gather      *gather.IO
	keyops      *keyops.IO // nil where the core has no work requests on keys
	transmit    *transmit.IO
	packetbuild *packetbuild.IO
	replay      *replay.IO
	retry       *retry.IO
	resend      *resend.IO
	completer   *completer.IO

	rxpath      *rxpath.IO
	psncheck    *psncheck.IO
	readmatch   *readmatch.IO
	wqefetchRQ  *wqefetch.IO
	responder   *responder.IO
	translateRx *translate.IO
	scatter     *scatter.IO
	ackqueue    *ackqueue.IO
	resources   *resources.IO
	atomic      *atomic.IO // nil where the core has no atomics
	cqewriter   *cqewriter.IO
	events      *events.IO
	cnp         *cnp.IO   // nil where no queue pair can have congestion control
	dcqcn       *dcqcn.IO // likewise

	control []hdl.Stream[link.QPControl] // copies for the blocks that own state of queue pairs
	dead    []hdl.Stream[link.QPRef]     // copies for those who flush
}

// txBuffer is the payload that waits to be sent: four packets of any path MTU, so that one leaves while two are
// read behind the next; and no less than a block RAM has anyway, 512 beats.
func (p Params) txBuffer() int { return max(4*format.MTUMax, 512*p.Sizes.DataWidth/8) }

// PageLines is how many lines of page lists each direction holds.
const PageLines = 4

func newCore(m *hdl.Module, p Params, io *IO) *core {
	s := p.Sizes
	c := &core{
		m: m, p: p, io: io,
		registers: hdl.Instance(m, "u_registers", registers.Def(p.Registers())),
		command:   hdl.Instance(m, "u_command", command.Def(p.Command())),
		doorbell:  hdl.Instance(m, "u_doorbell", doorbell.Def(doorbell.Params{Sizes: s})),
		qpcontext: hdl.Instance(m, "u_qpcontext", qpcontext.Def(qpcontext.Params{Sizes: s, Clients: lookers, Faults: faulters})),
		keycache:  hdl.Instance(m, "u_keycache", keycache.Def(keycache.Params{Sizes: s, Clients: keyUsers, Entries: p.Keys})),
		dma:       hdl.Instance(m, "u_dma", dma.Def(dma.Params{Sizes: s, Reads: p.Readers(), Writes: p.Writers()})),

		wqefetchSQ:  hdl.Instance(m, "u_wqefetch_sq", wqefetch.Def(wqefetch.Params{Sizes: s})),
		scheduler:   hdl.Instance(m, "u_scheduler", scheduler.Def(scheduler.Params{Sizes: s, Wakes: p.Wakers()})),
		requester:   hdl.Instance(m, "u_requester", requester.Def(requester.Params{Sizes: s})),
		translateTx: hdl.Instance(m, "u_translate_tx", translate.Def(translate.Params{Sizes: s, Lines: PageLines})),
		gather:      hdl.Instance(m, "u_gather", gather.Def(gather.Params{Sizes: s, Buffer: p.txBuffer()})),
		transmit:    hdl.Instance(m, "u_transmit", transmit.Def(transmit.Params{Sizes: s, Credits: p.Credits})),
		packetbuild: hdl.Instance(m, "u_packetbuild", packetbuild.Def(packetbuild.Params{DataWidth: s.DataWidth})),
		replay:      hdl.Instance(m, "u_replay", replay.Def(replay.Params{Sizes: s})),
		retry:       hdl.Instance(m, "u_retry", retry.Def(p.Retry)),
		resend:      hdl.Instance(m, "u_resend", resend.Def(resend.Params{Sizes: s})),
		completer:   hdl.Instance(m, "u_completer", completer.Def(completer.Params{Sizes: s})),

		rxpath:      hdl.Instance(m, "u_rxpath", rxpath.Def(p.Rx)),
		psncheck:    hdl.Instance(m, "u_psncheck", psncheck.Def(psncheck.Params{Sizes: s})),
		readmatch:   hdl.Instance(m, "u_readmatch", readmatch.Def(readmatch.Params{Sizes: s})),
		wqefetchRQ:  hdl.Instance(m, "u_wqefetch_rq", wqefetch.Def(wqefetch.Params{Sizes: s, Credits: p.creditors()})),
		responder:   hdl.Instance(m, "u_responder", responder.Def(responder.Params{Sizes: s})),
		translateRx: hdl.Instance(m, "u_translate_rx", translate.Def(translate.Params{Sizes: s, Lines: PageLines})),
		scatter:     hdl.Instance(m, "u_scatter", scatter.Def(scatter.Params{Sizes: s})),
		ackqueue:    hdl.Instance(m, "u_ackqueue", ackqueue.Def(ackqueue.Params{Sizes: s, Credits: p.Credits})),
		resources:   hdl.Instance(m, "u_resources", resources.Def(resources.Params{Sizes: s})),
		cqewriter:   hdl.Instance(m, "u_cqewriter", cqewriter.Def(cqewriter.Params{Sizes: s, Inputs: 2})),
		events:      hdl.Instance(m, "u_events", events.Def(events.Params{Sizes: s, Asyncs: asyncs})),
	}
	if s.Has(link.Atomics) {
		c.atomic = hdl.Instance(m, "u_atomic", atomic.Def(atomic.Params{Sizes: s}))
	}
	if s.Has(link.KeyRequests) {
		c.keyops = hdl.Instance(m, "u_keyops", keyops.Def(keyops.Params{Sizes: s}))
	}
	controlled := 10
	if !p.NoCongestion {
		c.cnp = hdl.Instance(m, "u_cnp", cnp.Def(cnp.Params{Sizes: s, Tick: p.congestionTick()}))
		c.dcqcn = hdl.Instance(m, "u_dcqcn", dcqcn.Def(dcqcn.Params{Sizes: s, Tick: p.congestionTick(), Askers: pacers}))
		controlled += 2
	}
	c.control = stream.Fork(m, "u_control", c.command.Control, controlled)
	c.dead = stream.Fork(m, "u_dead", c.qpcontext.Dead, 3)
	return c
}

// around joins what serves both halves.
func (c *core) around() {
	c.bus()
	c.configure()
	c.keys()
	c.fences()
	c.lookups()
	c.count()
}

// bus joins host memory and its clients, and the registers.
func (c *core) bus() {
	hdl.Connect(c.registers.Bus, c.io.Registers)
	hdl.Connect(c.io.Memory, c.dma.AXI)
	for at, port := range [readAtomic]link.ReadPort{
		readGather: c.gather.Read, readSQ: c.wqefetchSQ.Read, readRQ: c.wqefetchRQ.Read, readKeys: c.keycache.Read, readTxPages: c.translateTx.Read, readRxPages: c.translateRx.Read,
		readMatch: c.readmatch.Read, readResend: c.resend.Read,
	} {
		hdl.Connect(c.dma.Reads[at], port)
	}
	for at, port := range [writeAtomic]link.WritePort{
		writeScatter: c.scatter.Write, writeCQEs: c.cqewriter.Write, writeEvents: c.events.Write, writeKeys: c.keycache.Write,
	} {
		hdl.Connect(c.dma.Writes[at], port)
	}
	if c.atomic != nil {
		hdl.Connect(c.dma.Reads[readAtomic], c.atomic.Read)
		hdl.Connect(c.dma.Writes[writeAtomic], c.atomic.Write)
	}
}

// configure joins the mailbox and those whom commands tell.
func (c *core) configure() {
	r, cmd := c.registers, c.command
	hdl.Connect(cmd.Go, r.Go)
	hdl.Connect(r.Done, cmd.Done)
	hdl.Connect(c.doorbell.Bell, r.Bell)
	cmd.KeyLog.Set(r.Settings.KeyLogSize)
	c.keycache.Base.Set(r.Settings.KeyBase)
	c.keycache.LogSize.Set(r.Settings.KeyLogSize)
	c.transmit.MAC.Set(r.Settings.MAC)

	hdl.Connect(c.qpcontext.Write, cmd.Write)
	rings := stream.Fork(c.m, "u_send_rings", cmd.SQ, 3)
	hdl.Connect(c.wqefetchSQ.Config, rings[0])
	hdl.Connect(c.readmatch.Ring, rings[1])
	hdl.Connect(c.resend.Ring, rings[2])
	hdl.Connect(c.wqefetchRQ.Config, cmd.RQ)
	hdl.Connect(c.doorbell.Owner, cmd.Owner)
	hdl.Connect(c.requester.Peek, cmd.Peeks.NextPSN)
	hdl.Connect(c.replay.Peek, cmd.Peeks.Oldest)
	hdl.Connect(c.psncheck.Peek, cmd.Peeks.ExpPSN)
	hdl.Connect(c.ackqueue.Peek, cmd.Peeks.MSN)
	hdl.Connect(c.wqefetchSQ.Peek, cmd.Peeks.SQConsumer)
	hdl.Connect(c.wqefetchRQ.Peek, cmd.Peeks.RQConsumer)
	controlled := []hdl.Stream[link.QPControl]{
		c.requester.Control, c.transmit.Control, c.completer.Control, c.psncheck.Control, c.readmatch.Control, c.responder.Control, c.ackqueue.Control,
		c.resources.Control, c.retry.Control, c.resend.Control,
	}
	if !c.p.NoCongestion {
		controlled = append(controlled, c.cnp.Control, c.dcqcn.Control)
	}
	for i, to := range controlled {
		hdl.Connect(to, c.control[i])
	}
	cq := stream.Fork(c.m, "u_cq_config", cmd.CQ, 2)
	hdl.Connect(c.cqewriter.Config, cq[0])
	hdl.Connect(c.events.Config, stream.Filter(c.m, "cq_changes", cq[1], cq[1].Data.Keep.Not()))
	hdl.Connect(c.events.EQConfig, cmd.EQ)
}

// lookups joins the tables and who looks up in them.
func (c *core) lookups() {
	for at, port := range [lookers]link.ContextPort{
		lookRequester: c.requester.Context, lookTransmit: c.transmit.Context, lookPSNCheck: c.psncheck.Context, lookResponder: c.responder.Context,
		lookCompleter: c.completer.Context, lookResources: c.resources.Context, lookResend: c.resend.Context, lookCommand: c.command.Context,
	} {
		hdl.Connect(c.qpcontext.Clients[at], port)
	}
	hdl.Connect(c.keycache.Clients[keyTx], c.translateTx.Key)
	hdl.Connect(c.keycache.Clients[keyRx], c.translateRx.Key)
	hdl.Connect(c.qpcontext.Faults[faultCompleter], c.completer.Fault)
	hdl.Connect(c.qpcontext.Faults[faultAckQueue], c.ackqueue.Fault)
	hdl.Connect(c.qpcontext.Faults[faultTransmit], c.transmit.Fault)
	hdl.Connect(c.qpcontext.Faults[faultCQEs], c.cqewriter.Fault)
	hdl.Connect(c.events.Asyncs[0], c.qpcontext.Async)
	hdl.Connect(c.events.Asyncs[1], c.cqewriter.Async)
	hdl.Connect(c.events.Asyncs[2], c.psncheck.Async)
	hdl.Connect(c.events.Asyncs[3], c.requester.Async)
}

// count gives the registers a pulse for each counter.
func (c *core) count() {
	var counts [format.CounterCount]hdl.Bits
	c.countReceived(&counts)
	c.countRequests(&counts)
	c.countResponses(&counts)
	c.countSent(&counts)
	var bits []hdl.Bits
	for i := range counts {
		bits = append(bits, counts[len(counts)-1-i])
	}
	c.registers.Counts.Set(hdl.Cat(bits...))
}

// countReceived counts frames, and packets that no queue pair takes.
func (c *core) countReceived(counts *[format.CounterCount]hdl.Bits) {
	report := c.rxpath.Report
	is := func(r format.Reason) hdl.Bits { return report.Valid.And(report.Reason.Is(uint64(r))) }
	counted := hdl.OrAll(is(format.ReasonBufferFull), is(format.ReasonICRC), is(format.ReasonPKey))
	counts[format.CntRxAccepted] = is(format.ReasonOK)
	counts[format.CntRxPassed] = hdl.AndAll(report.Valid, report.Reason.IsNot(uint64(format.ReasonOK)), report.Reason.LtK(uint64(format.ReasonBadFrame)))
	counts[format.CntRxFull] = is(format.ReasonBufferFull)
	counts[format.CntRxICRC] = is(format.ReasonICRC)
	counts[format.CntRxPKey] = is(format.ReasonPKey)
	counts[format.CntRxRefused] = hdl.AndAll(report.Valid, report.Reason.GeK(uint64(format.ReasonBadFrame)), counted.Not())
	counts[format.CntRxBadQP] = c.psncheck.BadQP
	counts[format.CntRxBadAddress] = c.psncheck.BadAddress
	counts[format.CntRxBadState] = c.psncheck.BadState
	c.m.Unused(report.ICRC)
}

// refusalsWait is the width of how many refusals may wait to be counted: each source has one in some cycles.
const refusalsWait = 2

// countRequests counts what becomes of requests. Where a READ or atomic is refused after it was accepted, transmit
// takes its queue pair to ERR; in the same cycle, perhaps, in which ackqueue refuses another request.
func (c *core) countRequests(counts *[format.CounterCount]hdl.Bits) {
	k, fault := c.ackqueue.Counts, c.transmit.Fault
	refused := func(e format.AsyncEvent) hdl.Bits { return fault.Fire().And(fault.Data.Event.Is(uint64(e))) }
	counts[format.CntRxDuplicate] = c.psncheck.Duplicate
	counts[format.CntRxAhead] = c.psncheck.Ahead
	counts[format.CntOutOfBuffer] = k.OutOfBuffer
	counts[format.CntRespInvalid] = k.Invalid
	counts[format.CntRespAccess] = pulses.Merge(c.m, "access_refused", refusalsWait, k.Access, refused(format.EventQPAccessErr))
	counts[format.CntRespOperation] = pulses.Merge(c.m, "operation_failed", refusalsWait, k.Operation, refused(format.EventQPFatal))
	counts[format.CntRespLength] = k.Length
	counts[format.CntRespCQEErrors] = k.CQEError
	counts[format.CntRespCQEFlushes] = k.CQEFlush
}

// countResponses counts what the requester hears.
func (c *core) countResponses(counts *[format.CounterCount]hdl.Bits) {
	k := c.completer.Counts
	counts[format.CntRxIgnored] = k.Ignored
	counts[format.CntSequenceNAKs] = k.SequenceNAK
	counts[format.CntImpliedNAKs] = k.ImpliedNAK
	counts[format.CntRNRNAKs] = k.RNRNAK
	counts[format.CntReqInvalid] = k.Invalid
	counts[format.CntReqAccess] = k.Access
	counts[format.CntReqOperation] = k.Operation
	counts[format.CntTimeouts] = c.retry.Timeout
	counts[format.CntRetriesExceeded] = k.RetriesExceeded
	counts[format.CntRNRExceeded] = k.RNRExceeded
	counts[format.CntReqCQEErrors] = k.CQEError
	counts[format.CntReqCQEFlushes] = k.CQEFlush
}

// countSent counts what is sent, congestion, and what the host does.
func (c *core) countSent(counts *[format.CounterCount]hdl.Bits) {
	counts[format.CntTxPackets] = c.transmit.Sent
	counts[format.CntTxResent] = c.transmit.Resent
	counts[format.CntTxNAKs] = c.transmit.SentNAK
	counts[format.CntCNPHandled] = hdl.K(1, 0)
	if !c.p.NoCongestion {
		counts[format.CntCNPHandled] = c.dcqcn.Cut
	}
	counts[format.CntCNPIgnored] = c.psncheck.CNPIgnored
	counts[format.CntECNMarked] = c.psncheck.ECNMarked
	counts[format.CntCNPSent] = c.transmit.SentCNP
	counts[format.CntBadDoorbell] = c.doorbell.Refused
	counts[format.CntKeyMisses] = c.keycache.Missed
	counts[format.CntBusErrors] = c.dma.Err
}
