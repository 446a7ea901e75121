package golden

import "gornic/format"

const logSizeMax = 15 // of an EQ or CQ

func (n *NIC) createEQ() format.CommandStatus {
	a := argument[format.CreateEQ[uint64]](n)
	status := firstFailure(
		check{a.EQN < uint64(len(n.eqs)) && n.eq(a.EQN) == nil, format.CmdBadNumber},
		check{ringFits(a.Base, a.LogSize, eqeBytes), format.CmdBadParameter},
		check{a.Vector < uint64(len(n.eqs)), format.CmdBadParameter},
	)
	if status == format.CmdOK {
		n.eqs[a.EQN] = &eventQueue{number: uint32(a.EQN), vector: uint32(a.Vector), base: a.Base, logSize: a.LogSize}
	}
	return status
}

func (n *NIC) destroyEQ() format.CommandStatus {
	number := argument[format.QueueRef[uint64]](n).Number
	status := firstFailure(
		check{n.eq(number) != nil, format.CmdBadNumber},
		check{!n.someCQ(func(c *completionQueue) bool { return c.eqn == number }), format.CmdBusy},
	)
	if status == format.CmdOK {
		n.eqs[number] = nil
	}
	return status
}

func (n *NIC) createCQ() format.CommandStatus {
	a := argument[format.CreateCQ[uint64]](n)
	status := firstFailure(
		check{a.CQN < uint64(len(n.cqs)) && n.cq(a.CQN) == nil, format.CmdBadNumber},
		check{n.eq(a.EQN) != nil, format.CmdBadNumber},
		check{ringFits(a.Base, a.LogSize, cqeBytes), format.CmdBadParameter},
		check{a.Page < uint64(n.config.Pages), format.CmdBadParameter},
	)
	if status == format.CmdOK {
		n.cqs[a.CQN] = &completionQueue{number: uint32(a.CQN), eqn: a.EQN, page: uint32(a.Page), base: a.Base, logSize: a.LogSize}
	}
	return status
}

func (n *NIC) destroyCQ() format.CommandStatus {
	number := argument[format.QueueRef[uint64]](n).Number
	status := firstFailure(
		check{n.cq(number) != nil, format.CmdBadNumber},
		check{!n.someQP(func(q *queuePair) bool { return q.sendCQ == number || q.recvCQ == number }), format.CmdBusy},
	)
	if status == format.CmdOK {
		n.cqs[number] = nil
		n.forget(true, uint32(number))
	}
	return status
}

// ringFits tells whether a ring of 1 << logSize entries can lie at base.
func ringFits(base, logSize, entry uint64) bool {
	return logSize >= 1 && logSize <= logSizeMax && base&(entry<<logSize-1) == 0
}

func (n *NIC) someCQ(is func(*completionQueue) bool) bool {
	for _, c := range n.cqs {
		if c != nil && is(c) {
			return true
		}
	}
	return false
}

func (n *NIC) someQP(is func(*queuePair) bool) bool {
	for _, q := range n.qps {
		if q != nil && is(q) {
			return true
		}
	}
	return false
}
