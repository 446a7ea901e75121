package program

import "gornic/verbs"

func isWrite(op verbs.Opcode) bool { return op == verbs.WRWrite || op == verbs.WRWriteImm }

func isSend(op verbs.Opcode) bool {
	return op == verbs.WRSend || op == verbs.WRSendImm || op == verbs.WRSendInv
}

func isAtomic(op verbs.Opcode) bool { return op == verbs.WRCompSwap || op == verbs.WRFetchAdd }

// hasResponse tells that an operation brings something back.
func hasResponse(op verbs.Opcode) bool { return op == verbs.WRRead || isAtomic(op) }

// isLocal tells that the peer does not hear of an operation.
func isLocal(op verbs.Opcode) bool {
	return op == verbs.WRLocalInv || op == verbs.WRBindMW || op == verbs.WRRegMR
}

// consumes tells that an operation uses a receive.
func consumes(op verbs.Opcode) bool { return isSend(op) || op == verbs.WRWriteImm }

// completion is the operation in the sender's completion.
func completion(op verbs.Opcode) verbs.WCOpcode {
	switch op {
	case verbs.WRWrite, verbs.WRWriteImm:
		return verbs.WCWrite
	case verbs.WRRead:
		return verbs.WCRead
	case verbs.WRCompSwap:
		return verbs.WCCompSwap
	case verbs.WRFetchAdd:
		return verbs.WCFetchAdd
	case verbs.WRLocalInv:
		return verbs.WCLocalInv
	case verbs.WRBindMW:
		return verbs.WCBindMW
	case verbs.WRRegMR:
		return verbs.WCRegMR
	}
	return verbs.WCSend
}
