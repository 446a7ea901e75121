package verbs

import (
	"fmt"
	"math/bits"
	"strings"

	"gornic/format"
)

// QPAttr are the attributes of a queue pair that [QP.Modify] sets
// (ibv_qp_attr).
type QPAttr struct {
	State           QPState
	Access          Access // what peers may do
	PKeyIndex       uint16 // 0
	Port            uint8  // 1
	AH              AHAttr
	PathMTU         MTU
	DestQPN         uint32 // the peer's, 24 bits
	RQPSN           uint32 // first PSN to be received, 24 bits
	SQPSN           uint32 // first PSN to be sent, 24 bits
	MaxRDAtomic     uint8  // READs and atomics in flight as requester
	MaxDestRDAtomic uint8  // and as responder
	MinRNRTimer     uint8  // RNR timer code, 0 to 31 (protocol section 1.6)
	Timeout         uint8  // ACK timeout, 4.096 us << Timeout, 1 to 31; 0: none
	RetryCnt        uint8  // 0 to 7
	RNRRetry        uint8  // 0 to 6; 7: for ever
	// SQDNotify asks for EventSQDrained when the send requests that had begun before
	// SQD are done (en_sqd_async_notify).
	SQDNotify bool
}

// AttrMask says which attributes [QP.Modify] sets: the bits of ibv_qp_attr_mask.
type AttrMask uint32

// Attributes of a queue pair.
const (
	AttrState           AttrMask = format.AttrState
	AttrSQDNotify       AttrMask = format.AttrNotify
	AttrAccess          AttrMask = format.AttrAccess
	AttrPKeyIndex       AttrMask = format.AttrPKeyIndex
	AttrPort            AttrMask = format.AttrPort
	AttrAH              AttrMask = format.AttrAV
	AttrPathMTU         AttrMask = format.AttrPathMTU
	AttrTimeout         AttrMask = format.AttrTimeout
	AttrRetryCnt        AttrMask = format.AttrRetryCnt
	AttrRNRRetry        AttrMask = format.AttrRNRRetry
	AttrRQPSN           AttrMask = format.AttrRQPSN
	AttrMaxRDAtomic     AttrMask = format.AttrMaxRD
	AttrMinRNRTimer     AttrMask = format.AttrMinRNR
	AttrSQPSN           AttrMask = format.AttrSQPSN
	AttrMaxDestRDAtomic AttrMask = format.AttrMaxDestRD
	AttrDestQPN         AttrMask = format.AttrDestQPN
)

// What a connection needs, step by step; see [QP.Connect].
const (
	AttrsInit = AttrState | AttrPKeyIndex | AttrPort | AttrAccess
	AttrsRTR  = AttrState | AttrAH | AttrPathMTU | AttrDestQPN | AttrRQPSN | AttrMaxDestRDAtomic | AttrMinRNRTimer
	AttrsRTS  = AttrState | AttrSQPSN | AttrMaxRDAtomic | AttrRetryCnt | AttrRNRRetry | AttrTimeout
)

// attrRule is an attribute: its name, what it may be, how it is copied.
type attrRule struct {
	bit   AttrMask
	name  string
	check func(a *QPAttr, d *DeviceAttr) error // nil: anything
	set   func(to, from *QPAttr)
}

var attrRules = []attrRule{
	{AttrState, "STATE", nil, func(to, from *QPAttr) { to.State = from.State }},
	{AttrSQDNotify, "EN_SQD_ASYNC_NOTIFY", nil, func(to, from *QPAttr) { to.SQDNotify = from.SQDNotify }},
	{AttrAccess, "ACCESS_FLAGS", checkAccess, func(to, from *QPAttr) { to.Access = from.Access }},
	{AttrPKeyIndex, "PKEY_INDEX", limit("pkey index", 0, func(a *QPAttr) uint32 { return uint32(a.PKeyIndex) }),
		func(to, from *QPAttr) { to.PKeyIndex = from.PKeyIndex }},
	{AttrPort, "PORT", checkPort, func(to, from *QPAttr) { to.Port = from.Port }},
	{AttrAH, "AV", func(a *QPAttr, _ *DeviceAttr) error { return a.AH.check() }, func(to, from *QPAttr) { to.AH = from.AH }},
	{AttrPathMTU, "PATH_MTU", checkMTU, func(to, from *QPAttr) { to.PathMTU = from.PathMTU }},
	{AttrTimeout, "TIMEOUT", limit("timeout", 31, func(a *QPAttr) uint32 { return uint32(a.Timeout) }),
		func(to, from *QPAttr) { to.Timeout = from.Timeout }},
	{AttrRetryCnt, "RETRY_CNT", limit("retry count", 7, func(a *QPAttr) uint32 { return uint32(a.RetryCnt) }),
		func(to, from *QPAttr) { to.RetryCnt = from.RetryCnt }},
	{AttrRNRRetry, "RNR_RETRY", limit("RNR retry count", 7, func(a *QPAttr) uint32 { return uint32(a.RNRRetry) }),
		func(to, from *QPAttr) { to.RNRRetry = from.RNRRetry }},
	{AttrRQPSN, "RQ_PSN", limit("RQ PSN", max24, func(a *QPAttr) uint32 { return a.RQPSN }),
		func(to, from *QPAttr) { to.RQPSN = from.RQPSN }},
	{AttrMaxRDAtomic, "MAX_QP_RD_ATOMIC", nil, func(to, from *QPAttr) { to.MaxRDAtomic = from.MaxRDAtomic }},
	{AttrMinRNRTimer, "MIN_RNR_TIMER", limit("RNR timer code", 31, func(a *QPAttr) uint32 { return uint32(a.MinRNRTimer) }),
		func(to, from *QPAttr) { to.MinRNRTimer = from.MinRNRTimer }},
	{AttrSQPSN, "SQ_PSN", limit("SQ PSN", max24, func(a *QPAttr) uint32 { return a.SQPSN }),
		func(to, from *QPAttr) { to.SQPSN = from.SQPSN }},
	{AttrMaxDestRDAtomic, "MAX_DEST_RD_ATOMIC", nil, func(to, from *QPAttr) { to.MaxDestRDAtomic = from.MaxDestRDAtomic }},
	{AttrDestQPN, "DEST_QPN", checkDestQPN, func(to, from *QPAttr) { to.DestQPN = from.DestQPN }},
}

const (
	max24    = 1<<24 - 1
	firstQPN = 2 // 0 and 1 are for management
)

func limit(name string, highest uint32, value func(*QPAttr) uint32) func(*QPAttr, *DeviceAttr) error {
	return func(a *QPAttr, _ *DeviceAttr) error {
		if v := value(a); v > highest {
			return invalid("%s %#x, at most %#x", name, v, highest)
		}
		return nil
	}
}

func checkAccess(a *QPAttr, _ *DeviceAttr) error {
	if a.Access&^accessQP != 0 {
		return invalid("access %#x of a queue pair", a.Access)
	}
	return nil
}

func checkPort(a *QPAttr, _ *DeviceAttr) error {
	if a.Port != 1 {
		return invalid("port %d, the only one is 1", a.Port)
	}
	return nil
}

func checkDestQPN(a *QPAttr, _ *DeviceAttr) error {
	if a.DestQPN < firstQPN || a.DestQPN > max24 {
		return invalid("destination QPN %#x", a.DestQPN)
	}
	return nil
}

func checkMTU(a *QPAttr, d *DeviceAttr) error {
	if a.PathMTU < MTU256 || a.PathMTU > d.MaxMTU {
		return invalid("path MTU code %d, want %d to %d", a.PathMTU, MTU256, d.MaxMTU)
	}
	return nil
}

func (m AttrMask) String() string {
	var names []string
	for _, r := range attrRules {
		if m&r.bit != 0 {
			names = append(names, r.name)
			m &^= r.bit
		}
	}
	for ; m != 0; m &= m - 1 {
		names = append(names, fmt.Sprintf("bit %d", bits.TrailingZeros32(uint32(m))))
	}
	return strings.Join(names, " ")
}

// checkTransition checks a change of state, with the attributes besides the state,
// against the table of package format.
func checkTransition(from, to QPState, mask AttrMask) error {
	mask &^= AttrState
	if to == QPReset || to == QPError && from != QPReset {
		return transitionResult(from, to, 0, mask)
	}
	for _, t := range format.QPTransitions() {
		if t.From == from && t.To == to {
			required, optional := AttrMask(t.Required), AttrMask(t.Optional)
			return transitionResult(from, to, required&^mask, mask&^(required|optional))
		}
	}
	return &TransitionError{From: from, To: to, Err: ErrState}
}

func transitionResult(from, to QPState, missing, extra AttrMask) error {
	if missing|extra == 0 {
		return nil
	}
	return &TransitionError{From: from, To: to, Missing: missing, Extra: extra, Err: ErrInvalid}
}
