package command

import "gornic/format"

// Reference knows the objects of a device and judges commands, in plain Go. Keys
// it does not know: whether an entry is free is keycache's affair.
type Reference struct {
	QPBits, CQBits, EQBits int
	ReadBits               int // log2 of the READs and atomics of a queue pair
	MTU                    int
	KeyLog                 int
	NoCongestion           bool

	eqs map[uint64]int // users
	cqs map[uint64]*cq
	qps map[uint64]*QP // by index
}

type cq struct {
	eq    uint64
	users int
}

// QP is a queue pair as commands made it.
type QP struct {
	Create format.CreateQP[uint64]
	State  format.QPState
	Attr   format.ModifyQP[uint64] // those that have been set
}

// QP returns the queue pair at an index, nil if there is none.
func (r *Reference) QP(index uint64) *QP { return r.qps[index] }

// Fault moves a queue pair to ERR.
func (r *Reference) Fault(index uint64) { r.qps[index].State = format.QPError }

// Run runs a command on the contents of the mailbox.
func (r *Reference) Run(code format.CommandCode, in []byte) format.CommandStatus {
	if r.eqs == nil {
		r.eqs, r.cqs, r.qps = map[uint64]int{}, map[uint64]*cq{}, map[uint64]*QP{}
	}
	switch code {
	case format.CmdNop, format.CmdInvalidate, format.CmdQueryKey, format.CmdForgetKeys:
		return format.CmdOK
	case format.CmdCreateEQ:
		return r.createEQ(decode[format.CreateEQ[uint64]](in))
	case format.CmdDestroyEQ:
		return r.destroyEQ(decode[format.QueueRef[uint64]](in).Number)
	case format.CmdCreateCQ:
		return r.createCQ(decode[format.CreateCQ[uint64]](in))
	case format.CmdDestroyCQ:
		return r.destroyCQ(decode[format.QueueRef[uint64]](in).Number)
	case format.CmdCreateQP:
		return r.createQP(decode[format.CreateQP[uint64]](in))
	case format.CmdModifyQP:
		return r.modifyQP(decode[format.ModifyQP[uint64]](in))
	case format.CmdQueryQP:
		_, s := r.find(decode[format.QueueRef[uint64]](in).Number)
		return s
	case format.CmdQPAt:
		if r.qps[r.index(decode[format.QueueRef[uint64]](in).Number)] == nil {
			return format.CmdBadNumber
		}
		return format.CmdOK
	case format.CmdDestroyQP:
		return r.destroyQP(decode[format.QueueRef[uint64]](in).Number)
	case format.CmdWriteKey:
		return r.writeKey(decode[format.KeyEntry[uint64]](in))
	}
	return format.CmdBadCommand
}

// decode reads a struct from a mailbox, which is longer than any.
func decode[T any](in []byte) T {
	x, _ := format.DecodeHost[T](in)
	return x
}

func (r *Reference) createEQ(c format.CreateEQ[uint64]) format.CommandStatus {
	if _, exists := r.eqs[c.EQN]; exists || c.EQN>>r.EQBits != 0 {
		return format.CmdBadNumber
	}
	if !goodSize(c.LogSize) || c.Vector>>r.EQBits != 0 || c.Base%(16<<c.LogSize) != 0 {
		return format.CmdBadParameter
	}
	r.eqs[c.EQN] = 0
	return format.CmdOK
}

func goodSize(log uint64) bool { return log >= 1 && log <= 15 }

func (r *Reference) destroyEQ(n uint64) format.CommandStatus {
	users, exists := r.eqs[n]
	switch {
	case !exists:
		return format.CmdBadNumber
	case users > 0:
		return format.CmdBusy
	}
	delete(r.eqs, n)
	return format.CmdOK
}

func (r *Reference) createCQ(c format.CreateCQ[uint64]) format.CommandStatus {
	if r.cqs[c.CQN] != nil || c.CQN>>r.CQBits != 0 {
		return format.CmdBadNumber
	}
	if _, exists := r.eqs[c.EQN]; !exists {
		return format.CmdBadNumber
	}
	if !goodSize(c.LogSize) || c.Base%(32<<c.LogSize) != 0 || c.Page>>r.QPBits != 0 {
		return format.CmdBadParameter
	}
	r.cqs[c.CQN] = &cq{eq: c.EQN}
	r.eqs[c.EQN]++
	return format.CmdOK
}

func (r *Reference) destroyCQ(n uint64) format.CommandStatus {
	q := r.cqs[n]
	switch {
	case q == nil:
		return format.CmdBadNumber
	case q.users > 0:
		return format.CmdBusy
	}
	r.eqs[q.eq]--
	delete(r.cqs, n)
	return format.CmdOK
}

func (r *Reference) index(qpn uint64) uint64 { return qpn & (1<<r.QPBits - 1) }

func (r *Reference) find(qpn uint64) (*QP, format.CommandStatus) {
	q := r.qps[r.index(qpn)]
	if q == nil || q.Create.QPN != qpn {
		return nil, format.CmdBadNumber
	}
	return q, format.CmdOK
}

func (r *Reference) createQP(c format.CreateQP[uint64]) format.CommandStatus {
	if c.QPN < 2 || r.qps[r.index(c.QPN)] != nil || r.cqs[c.SendCQ] == nil || r.cqs[c.RecvCQ] == nil {
		return format.CmdBadNumber
	}
	if c.SQLogStride > 1 || c.RQLogStride > 1 || c.SQBase%4096 != 0 || c.RQBase%4096 != 0 || c.SigAll > 1 || c.Congestion > 1 || c.Page>>r.QPBits != 0 {
		return format.CmdBadParameter
	}
	if c.Congestion != 0 && r.NoCongestion {
		return format.CmdBadParameter
	}
	r.qps[r.index(c.QPN)] = &QP{Create: c}
	r.cqs[c.SendCQ].users++
	r.cqs[c.RecvCQ].users++
	return format.CmdOK
}

func (r *Reference) destroyQP(qpn uint64) format.CommandStatus {
	q, status := r.find(qpn)
	if q == nil {
		return status
	}
	r.cqs[q.Create.SendCQ].users--
	r.cqs[q.Create.RecvCQ].users--
	delete(r.qps, r.index(qpn))
	return format.CmdOK
}

func (r *Reference) writeKey(k format.KeyEntry[uint64]) format.CommandStatus {
	const remote = format.AccessRemoteWrite | format.AccessRemoteAtomic
	listed := k.PageShift >= format.PageShiftMin && k.PageShift <= format.PageShiftMax
	switch {
	case k.Key>>format.KeyTagBits>>r.KeyLog != 0:
		return format.CmdBadNumber
	case k.PageShift != 0 && !listed, wraps(k.VA, k.Length), k.PageShift == 0 && wraps(k.Translation, k.Length), k.Windows != 0, k.Type > format.KeyWindow2, k.State == 0 || k.State > format.KeyValid,
		k.Rights&remote != 0 && k.Rights&format.AccessLocalWrite == 0, k.Rights >= 64, listed && k.Translation%8 != 0:
		return format.CmdBadParameter
	}
	return format.CmdOK
}

// wraps tells whether length bytes from start on go beyond 2^64.
func wraps(start, length uint64) bool { return start+length < start && start+length != 0 }

func (r *Reference) modifyQP(c format.ModifyQP[uint64]) format.CommandStatus {
	q, status := r.find(c.QPN)
	if q == nil {
		return status
	}
	to := q.State
	if c.Mask&format.AttrState != 0 {
		to = format.QPState(c.State)
		if to > format.QPError || to == 5 {
			return format.CmdBadState
		}
	}
	if status := allowed(q.State, to, c.Mask); status != format.CmdOK {
		return status
	}
	if !r.goodValues(c) {
		return format.CmdBadParameter
	}
	q.State = to
	set(&q.Attr, c)
	return format.CmdOK
}

// allowed judges a transition and its attributes.
func allowed(from, to format.QPState, mask uint64) format.CommandStatus {
	known, good := false, false
	if mask&format.AttrState != 0 && (to == format.QPReset || to == format.QPError && from != format.QPReset) {
		known, good = true, mask == format.AttrState
	}
	for _, t := range format.QPTransitions() {
		if t.From != from || t.To != to {
			continue
		}
		known = true
		rest := mask &^ format.AttrState
		if rest&uint64(t.Required) == uint64(t.Required) && rest&^uint64(t.Required|t.Optional) == 0 {
			good = true
		}
	}
	switch {
	case !known:
		return format.CmdBadState
	case !good:
		return format.CmdBadAttribute
	}
	return format.CmdOK
}

// goodValues looks at the attributes in the mask.
func (r *Reference) goodValues(c format.ModifyQP[uint64]) bool {
	for _, a := range []struct {
		attr uint64
		good bool
	}{
		{format.AttrPathMTU, c.PathMTU >= 1 && c.PathMTU <= 5 && 128<<c.PathMTU <= r.MTU},
		{format.AttrAccess, c.Access < 16},
		{format.AttrMinRNR, c.MinRNR < 32},
		{format.AttrTimeout, c.Timeout < 32},
		{format.AttrRetryCnt, c.RetryCnt < 8},
		{format.AttrRNRRetry, c.RNRRetry < 8},
		{format.AttrMaxRD, c.MaxRD <= 1<<r.ReadBits},
		{format.AttrMaxDestRD, c.MaxDestRD <= 1<<r.ReadBits},
		{format.AttrPKeyIndex, c.PKeyIndex == 0},
		{format.AttrPort, c.Port == 1},
		{format.AttrNotify, c.Notify <= 1},
		{format.AttrDestQPN, c.DestQPN > 1},
		{format.AttrAV, c.AV.IPv6 != 0 || c.AV.SrcHi|c.AV.DstHi|c.AV.SrcLo>>32|c.AV.DstLo>>32 == 0},
	} {
		if c.Mask&a.attr != 0 && !a.good {
			return false
		}
	}
	return true
}

// set takes over the attributes in the mask.
func set(to *format.ModifyQP[uint64], c format.ModifyQP[uint64]) {
	put := func(attr uint64, field *uint64, value uint64) {
		if c.Mask&attr != 0 {
			*field = value
		}
	}
	put(format.AttrAccess, &to.Access, c.Access)
	put(format.AttrPathMTU, &to.PathMTU, c.PathMTU)
	put(format.AttrDestQPN, &to.DestQPN, c.DestQPN)
	put(format.AttrMinRNR, &to.MinRNR, c.MinRNR)
	put(format.AttrTimeout, &to.Timeout, c.Timeout)
	put(format.AttrRetryCnt, &to.RetryCnt, c.RetryCnt)
	put(format.AttrRNRRetry, &to.RNRRetry, c.RNRRetry)
	put(format.AttrMaxRD, &to.MaxRD, c.MaxRD)
	put(format.AttrMaxDestRD, &to.MaxDestRD, c.MaxDestRD)
	if c.Mask&format.AttrAV != 0 {
		to.AV = c.AV
	}
}
