package golden

import "gornic/format"

const queueAlign = 4096

func (n *NIC) createQP() format.CommandStatus {
	a := argument[format.CreateQP[uint64]](n)
	index := a.QPN & uint64(len(n.qps)-1)
	status := firstFailure(
		check{a.QPN > format.QP1 && n.qps[index] == nil, format.CmdBadNumber},
		check{n.cq(a.SendCQ) != nil && n.cq(a.RecvCQ) != nil, format.CmdBadNumber},
		check{a.SigAll <= 1 && a.Congestion <= 1 && a.Page < uint64(n.config.Pages), format.CmdBadParameter},
		check{a.Congestion == 0 || !n.config.NoCongestion, format.CmdBadParameter},
		check{a.SQLogStride <= format.LogStrideMax && a.RQLogStride <= format.LogStrideMax, format.CmdBadParameter},
		check{a.SQBase%queueAlign == 0 && a.RQBase%queueAlign == 0, format.CmdBadParameter},
	)
	if status == format.CmdOK {
		n.qps[index] = newQueuePair(a)
	}
	return status
}

func (n *NIC) destroyQP() format.CommandStatus {
	q := n.qp(argument[format.QueueRef[uint64]](n).Number)
	if q == nil {
		return format.CmdBadNumber
	}
	n.qps[q.number&uint32(len(n.qps)-1)] = nil
	n.forget(false, q.number)
	return format.CmdOK
}

func (n *NIC) queryQP() format.CommandStatus {
	return n.describe(n.qp(argument[format.QueueRef[uint64]](n).Number))
}

// qpAt is queryQP for whoever does not know the tag.
func (n *NIC) qpAt() format.CommandStatus {
	return n.describe(n.qps[argument[format.QueueRef[uint64]](n).Number&uint64(len(n.qps)-1)])
}

// describe answers with how far a queue pair is; nil: there is none.
func (n *NIC) describe(q *queuePair) format.CommandStatus {
	if q == nil {
		return format.CmdBadNumber
	}
	answer(n, format.QPStatus[uint64]{
		QPN:        uint64(q.number),
		State:      uint64(q.state),
		NextPSN:    uint64(q.req.next),
		OldestPSN:  uint64(q.req.oldest),
		ExpPSN:     uint64(q.resp.expected),
		MSN:        uint64(q.resp.msn),
		SQConsumer: uint64(q.sq.consumer),
		RQConsumer: uint64(q.rq.consumer),
	})
	return format.CmdOK
}

// modifyQP changes attributes, then the state.
func (n *NIC) modifyQP() format.CommandStatus {
	a := argument[modify](n)
	q := n.qp(a.QPN)
	if q == nil {
		return format.CmdBadNumber
	}
	to := q.state
	if a.Mask&format.AttrState != 0 {
		to = format.QPState(a.State)
	}
	if status := transition(q.state, to, uint32(a.Mask)); status != format.CmdOK {
		return status
	}
	if !n.config.attributesMakeSense(a) {
		return format.CmdBadParameter
	}
	q.set(a)
	n.enter(q, to)
	q.notify = to == format.QPSQD && (q.notify || a.Mask&format.AttrNotify != 0 && a.Notify != 0)
	return format.CmdOK
}

// transition judges a change of state with attributes by the table of
// protocol section 5.2.
func transition(from, to format.QPState, mask uint32) format.CommandStatus {
	var row format.QPTransition
	changes, attributes := mask&format.AttrState != 0, mask&^format.AttrState
	switch {
	case changes && (to == format.QPReset || to == format.QPError && from != format.QPReset): // with no attribute
	default:
		found := false
		for _, t := range format.QPTransitions() {
			if t.From == from && t.To == to {
				row, found = t, true
			}
		}
		if !found {
			return format.CmdBadState
		}
	}
	if row.Required&^attributes != 0 || attributes&^(row.Required|row.Optional) != 0 {
		return format.CmdBadAttribute
	}
	return format.CmdOK
}

// attributesMakeSense judges the values of the attributes whose bits are in Mask.
func (c Config) attributesMakeSense(a modify) bool {
	fits := map[uint64]bool{
		format.AttrAccess:    a.Access&^queueRights == 0,
		format.AttrPKeyIndex: a.PKeyIndex == 0,
		format.AttrPort:      a.Port == 1,
		format.AttrAV:        avMakesSense(a.AV),
		format.AttrPathMTU:   a.PathMTU >= format.MTU256 && a.PathMTU <= format.MTU4096 && 128<<a.PathMTU <= c.PathMTU,
		format.AttrTimeout:   a.Timeout <= 31,
		format.AttrRetryCnt:  a.RetryCnt <= 7,
		format.AttrRNRRetry:  a.RNRRetry <= 7,
		format.AttrMinRNR:    a.MinRNR <= 31,
		format.AttrDestQPN:   a.DestQPN > format.QP1,
		format.AttrNotify:    a.Notify <= 1,
		format.AttrMaxRD:     a.MaxRD <= uint64(c.Reads),
		format.AttrMaxDestRD: a.MaxDestRD <= uint64(c.Reads),
	}
	for attribute, ok := range fits {
		if a.Mask&attribute != 0 && !ok {
			return false
		}
	}
	return true
}

// avMakesSense: the addresses of IPv4 have 32 bits.
func avMakesSense(v format.AV[uint64]) bool {
	return v.IPv6 != 0 || v.SrcHi|v.DstHi|v.SrcLo>>32|v.DstLo>>32 == 0
}
