package model

import (
	"fmt"
	"sort"
)

// bottleneck says where the time went: the port or block that is busy most, if that is most of the time; else what blocks wait for.
func (m *pair) bottleneck(r *Result) string {
	if r.Cycles == 0 {
		return "nothing was sent"
	}
	share := func(n int64) float64 { return 100 * float64(n) / float64(m.e.Now()+1) }
	type use struct {
		what  string
		share float64
	}
	var all []use
	for i, n := range r.Nodes {
		wire := share(n.TxBeats)
		if m.c.Link.Gbps > 0 {
			wire = m.wireShare(i, wire)
		}
		all = append(all, use{fmt.Sprintf("the wire out of host %s", nodeName(i)), wire},
			use{fmt.Sprintf("the read data channel of host %s's memory", nodeName(i)), share(n.ReadBeats)},
			use{fmt.Sprintf("the write data channel of host %s's memory", nodeName(i)), share(n.WriteBeats)})
	}
	for _, b := range r.Blocks {
		if b.Name != "packetbuild" && b.Name != "dma" {
			all = append(all, use{fmt.Sprintf("%s of host %s", b.Name, nodeName(b.Node)), share(b.Busy)})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].share > all[j].share })
	const most = 85
	if all[0].share >= most {
		return fmt.Sprintf("Bound by %s: busy %.0f %% of the time.", all[0].what, all[0].share)
	}
	by := map[string]int64{}
	var names []string
	for _, b := range r.Blocks {
		for _, s := range b.Stalled {
			name := fmt.Sprintf("%s of host %s waits for %s", b.Name, nodeName(b.Node), s.By)
			by[name] += s.Cycles
			names = append(names, name)
		}
	}
	sort.SliceStable(names, func(i, j int) bool { return by[names[i]] > by[names[j]] })
	busiest := fmt.Sprintf("busiest is %s, %.0f %%", all[0].what, all[0].share)
	if len(names) > 0 && share(by[names[0]]) >= 20 {
		return fmt.Sprintf("Bound by latency: %s %.0f %% of the time; %s.", names[0], share(by[names[0]]), busiest)
	}
	return fmt.Sprintf("Bound by latency, or by how much work is posted: no block is busy for most of the time; %s.", busiest)
}

// wireShare is how long the wire out of a node carries something.
func (m *pair) wireShare(node int, beats float64) float64 {
	return max(beats, 100*float64(m.nics[node].WireTime())/float64(m.e.Now()+1))
}

func nodeName(i int) string {
	switch i {
	case 0:
		return "a"
	case 1:
		return "b"
	}
	return fmt.Sprintf("a%d", i-1)
}
