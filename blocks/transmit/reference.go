package transmit

import (
	"gornic/blocks/link"
	"gornic/format"
)

// Reference is the transmit side of one queue pair in plain Go, without time.
type Reference struct {
	Dead   bool // it does not exist, or is in state ERR
	failed bool
}

// Job is what the outcome of a job depends on.
type Job struct {
	Kind   int // link.JobPacket or link.JobRecord
	Length int // bytes of payload
	Inline bool
	Fault  format.VendorCode // of the payload
	Status format.Status     // of a record
	Vendor format.VendorCode
}

// Outcome is what becomes of a job: whether its packet is sent, whether its
// payload is there to be dropped, and the status of its entry.
type Outcome struct {
	Sent    bool
	Dropped bool
	Status  format.Status
	Vendor  format.VendorCode
}

// Judge says what becomes of a job.
func (r *Reference) Judge(j Job) Outcome {
	o := Outcome{Status: j.Status, Vendor: j.Vendor}
	if j.Kind == link.JobPacket {
		o.Vendor = format.VendorNone
		if j.Fault != 0 {
			o.Status, o.Vendor = format.StatusLocProt, j.Fault
		}
	}
	if r.Dead || r.failed {
		o.Status = format.StatusFlush
		if j.Kind == link.JobPacket {
			o.Vendor = format.VendorNone
		}
	}
	r.failed = r.failed || o.Status != format.StatusSuccess
	o.Sent = j.Kind == link.JobPacket && o.Status == format.StatusSuccess
	o.Dropped = j.Kind == link.JobPacket && !o.Sent && j.Length > 0 && (j.Inline || j.Fault == 0)
	return o
}

// Extension is the words behind the BTH of a request.
func Extension(op format.Opcode, va uint64, rkey, length, imm uint32) []uint64 {
	info, _ := format.Lookup(op)
	words := make([]uint64, info.ExtBytes()/4)
	if at, ok := info.ExtOffset(format.ExtRETH); ok {
		copy(words[at/4:], []uint64{va >> 32, va & 0xFFFFFFFF, uint64(rkey), uint64(length)})
	}
	if at, ok := info.ExtOffset(format.ExtImmDt); ok {
		words[at/4] = uint64(imm)
	}
	return words
}
