package main

import (
	"fmt"
	"strings"

	"gornic/format"
)

// host writes the formats in the memory of the host.
func (w *formatWriter) host() {
	w.text("\n## Work requests\n\nIn host memory and registers: little-endian, bit 0 of a byte first. A WQE of a send queue is a SendControl and what\n" +
		"its operation wants: AtomicOperands, then SGEs or inline data. A WQE of a receive queue is a RecvControl and SGEs.\n")
	add[format.SendControl[uint64]](w, "SendControl", host)
	add[format.RecvControl[uint64]](w, "RecvControl", host)
	add[format.SGE[uint64]](w, "SGE", host)
	add[format.AtomicOperands[uint64]](w, "AtomicOperands", host)
	values[format.WROpcode](w, "WROpcode", "Operations of a SendControl", "operation")

	w.text("\n## Completions and events\n")
	add[format.CQE[uint64]](w, "CQE", host)
	values[format.WCOpcode](w, "WCOpcode", "Operations of a CQE", "operation")
	values[format.Status](w, "Status", "Statuses of a CQE", "status", "when")
	values[format.VendorCode](w, "VendorCode", "Vendor codes of a CQE and an EQE", "what")
	add[format.EQE[uint64]](w, "EQE", host)
	values[format.AsyncEvent](w, "AsyncEvent", "Codes of an asynchronous event", "event", "when")

	w.text("\n## Key table\n")
	add[format.KeyEntry[uint64]](w, "KeyEntry", host)

	w.text("\n## Commands\n\nThe mailbox holds what the command takes, then what it gives.\n")
	values[format.CommandCode](w, "CommandCode", "Codes of commands", "command", "takes and gives")
	values[format.CommandStatus](w, "CommandStatus", "Statuses of a command", "status", "when")
	add[format.CreateEQ[uint64]](w, "CreateEQ", host)
	add[format.CreateCQ[uint64]](w, "CreateCQ", host)
	add[format.CreateQP[uint64]](w, "CreateQP", host)
	add[format.ModifyQP[uint64]](w, "ModifyQP", host)
	add[format.QueueRef[uint64]](w, "QueueRef", host)
	add[format.KeyRef[uint64]](w, "KeyRef", host)
	add[format.QPStatus[uint64]](w, "QPStatus", host)
}

// values writes the named values of type T: the number, its name, and with a
// third column the comment of its constant.
func values[T interface {
	~uint8 | ~uint16 | ~int
	fmt.Stringer
}](w *formatWriter, typ, title string, columns ...any) {
	w.text("\n### " + title + "\n")
	w.head(append([]any{"value"}, columns...)...)
	for _, c := range w.source.values(typ) {
		cells := []any{c.value, T(c.value)}
		if len(columns) > 1 {
			cells = append(cells, c.comment)
		}
		w.row(cells...)
	}
}

// device writes what the device shows in its address range.
func (w *formatWriter) device() {
	w.text("\n## Registers\n\nOf 32 bits; those of 64 have their low half first.\n")
	w.registers(format.Registers())
	w.row(fmt.Sprintf("0x%03X", format.RegMailbox), "mailbox", format.ReadWrite, fmt.Sprintf("%d bytes", format.MailboxBytes))
	w.row(fmt.Sprintf("0x%03X", format.RegCounters), "counters", format.ReadOnly, "one of 32 bits each")

	fmt.Fprintf(&w.b, "\n## Doorbells\n\nPage n is at 0x%X + n * 0x%X. A write of 32 bits has the free-running index in bits 31:16 and the low 16 bits of the QPN,\n"+
		"CQN or EQN in 15:0.\n", format.DoorbellBase, format.DoorbellPageBytes)
	w.head("offset in the page", "name", "what")
	for _, c := range w.source.values("") {
		if name, ok := strings.CutPrefix(c.name, "Doorbell"); ok && c.comment != "" {
			w.row(fmt.Sprintf("0x%02X", c.value), name, c.comment)
		}
	}
	values[format.Counter](w, "Counter", "Counters", "counter", "what")
}

// registers writes a table of registers.
func (w *formatWriter) registers(all []format.Register) {
	w.head("offset", "name", "access", "what")
	for _, r := range all {
		w.row(fmt.Sprintf("0x%03X", r.Offset), r.Name, r.Access, r.Doc)
	}
}

// board writes what a board has around the core.
func (w *formatWriter) board() {
	fmt.Fprintf(&w.b, "\n## Registers of a board\n\nOf 32 bits, from 0x%X on for a host.\n", format.BoardRegisterBase)
	w.registers(format.BoardRegisters())
	w.row(fmt.Sprintf("0x%03X", format.BoardRegCounters), "counters", format.ReadOnly, "one of 32 bits each")
	values[format.BoardCounter](w, "BoardCounter", "Counters of a board", "counter", "what")

	w.text("\n## Serial line\n\nLittle-endian, bit 0 of a byte first.\n")
	add[format.SerialRequest[uint64]](w, "SerialRequest", host)
	add[format.SerialAnswer[uint64]](w, "SerialAnswer", host)
	add[format.SerialIdentity[uint64]](w, "SerialIdentity", host)
	values[format.SerialOp](w, "SerialOp", "Operations of a SerialRequest", "operation", "what")
	values[format.SerialStatus](w, "SerialStatus", "Statuses of a SerialAnswer", "status", "when")

	fmt.Fprintf(&w.b, "\n## Host memory over UDP\n\nDatagrams from and to port %d of a board, in network byte order.\n", format.HostnetPort)
	add[format.HostnetHeader[uint64]](w, "HostnetHeader", network)
	values[format.HostnetOp](w, "HostnetOp", "Operations of a HostnetHeader", "operation", "what")
	values[format.HostnetStatus](w, "HostnetStatus", "Statuses of an answer", "status", "when")
}
