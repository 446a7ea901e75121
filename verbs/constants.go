package verbs

import (
	"fmt"

	"gornic/format"
)

// Numbers that driver and device share. They are those of libibverbs where it has
// them.
type (
	Opcode     = format.WROpcode   // ibv_wr_opcode
	WCOpcode   = format.WCOpcode   // ibv_wc_opcode
	WCStatus   = format.Status     // ibv_wc_status
	QPState    = format.QPState    // ibv_qp_state
	EventType  = format.AsyncEvent // ibv_event_type
	VendorCode = format.VendorCode // vendor_err of ibv_wc
)

// Operations of [SendWR].
const (
	WRWrite    = format.WRWrite
	WRWriteImm = format.WRWriteImm
	WRSend     = format.WRSend
	WRSendImm  = format.WRSendImm
	WRRead     = format.WRRead
	WRCompSwap = format.WRCompSwap
	WRFetchAdd = format.WRFetchAdd
	WRLocalInv = format.WRLocalInv
	WRSendInv  = format.WRSendInv
	WRBindMW   = format.WRBindMW // of windows of type 2; for type 1 see [QP.BindMW]
	WRRegMR    = format.WRRegMR  // IB_WR_REG_MR of the kernel's verbs
)

// SendFlags are ibv_send_flags.
type SendFlags uint8

// Flags of a send work request.
const (
	SendFence     SendFlags = format.WRFlagFence     // wait for the READs and atomics before it
	SendSignaled  SendFlags = format.WRFlagSignaled  // completes with a CQE
	SendSolicited SendFlags = format.WRFlagSolicited // the receiver's completion is a solicited one
	SendInline    SendFlags = format.WRFlagInline    // the payload is SendWR.Inline

	sendFlags = SendFence | SendSignaled | SendSolicited | SendInline
)

// Access is a set of ibv_access_flags.
type Access uint8

// Access rights of memory regions and queue pairs.
const (
	AccessLocalWrite   Access = format.AccessLocalWrite
	AccessRemoteWrite  Access = format.AccessRemoteWrite
	AccessRemoteRead   Access = format.AccessRemoteRead
	AccessRemoteAtomic Access = format.AccessRemoteAtomic
	AccessMWBind       Access = format.AccessMWBind
	AccessZeroBased    Access = format.AccessZeroBased

	accessQP  = AccessLocalWrite | AccessRemoteWrite | AccessRemoteRead | AccessRemoteAtomic
	accessAll = accessQP | AccessMWBind | AccessZeroBased
)

// States of a queue pair.
const (
	QPReset = format.QPReset
	QPInit  = format.QPInit
	QPRTR   = format.QPRTR
	QPRTS   = format.QPRTS
	QPSQD   = format.QPSQD
	QPError = format.QPError
)

// MTU is a path MTU, by the numbers of ibv_mtu.
type MTU uint8

// Path MTUs.
const (
	MTU256  MTU = format.MTU256
	MTU512  MTU = format.MTU512
	MTU1024 MTU = format.MTU1024
	MTU2048 MTU = format.MTU2048
	MTU4096 MTU = format.MTU4096
)

// Bytes returns the MTU in bytes.
func (m MTU) Bytes() int { return 128 << m }

// MTUOf returns the MTU of a number of bytes: 256, 512, 1024, 2048 or 4096.
func MTUOf(bytes int) (MTU, error) {
	for m := MTU256; m <= MTU4096; m++ {
		if m.Bytes() == bytes {
			return m, nil
		}
	}
	return 0, fmt.Errorf("verbs: path MTU of %d bytes: %w", bytes, ErrInvalid)
}

// Statuses of completions.
const (
	StatusSuccess       = format.StatusSuccess
	StatusLocLen        = format.StatusLocLen
	StatusLocQPOp       = format.StatusLocQPOp
	StatusLocProt       = format.StatusLocProt
	StatusFlush         = format.StatusFlush
	StatusMWBind        = format.StatusMWBind
	StatusBadResp       = format.StatusBadResp
	StatusLocAccess     = format.StatusLocAccess
	StatusRemInvReq     = format.StatusRemInvReq
	StatusRemAccess     = format.StatusRemAccess
	StatusRemOp         = format.StatusRemOp
	StatusRetryExceeded = format.StatusRetryExceeded
	StatusRNRExceeded   = format.StatusRNRExceeded
	StatusFatal         = format.StatusFatal
	StatusGeneral       = format.StatusGeneral
)

// Operations of completions.
const (
	WCSend      = format.WCSend
	WCWrite     = format.WCWrite
	WCRead      = format.WCRead
	WCCompSwap  = format.WCCompSwap
	WCFetchAdd  = format.WCFetchAdd
	WCBindMW    = format.WCBindMW
	WCLocalInv  = format.WCLocalInv
	WCRegMR     = format.WCRegMR
	WCRecv      = format.WCRecv
	WCRecvWrite = format.WCRecvWriteI // the message of a WRITE with immediate
)

// WCFlags are ibv_wc_flags.
type WCFlags uint8

// Flags of a completion.
const (
	WCWithImm WCFlags = format.WCFlagWithImm // WC.Imm is valid
	WCWithInv WCFlags = format.WCFlagWithInv // WC.InvalidatedRKey is valid
)

// Asynchronous events.
const (
	EventCQErr       = format.EventCQErr
	EventQPFatal     = format.EventQPFatal
	EventQPReqErr    = format.EventQPReqErr
	EventQPAccessErr = format.EventQPAccessErr
	EventCommEst     = format.EventCommEst
	EventSQDrained   = format.EventSQDrained
)
