package format

// QPState is the state of a queue pair (protocol section 5.2).
type QPState uint8

// States, the numbers of ibv_qp_state.
const (
	QPReset QPState = 0
	QPInit  QPState = 1
	QPRTR   QPState = 2
	QPRTS   QPState = 3
	QPSQD   QPState = 4
	QPError QPState = 6
)

var stateNames = [...]string{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"}

func (s QPState) String() string { return indexed(stateNames[:], s, "state") }

// QPStateBits is the width of a state in hardware.
const QPStateBits = 3

// Attributes of a queue pair: the bits of ibv_qp_attr_mask that the core knows.
const (
	AttrState     = 1 << 0
	AttrNotify    = 1 << 2 // IBV_QP_EN_SQD_ASYNC_NOTIFY
	AttrAccess    = 1 << 3
	AttrPKeyIndex = 1 << 4
	AttrPort      = 1 << 5
	AttrAV        = 1 << 7
	AttrPathMTU   = 1 << 8
	AttrTimeout   = 1 << 9
	AttrRetryCnt  = 1 << 10
	AttrRNRRetry  = 1 << 11
	AttrRQPSN     = 1 << 12
	AttrMaxRD     = 1 << 13
	AttrMinRNR    = 1 << 15
	AttrSQPSN     = 1 << 16
	AttrMaxDestRD = 1 << 17
	AttrDestQPN   = 1 << 20
)

// QPTransition is a row of the table of state changes: what a change may and
// must set besides the state.
type QPTransition struct {
	From, To QPState
	Required uint32 // Attr...
	Optional uint32 // Attr...
}

// QPTransitions are the changes that ModifyQP makes, with the attribute sets of
// ibv_modify_qp for a reliable connection. Any state besides may go to RESET,
// and any but RESET to ERR, with no attribute.
func QPTransitions() []QPTransition {
	const live = AttrAccess | AttrMinRNR
	return []QPTransition{
		{QPReset, QPInit, AttrPKeyIndex | AttrPort | AttrAccess, 0},
		{QPInit, QPInit, 0, AttrPKeyIndex | AttrPort | AttrAccess},
		{QPInit, QPRTR, AttrAV | AttrPathMTU | AttrDestQPN | AttrRQPSN | AttrMaxDestRD | AttrMinRNR, AttrAccess | AttrPKeyIndex},
		{QPRTR, QPRTS, AttrSQPSN | AttrMaxRD | AttrRetryCnt | AttrRNRRetry | AttrTimeout, live},
		{QPRTS, QPRTS, 0, live},
		{QPRTS, QPSQD, 0, AttrNotify},
		{QPSQD, QPSQD, 0, live | AttrPKeyIndex | AttrPort | AttrAV | AttrMaxRD | AttrMaxDestRD | AttrRetryCnt | AttrRNRRetry | AttrTimeout},
		{QPSQD, QPRTS, 0, live},
	}
}

// Path MTU codes: the numbers of ibv_mtu; the MTU is 128 << code bytes.
const (
	MTU256  = 1
	MTU512  = 2
	MTU1024 = 3
	MTU2048 = 4
	MTU4096 = 5
)
