package main

import (
	"fmt"

	"gornic/cycle/config"
	"gornic/cycle/model"
)

// change is something that could help.
type change struct {
	text string
	set  string // as -set takes it
}

// changes are what an experiment could have in place of what it has: one field each.
func changes(e config.Experiment) []change {
	var all []change
	field := func(text, path string, value int) {
		all = append(all, change{text, fmt.Sprintf("%s=%d", path, value)})
	}
	m, nic := e.Model, e.Model.NIC
	if n := m.Caches.Context.Entries; n > 0 {
		field("twice as many contexts cached", "caches.context.entries", 2*n)
		field("four times as many contexts cached", "caches.context.entries", 4*n)
		field("all contexts on chip", "caches.context.entries", 0)
		field("eight context misses at once", "caches.context.misses", 8)
	}
	keys := m.Caches.Keys.Entries
	if keys == 0 {
		keys = nic.Keys
	}
	field("four times as many keys cached", "caches.keys.entries", 4*keys)
	field("as many keys cached as queue pairs have", "caches.keys.entries", max(4*keys, 2*e.Workload.Connections()*m.Host.Regions))
	field("16 lines of translations cached", "caches.translation.entries", max(16, 4*m.Caches.Translation.Entries))
	if 2*nic.WQEs <= 32 {
		field("twice as many WQEs read ahead", "nic.wqes_ahead", 2*nic.WQEs)
	}
	if 2*nic.Reads <= 64 {
		field("twice as many READs outstanding in the core", "nic.reads", 2*nic.Reads)
	}
	if 2*nic.Replay <= 4096 {
		field("twice as many packets outstanding", "nic.replay_entries", 2*nic.Replay)
	}
	if 4*nic.RxPackets <= 4096 {
		field("four times as many packets in the receive buffer", "nic.rx_packets", 4*nic.RxPackets)
	}
	if m.Retry.Timeout > 10 {
		field("retries after 4 ms", "retry.timeout", 10)
	}
	if 2*nic.DataWidth <= 512 {
		field("twice the data width", "nic.data_width", 2*nic.DataWidth)
	}
	field("a clock a quarter faster", "clock_mhz", m.ClockMHz*5/4)
	all = append(all, hostChanges(m.Host)...)
	if m.Link.Gbps > 0 {
		all = append(all, change{"twice the rate of the wire", fmt.Sprintf("link.gbps=%g", 2*m.Link.Gbps)})
	}
	if m.Link.Latency > 1 {
		field("half the latency of the wire", "link.latency", m.Link.Latency/2)
	}
	return append(all, workChanges(e)...)
}

// hostChanges are those of the host's bus and memory.
func hostChanges(h model.Host) []change {
	var all []change
	field := func(text, path string, value int) {
		all = append(all, change{text, fmt.Sprintf("host.%s=%d", path, value)})
	}
	if h.Bus != model.BusPCIe {
		if h.Latency > 1 {
			field("half the latency of host memory", "latency", h.Latency/2)
		}
		return all
	}
	if h.PCIe.Latency > 1 {
		field("half the latency of PCIe", "pcie.latency_ns", h.PCIe.Latency/2)
	}
	field("twice as many PCIe tags", "pcie.tags", 2*h.PCIe.Tags)
	if h.PCIe.Gen < 6 {
		field("the next generation of PCIe", "pcie.gen", h.PCIe.Gen+1)
	}
	field("twice as many PCIe credits for reads", "pcie.nonposted", 2*h.PCIe.NonPost)
	field("twice as many PCIe credits for writes", "pcie.posted", 2*h.PCIe.Posted)
	return all
}

// workChanges are those of what the application does.
func workChanges(e config.Experiment) []change {
	var all []change
	w := e.Workload
	least := w.QueuePairs[0].Depth
	for _, q := range w.QueuePairs {
		least = min(least, q.Depth)
	}
	if batch := 4 * max(1, w.Batch.Max); batch <= least {
		all = append(all, change{"four times as many work requests a doorbell", fmt.Sprintf("workload.batch=%d", batch)})
	}
	if len(w.QueuePairs) == 1 && 2*w.QueuePairs[0].Depth <= 1<<15 {
		all = append(all, change{"queues twice as deep", fmt.Sprintf("workload.queue_pairs[0].depth=%d", 2*w.QueuePairs[0].Depth)})
	}
	if w.Signaled > 25 {
		all = append(all, change{"a completion for a quarter of the messages", "workload.signaled=25"})
	}
	return all
}
