package record

import "gornic/verbs"

// names tells which queue pair of the workload a number of the core, or of a packet, is.
type names struct {
	qps   int               // of the core: the low bits of a number are an index
	asked int               // connections so far: those of a and b in turns
	byQPN [2]map[uint32]int // of each node
	index [2]map[uint64]int // likewise, by index in the core
	first [2][]uint32       // PSN of each queue pair of each node
}

func newNames(qps int) *names {
	n := &names{qps: qps}
	for i := range n.byQPN {
		n.byQPN[i], n.index[i] = map[uint32]int{}, map[uint64]int{}
	}
	return n
}

// connect notes the attributes of the next connection: play connects queue pair 0 of a, 0 of b, 1 of a and so on.
func (n *names) connect(a *verbs.QPAttr) {
	side, qp := n.asked%2, n.asked/2
	n.asked++
	n.byQPN[1-side][a.DestQPN] = qp
	n.index[1-side][uint64(a.DestQPN)&uint64(n.qps-1)] = qp
	n.first[side] = append(n.first[side], a.SQPSN)
}

// psnBits is the width of a PSN.
const psnBits = 24

// psn is the PSN of a packet from a node counted from the first of the requester's queue pair.
func (n *names) psn(from, qp int, psn uint32, response bool) uint32 {
	requester := from
	if response {
		requester = 1 - from
	}
	return (psn - n.first[requester][qp]) & (1<<psnBits - 1)
}
