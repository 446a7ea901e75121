package format

import "strconv"

// Status is the outcome of a work request: the numbers of ibv_wc_status
// (protocol section 5.1).
type Status uint8

// Statuses.
const (
	StatusSuccess       Status = 0  // done
	StatusLocLen        Status = 1  // receive: message longer than the WQE; send: longer than 2^31
	StatusLocQPOp       Status = 2  // malformed WQE
	StatusLocProt       Status = 4  // local key, domain, range or right
	StatusFlush         Status = 5  // the QP was in error
	StatusMWBind        Status = 6  // bind refused
	StatusBadResp       Status = 7  // unexpected response
	StatusLocAccess     Status = 8  // protection error of a WRITE with immediate
	StatusRemInvReq     Status = 9  // NAK 0x61
	StatusRemAccess     Status = 10 // NAK 0x62
	StatusRemOp         Status = 11 // NAK 0x63
	StatusRetryExceeded Status = 12 // no acknowledgement
	StatusRNRExceeded   Status = 13 // receiver not ready for too long
	StatusFatal         Status = 19 // not written by the core
	StatusGeneral       Status = 21 // not written by the core
)

func (s Status) String() string {
	switch s {
	case StatusSuccess:
		return "SUCCESS"
	case StatusLocLen:
		return "LOC_LEN_ERR"
	case StatusLocQPOp:
		return "LOC_QP_OP_ERR"
	case StatusLocProt:
		return "LOC_PROT_ERR"
	case StatusFlush:
		return "WR_FLUSH_ERR"
	case StatusMWBind:
		return "MW_BIND_ERR"
	case StatusBadResp:
		return "BAD_RESP_ERR"
	case StatusLocAccess:
		return "LOC_ACCESS_ERR"
	case StatusRemInvReq:
		return "REM_INV_REQ_ERR"
	case StatusRemAccess:
		return "REM_ACCESS_ERR"
	case StatusRemOp:
		return "REM_OP_ERR"
	case StatusRetryExceeded:
		return "RETRY_EXC_ERR"
	case StatusRNRExceeded:
		return "RNR_RETRY_EXC_ERR"
	case StatusFatal:
		return "FATAL_ERR"
	case StatusGeneral:
		return "GENERAL_ERR"
	}
	return "status(" + strconv.Itoa(int(s)) + ")"
}

// WCOpcode is the operation that a completion reports: the numbers of
// ibv_wc_opcode.
type WCOpcode uint8

// Operations of completions. Bit 7 says that the WQE was a receive.
const (
	WCSend       WCOpcode = 0
	WCWrite      WCOpcode = 1
	WCRead       WCOpcode = 2
	WCCompSwap   WCOpcode = 3
	WCFetchAdd   WCOpcode = 4
	WCBindMW     WCOpcode = 5
	WCLocalInv   WCOpcode = 6
	WCRegMR      WCOpcode = 7
	WCRecv       WCOpcode = 128
	WCRecvWriteI WCOpcode = 129
)

// Flags of a completion: the numbers of ibv_wc_flags.
const (
	WCFlagGRH     = 1
	WCFlagWithImm = 2
	WCFlagWithInv = 8
)

// Syndromes of an AETH (protocol section 1.6).
const (
	SyndromeACK       = 0x00 // credit code in the low five bits
	SyndromeNoCredits = 0x1F // an ACK without end-to-end credits
	SyndromeRNR       = 0x20 // RNR timer code in the low five bits
	SyndromeNAK       = 0x60 // PSN sequence error
	SyndromeNAKInv    = 0x61 // invalid request
	SyndromeNAKAccess = 0x62 // remote access error
	SyndromeNAKOp     = 0x63 // remote operational error
)

// AsyncEvent is the number of an ibv_event_type (protocol section 5.3).
type AsyncEvent uint8

// Asynchronous events that the core reports.
const (
	EventCQErr       AsyncEvent = 0 // a completion queue was full
	EventQPFatal     AsyncEvent = 1 // the QP is in error, and no completion says why
	EventQPReqErr    AsyncEvent = 2 // an invalid request came, which no WQE was used for
	EventQPAccessErr AsyncEvent = 3 // a request came without the rights, which no WQE was used for
	EventCommEst     AsyncEvent = 4 // the first request came while in RTR
	EventSQDrained   AsyncEvent = 5 // the WQEs that had begun before SQD are done
)
