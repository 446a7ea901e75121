package golden

import "gornic/format"

// commands are the operations of the mailbox. Each checks all of its input
// before it changes anything.
var commands = map[format.CommandCode]func(*NIC) format.CommandStatus{
	format.CmdNop:        func(*NIC) format.CommandStatus { return format.CmdOK },
	format.CmdCreateEQ:   (*NIC).createEQ,
	format.CmdDestroyEQ:  (*NIC).destroyEQ,
	format.CmdCreateCQ:   (*NIC).createCQ,
	format.CmdDestroyCQ:  (*NIC).destroyCQ,
	format.CmdCreateQP:   (*NIC).createQP,
	format.CmdModifyQP:   (*NIC).modifyQP,
	format.CmdQueryQP:    (*NIC).queryQP,
	format.CmdDestroyQP:  (*NIC).destroyQP,
	format.CmdWriteKey:   (*NIC).writeKey,
	format.CmdInvalidate: (*NIC).invalidate,
	format.CmdQueryKey:   (*NIC).queryKey,
	format.CmdQPAt:       (*NIC).qpAt,
	format.CmdForgetKeys: func(*NIC) format.CommandStatus { return format.CmdOK }, // it holds none
}

// command runs the command of a write to mailbox_go.
func (n *NIC) command(code uint32) format.CommandStatus {
	if code > 0xFF {
		return format.CmdBadCommand
	}
	run, ok := commands[format.CommandCode(code)]
	if !ok {
		return format.CmdBadCommand
	}
	return run(n)
}

// argument reads a command's struct from the mailbox.
func argument[T any](n *NIC) T { return decodeHost[T](n.mailbox[:]) }

// answer leaves a command's result in the mailbox.
func answer[T any](n *NIC, v T) { copy(n.mailbox[:], appendHost(nil, v)) }

// check is a condition on a command's input, and what its failure is called.
type check struct {
	ok     bool
	status format.CommandStatus
}

// firstFailure is the status of the first condition that does not hold.
func firstFailure(checks ...check) format.CommandStatus {
	for _, c := range checks {
		if !c.ok {
			return c.status
		}
	}
	return format.CmdOK
}
