// Package wqe says what a send WQE asks for, and what its packets have of it: for
// requester, which sends them, and resend, which sends them again and has to make them the
// same.
//
//	task.go    [TaskOf]: the kind of a WQE
//	packet.go  of a packet: [Task.Opcode], [Task.Imm], [Task.Solicits], and the path MTU: [MTU], [MTUShift]
//
// It has no state and no stream; whether a WQE can be is for requester to judge.
package wqe
