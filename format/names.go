package format

import "strconv"

var wrNames = map[WROpcode]string{
	WRWrite: "RDMA_WRITE", WRWriteImm: "RDMA_WRITE_WITH_IMM", WRSend: "SEND", WRSendImm: "SEND_WITH_IMM", WRRead: "RDMA_READ",
	WRCompSwap: "ATOMIC_CMP_AND_SWP", WRFetchAdd: "ATOMIC_FETCH_AND_ADD", WRLocalInv: "LOCAL_INV", WRBindMW: "BIND_MW",
	WRSendInv: "SEND_WITH_INV", WRRegMR: "REG_MR",
}

func (o WROpcode) String() string { return nameOf(wrNames, o, "WR opcode") }

var wcNames = map[WCOpcode]string{
	WCSend: "SEND", WCWrite: "RDMA_WRITE", WCRead: "RDMA_READ", WCCompSwap: "COMP_SWAP", WCFetchAdd: "FETCH_ADD",
	WCBindMW: "BIND_MW", WCLocalInv: "LOCAL_INV", WCRegMR: "REG_MR", WCRecv: "RECV", WCRecvWriteI: "RECV_RDMA_WITH_IMM",
}

func (o WCOpcode) String() string { return nameOf(wcNames, o, "WC opcode") }

var eventNames = map[AsyncEvent]string{
	EventCQErr: "CQ_ERR", EventQPFatal: "QP_FATAL", EventQPReqErr: "QP_REQ_ERR", EventQPAccessErr: "QP_ACCESS_ERR",
	EventCommEst: "COMM_EST", EventSQDrained: "SQ_DRAINED",
}

func (e AsyncEvent) String() string { return nameOf(eventNames, e, "event") }

var commandNames = map[CommandCode]string{
	CmdNop: "Nop", CmdCreateEQ: "CreateEQ", CmdDestroyEQ: "DestroyEQ", CmdCreateCQ: "CreateCQ", CmdDestroyCQ: "DestroyCQ",
	CmdCreateQP: "CreateQP", CmdModifyQP: "ModifyQP", CmdQueryQP: "QueryQP", CmdDestroyQP: "DestroyQP",
	CmdWriteKey: "WriteKey", CmdInvalidate: "Invalidate", CmdQueryKey: "QueryKey",
	CmdQPAt: "QPAt", CmdForgetKeys: "ForgetKeys",
}

func (c CommandCode) String() string { return nameOf(commandNames, c, "command") }

var vendorNames = map[VendorCode]string{
	VendorNone: "none", VendorBadOpcode: "no such operation", VendorBadSGECount: "more SGEs or inline bytes than the slot has",
	VendorTooLong: "message too long", VendorKeyUnknown: "no such key", VendorKeyPD: "key of another domain or QP",
	VendorKeyRights: "right not granted", VendorKeyRange: "outside of the key's range", VendorBusRead: "error response to a read",
	VendorBusWrite: "error response to a write", VendorSequence: "opcode out of sequence", VendorLength: "wrong packet length",
	VendorNoRoom: "message longer than the receive WQE", VendorAccess: "the QP does not grant the operation",
	VendorNAK: "the peer refused", VendorCQOverflow: "the completion queue was full", VendorWQERead: "the WQE could not be read",
	VendorKeyType: "key of the wrong type", VendorKeyState: "key in the wrong state", VendorKeyBound: "windows are bound to the region",
	VendorAlignment: "atomic not aligned", VendorResources: "more READs and atomics than agreed", VendorResponse: "response that does not fit",
}

func (v VendorCode) String() string { return nameOf(vendorNames, v, "vendor code") }

// nameOf looks v up in names; without a name it is the kind and the number.
func nameOf[T ~uint8 | ~uint16](names map[T]string, v T, kind string) string {
	if name, ok := names[v]; ok {
		return name
	}
	return kind + " " + strconv.Itoa(int(v))
}

// indexed is name v of names; without one it is the kind and the number.
func indexed[T ~uint8](names []string, v T, kind string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return kind + " " + strconv.Itoa(int(v))
}
