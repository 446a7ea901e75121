package completer

import "gornic/format"

// Entry is what matters of a replay entry.
type Entry struct {
	PSN      uint32
	Index    uint16
	Last     bool
	Signaled bool
	WRID     uint64
	Status   format.Status
	Vendor   format.VendorCode
}

// Done is a completion.
type Done struct {
	WRID   uint64
	Index  uint16
	Status format.Status
	Vendor format.VendorCode
}

// Reference is the block for one queue pair, with its replay ring, in plain Go.
type Reference struct {
	Ring  []Entry
	Dones []Done
	Fault bool // the queue pair has been reported

	newest uint32
	failed bool
	ended  bool
	index  uint16
}

// Record enters an entry into the ring.
func (r *Reference) Record(e Entry) {
	r.Ring = append(r.Ring, e)
	r.newest = e.PSN
	r.sweep()
}

// Die takes note that the queue pair is in state ERR.
func (r *Reference) Die() {
	r.failed = true
	r.sweep()
}

// diff is a - b as a signed number of 24 bits.
func diff(a, b uint32) int {
	d := int((a - b) & 0xFFFFFF)
	if d >= 1<<23 {
		d -= 1 << 24
	}
	return d
}

// Respond takes an ACKNOWLEDGE, and reports whether it answered something.
func (r *Reference) Respond(psn uint32, syndrome uint8) bool {
	class, low := syndrome>>5, syndrome&31
	if class == 2 || class > 3 || class == 3 && low > 3 {
		return false
	}
	if len(r.Ring) == 0 || diff(r.newest, psn) < 0 || diff(psn, r.Ring[0].PSN) < 0 {
		return false
	}
	for len(r.Ring) > 0 && r.Ring[0].Status == 0 && diff(r.Ring[0].PSN, psn) < 0 {
		r.succeed()
		r.dropCause()
	}
	if len(r.Ring) > 0 && r.Ring[0].Status == 0 && r.Ring[0].PSN == psn {
		switch {
		case class == 0:
			r.succeed()
		case class == 3 && low > 0:
			r.fail(map[uint8]format.Status{1: format.StatusRemInvReq, 2: format.StatusRemAccess, 3: format.StatusRemOp}[low], format.VendorNAK)
		}
	}
	r.sweep()
	return true
}

// succeed retires the oldest entry.
func (r *Reference) succeed() {
	e := r.Ring[0]
	r.Ring = r.Ring[1:]
	if e.Last && e.Signaled {
		r.Dones = append(r.Dones, Done{e.WRID, e.Index, format.StatusSuccess, e.Vendor})
	}
}

// fail fails the WQE of the oldest entry, and the queue pair.
func (r *Reference) fail(s format.Status, v format.VendorCode) {
	e := r.Ring[0]
	r.Ring = r.Ring[1:]
	r.Dones = append(r.Dones, Done{e.WRID, e.Index, s, v})
	r.failed, r.ended, r.index, r.Fault = true, true, e.Index, true
}

// dropCause drops packets of a WQE that were sent before it failed, once they are the
// oldest: nobody may ever acknowledge them.
func (r *Reference) dropCause() {
	cause := r.cause()
	if r.failed || cause == nil {
		return
	}
	index := cause.Index
	for r.Ring[0].Status == 0 && r.Ring[0].Index == index {
		r.Ring = r.Ring[1:]
	}
}

// cause is the first entry that failed, nil if none did.
func (r *Reference) cause() *Entry {
	for i := range r.Ring {
		if r.Ring[i].Status != 0 {
			return &r.Ring[i]
		}
	}
	return nil
}

// sweep completes what has failed and is the oldest, and flushes what is behind.
func (r *Reference) sweep() {
	r.dropCause()
	if !r.failed && len(r.Ring) > 0 && r.Ring[0].Status != 0 {
		r.fail(r.Ring[0].Status, r.Ring[0].Vendor)
	}
	for r.failed && len(r.Ring) > 0 {
		e := r.Ring[0]
		r.Ring = r.Ring[1:]
		if e.Last && (!r.ended || e.Index != r.index) {
			r.Dones = append(r.Dones, Done{e.WRID, e.Index, format.StatusFlush, format.VendorNone})
		}
	}
}
