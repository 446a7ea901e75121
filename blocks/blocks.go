package blocks

import (
	"gornic/blocks/ackqueue"
	"gornic/blocks/atomic"
	"gornic/blocks/cnp"
	"gornic/blocks/command"
	"gornic/blocks/completer"
	"gornic/blocks/core"
	"gornic/blocks/cqewriter"
	"gornic/blocks/dcqcn"
	"gornic/blocks/dma"
	"gornic/blocks/doorbell"
	"gornic/blocks/events"
	"gornic/blocks/gather"
	"gornic/blocks/icrc"
	"gornic/blocks/keycache"
	"gornic/blocks/keyops"
	"gornic/blocks/link"
	"gornic/blocks/packetbuild"
	"gornic/blocks/psncheck"
	"gornic/blocks/qpcontext"
	"gornic/blocks/readmatch"
	"gornic/blocks/registers"
	"gornic/blocks/replay"
	"gornic/blocks/requester"
	"gornic/blocks/resend"
	"gornic/blocks/resources"
	"gornic/blocks/responder"
	"gornic/blocks/retry"
	"gornic/blocks/rxbuffer"
	"gornic/blocks/rxparse"
	"gornic/blocks/rxpath"
	"gornic/blocks/scatter"
	"gornic/blocks/scheduler"
	"gornic/blocks/translate"
	"gornic/blocks/transmit"
	"gornic/blocks/wqefetch"
	"gornic/configs"
	"gornic/format"
	"gornic/hdl"
)

// Block is one datapath block.
type Block struct {
	Name string // of its folder
	Doc  string // what it does, in a line
	// Build elaborates the block in a configuration, with itself as the top.
	Build func(configs.Config) (*hdl.Design, error)
}

// All returns the blocks in the order in which data flows, receive first.
func All() []Block {
	return []Block{
		{
			"rxparse", "takes Ethernet frames apart: RoCEv2 descriptors and payloads, frames for the host",
			func(c configs.Config) (*hdl.Design, error) {
				return build(rxparse.Def(rxparse.Params{DataWidth: c.DataWidth}))
			},
		},
		{
			"icrc", "checks the invariant CRC of frames, a beat a cycle",
			func(c configs.Config) (*hdl.Design, error) {
				return build(icrc.CheckDef(icrc.Params{DataWidth: c.DataWidth}))
			},
		},
		{
			"rxbuffer", "keeps packets until parser and ICRC have judged them, hands the good ones on whole",
			func(c configs.Config) (*hdl.Design, error) { return build(rxbuffer.Def(rxBuffer(c))) },
		},
		{
			"rxpath", "the receive side: rxparse, icrc and rxbuffer as one module",
			func(c configs.Config) (*hdl.Design, error) { return build(rxpath.Def(RxPath(c))) },
		},
		{
			"psncheck", "finds the queue pair of a packet, and judges requests by their PSN",
			func(c configs.Config) (*hdl.Design, error) {
				return build(psncheck.Def(psncheck.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"readmatch", "finds the READ or atomic that a response answers, and where its data goes",
			func(c configs.Config) (*hdl.Design, error) {
				return build(readmatch.Def(readmatch.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"responder", "decides what becomes of requests: where their payload goes, what completes, what is answered",
			func(c configs.Config) (*hdl.Design, error) {
				return build(responder.Def(responder.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"packetbuild", "makes frames of descriptors and payloads, pad and ICRC included",
			func(c configs.Config) (*hdl.Design, error) {
				return build(packetbuild.Def(packetbuild.Params{DataWidth: c.DataWidth}))
			},
		},
		{
			"keycache", "holds keys in front of the key table in host memory, and judges what is asked of them",
			func(c configs.Config) (*hdl.Design, error) { return build(keycache.Def(keyCache(c))) },
		},
		{
			"keyops", "does the work requests on keys of queue pairs, one after another",
			func(c configs.Config) (*hdl.Design, error) { return build(keyops.Def(keyops.Params{Sizes: Sizes(c)})) },
		},
		{
			"doorbell", "lets doorbells through that come from the page of their queue",
			func(c configs.Config) (*hdl.Design, error) {
				return build(doorbell.Def(doorbell.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"wqefetch", "reads work queue entries ahead of their use",
			func(c configs.Config) (*hdl.Design, error) {
				return build(wqefetch.Def(wqefetch.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"scheduler", "chooses whose turn it is to send, a packet at a time",
			func(c configs.Config) (*hdl.Design, error) {
				return build(scheduler.Def(scheduler.Params{Sizes: Sizes(c), Wakes: Core(c).Wakers()}))
			},
		},
		{
			"requester", "makes request packets of work queue entries",
			func(c configs.Config) (*hdl.Design, error) {
				return build(requester.Def(requester.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"translate", "cuts segments at pages, and finds where they lie in host memory",
			func(c configs.Config) (*hdl.Design, error) {
				return build(translate.Def(translate.Params{Sizes: Sizes(c), Lines: core.PageLines}))
			},
		},
		{
			"gather", "reads the payload of packets from host memory, and holds it until it is whole",
			func(c configs.Config) (*hdl.Design, error) { return build(gather.Def(gatherParams(c))) },
		},
		{
			"transmit", "gives packets to the builder: acknowledgements, and requests whose payload is whole",
			func(c configs.Config) (*hdl.Design, error) {
				return build(transmit.Def(transmit.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"replay", "packets that wait for their acknowledgement",
			func(c configs.Config) (*hdl.Design, error) {
				return build(replay.Def(replay.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"retry", "timers and retry counters: when packets are sent again",
			func(c configs.Config) (*hdl.Design, error) { return build(retry.Def(retryParams(c))) },
		},
		{
			"completer", "acknowledgements retire packets, and send WQEs complete",
			func(c configs.Config) (*hdl.Design, error) {
				return build(completer.Def(completer.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"scatter", "writes the payload of received packets to host memory",
			func(c configs.Config) (*hdl.Design, error) {
				return build(scatter.Def(scatter.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"ackqueue", "makes requests visible when their payload is in memory: answers, completions",
			func(c configs.Config) (*hdl.Design, error) {
				return build(ackqueue.Def(ackqueue.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"resources", "responder resources: READs and atomics of each queue pair, and their responses",
			func(c configs.Config) (*hdl.Design, error) {
				return build(resources.Def(resources.Params{Sizes: Sizes(c)}))
			},
		},
		{
			"atomic", "executes compare-and-swap and fetch-and-add on host memory",
			func(c configs.Config) (*hdl.Design, error) { return build(atomic.Def(atomic.Params{Sizes: Sizes(c)})) },
		},
		{
			"cnp", "decides when a congestion notification is sent",
			func(c configs.Config) (*hdl.Design, error) {
				return build(cnp.Def(cnp.Params{Sizes: Sizes(c), Tick: congestionTick(c)}))
			},
		},
		{
			"dcqcn", "slows queue pairs down where congestion is notified",
			func(c configs.Config) (*hdl.Design, error) {
				return build(dcqcn.Def(dcqcn.Params{Sizes: Sizes(c), Tick: congestionTick(c), Askers: core.Pacers}))
			},
		},
		{
			"cqewriter", "writes completions to completion queues in host memory",
			func(c configs.Config) (*hdl.Design, error) {
				return build(cqewriter.Def(cqewriter.Params{Sizes: Sizes(c), Inputs: 2}))
			},
		},
		{
			"events", "tells software of completions and faults: event queues and interrupts",
			func(c configs.Config) (*hdl.Design, error) {
				return build(events.Def(events.Params{Sizes: Sizes(c), Asyncs: core.Asyncs}))
			},
		},
		{
			"qpcontext", "the table of queue pairs, and their states",
			func(c configs.Config) (*hdl.Design, error) {
				return build(qpcontext.Def(qpcontext.Params{Sizes: Sizes(c), Clients: core.Lookers, Faults: core.Faulters}))
			},
		},
		{
			"registers", "AXI4-Lite slave: registers, counters, mailbox, doorbell pages",
			func(c configs.Config) (*hdl.Design, error) {
				return build(registers.Def(Core(c).Registers()))
			},
		},
		{
			"command", "runs the commands of the mailbox",
			func(c configs.Config) (*hdl.Design, error) {
				return build(command.Def(Core(c).Command()))
			},
		},
		{
			"resend", "sends packets again that have had no answer, from their WQEs in host memory",
			func(c configs.Config) (*hdl.Design, error) { return build(resend.Def(resend.Params{Sizes: Sizes(c)})) },
		},
		{
			"core", "the whole core: every block, joined",
			func(c configs.Config) (*hdl.Design, error) { return build(core.Def(Core(c))) },
		},
		{
			"dma", "the AXI master: merges the bursts of its clients",
			func(c configs.Config) (*hdl.Design, error) {
				return build(dma.Def(dma.Params{Sizes: Sizes(c), Reads: Core(c).Readers(), Writes: Core(c).Writers()}))
			},
		},
	}
}

// congestionTick is cycles of a tick of congestion control: a quarter of that of the ACK timers.
func congestionTick(c configs.Config) int { return max(1, c.AckTick/4) }

func rxBuffer(c configs.Config) rxbuffer.Params {
	return rxbuffer.Params{DataWidth: c.DataWidth, Beats: c.RxBuffer / (c.DataWidth / 8), Frames: c.RxPackets}
}

// keyCache has a client for each direction.
func keyCache(c configs.Config) keycache.Params {
	return keycache.Params{Sizes: link.Sizes{DataWidth: c.DataWidth}, Clients: 2, Entries: c.Keys}
}

// gatherParams has a buffer of four packets of any path MTU, and no less than a block RAM has anyway: 512 beats.
func gatherParams(c configs.Config) gather.Params {
	return gather.Params{Sizes: Sizes(c), Buffer: max(4*format.MTUMax, 512*c.DataWidth/8)}
}

// retryParams has a wheel that looks at about 16 queue pairs a tick when the timers of all run.
func retryParams(c configs.Config) retry.Params {
	return retry.Params{Sizes: Sizes(c), Tick: c.AckTick, Slots: max(64, c.QPs/16)}
}

// Core returns the parameters of the whole core in a configuration.
func Core(c configs.Config) core.Params {
	return core.Params{Sizes: Sizes(c), MTU: c.PathMTU, Keys: c.Keys, Retry: retryParams(c), Rx: RxPath(c), Credits: c.Credits == 1, NoCongestion: c.Congestion == 0}
}

// RxPath returns the parameters of the receive side in a configuration.
func RxPath(c configs.Config) rxpath.Params {
	buffer := rxBuffer(c)
	return rxpath.Params{
		DataWidth: c.DataWidth, Beats: buffer.Beats, Frames: buffer.Frames, RawBeats: c.RawBuffer / (c.DataWidth / 8),
	}
}

// Sizes returns the numbers that the blocks of the core share in a configuration.
func Sizes(c configs.Config) link.Sizes {
	return link.Sizes{
		DataWidth: c.DataWidth, QPBits: hdl.Log2(c.QPs), CQBits: hdl.Log2(c.CQs), EQBits: hdl.Log2(c.EQs),
		SlotBits: hdl.Log2(c.WQEs), ReplayBits: hdl.Log2(c.Replay), ReadBits: hdl.Log2(c.Reads),
		Without: without(c),
	}
}

// without is what a configuration leaves out.
func without(c configs.Config) link.Feature {
	var set link.Feature
	for _, f := range []struct {
		has     int
		feature link.Feature
	}{{c.Atomics, link.Atomics}, {c.KeyRequests, link.KeyRequests}} {
		if f.has == 0 {
			set |= f.feature
		}
	}
	return set
}

func build[IO any](def hdl.Def[IO]) (*hdl.Design, error) {
	design, _, err := hdl.Build(def)
	return design, err
}
