package link

import "gornic/hdl"

// Kinds of Heard.
const (
	HeardProgress = 0 // packets have been acknowledged, or data of a READ has come: PSN is the first one that is still owed
	HeardLocal    = 1 // an entry that is no packet has left the ring, with others behind it
	HeardRestart  = 2 // something is missing from the oldest packet on, for Cause
	HeardRNR      = 3 // the peer is not ready for the oldest packet: Code
)

// Causes of a HeardRestart.
const (
	CauseSequence = 0 // NAK 0x60
	CauseImplied  = 1 // an answer to what is behind a READ or atomic that has none
	CauseGap      = 2 // data of a READ behind the one that is due
)

// Heard is what a response means for timers and retry counters (protocol sections 4.4 and 4.6), in the
// order of a queue pair. What a response acknowledges is told before what else it says.
type Heard struct {
	QP    hdl.Bits
	Kind  hdl.Bits `w:"2"`  // HeardProgress and others
	PSN   hdl.Bits `w:"24"` // of a HeardProgress; of others the first one that is still owed, too
	Cause hdl.Bits `w:"2"`  // of a HeardRestart: CauseSequence and others
	Code  hdl.Bits `w:"5"`  // of a HeardRNR: its timer code (protocol section 1.6)
}

// Heard returns the prototype.
func (s Sizes) Heard() Heard { return Heard{QP: hdl.W(s.QPBits)} }

// SendFailure fails the oldest WQE of a queue pair, if PSN is still owed.
type SendFailure struct {
	QP     hdl.Bits
	PSN    hdl.Bits `w:"24"` // the first one that was owed when this was decided
	Status hdl.Bits `w:"8"`  // format.StatusRetryExceeded, StatusRNRExceeded or StatusLocProt
	Vendor hdl.Bits `w:"5"`  // of StatusLocProt: why
}

// SendFailure returns the prototype.
func (s Sizes) SendFailure() SendFailure { return SendFailure{QP: hdl.W(s.QPBits)} }

// Resend has the packets of a queue pair that are in its replay ring sent again.
type Resend struct {
	QP     hdl.Bits
	Stop   hdl.Bits `w:"1"`  // no more of them; else from the oldest one on, also if some are being sent again
	Number hdl.Bits `w:"2"`  // which one of the queue pair's this is: the Resent that answers it has the same
	PSN    hdl.Bits `w:"24"` // the first one that is owed: within the oldest entry, if that is a READ of which some data has come
}

// Resend returns the prototype.
func (s Sizes) Resend() Resend { return Resend{QP: hdl.W(s.QPBits)} }

// Resent says that all packets of a replay ring have been given away since a Resend.
type Resent struct {
	QP     hdl.Bits
	Number hdl.Bits `w:"2"` // of that Resend
}

// Resent returns the prototype.
func (s Sizes) Resent() Resent { return Resent{QP: hdl.W(s.QPBits)} }

// ResendFault says that the payload of a packet that was to be sent again could not be had: it was not sent.
type ResendFault struct {
	QP     hdl.Bits
	PSN    hdl.Bits `w:"24"`
	Vendor hdl.Bits `w:"5"` // FaultBits
}

// ResendFault returns the prototype.
func (s Sizes) ResendFault() ResendFault { return ResendFault{QP: hdl.W(s.QPBits)} }

// HeldPort asks, at once, whether a queue pair is held: it may begin no packet of its own, since those before are
// to be sent again.
type HeldPort struct {
	QP   hdl.Bits
	Held hdl.Bits `hdl:"flip" w:"1"`
}

// HeldPort returns the prototype.
func (s Sizes) HeldPort() HeldPort { return HeldPort{QP: hdl.W(s.QPBits)} }

// ReplayRead asks for an entry of a replay ring that is not removed with it.
type ReplayRead struct {
	QP     hdl.Bits
	Oldest hdl.Bits `w:"1"`  // the oldest one; else
	Index  hdl.Bits `w:"16"` // that of this index, or the oldest if it has been removed
}

// ReplayFound answers a ReplayRead.
type ReplayFound struct {
	Any    hdl.Bits `w:"1"`  // there is such an entry; else the rest means nothing
	Index  hdl.Bits `w:"16"` // free-running
	Newest hdl.Bits `w:"1"`  // none is behind it
	Entry  ReplayEntry
}

// ReplayReader is a reader's side of the replay rings.
type ReplayReader struct {
	Request hdl.Stream[ReplayRead]
	Reply   hdl.Stream[ReplayFound] `hdl:"flip"`
}

// ReplayReader returns the prototype.
func (s Sizes) ReplayReader() ReplayReader {
	return ReplayReader{Request: hdl.StreamOf(ReplayRead{QP: hdl.W(s.QPBits)}), Reply: hdl.StreamOf(ReplayFound{})}
}

// WaitsPort asks, at once, whether packets of a queue pair wait in its replay ring: an entry that is no packet, or
// was not sent, is none. The first packet that does is told of before that shows: Waits is one from the cycle on
// after that in which Started has been taken.
type WaitsPort struct {
	QP    hdl.Bits
	Waits hdl.Bits `hdl:"flip" w:"1"`
}

// WaitsPort returns the prototype.
func (s Sizes) WaitsPort() WaitsPort { return WaitsPort{QP: hdl.W(s.QPBits)} }

// Timers are the attributes of a queue pair that its timers have, in the PSN of a QPControl of ControlTimers.
type Timers struct {
	Timeout  hdl.Bits `w:"5"`
	RetryCnt hdl.Bits `w:"3"`
	RNRRetry hdl.Bits `w:"3"`
}

// PSN returns them as the PSN of a QPControl.
func (t Timers) PSN() hdl.Bits { return hdl.Pack(t).ZExt(24) }

// TimersOf returns the timers in the PSN of a QPControl of ControlTimers.
func TimersOf(psn hdl.Bits) Timers { return hdl.Unpack(Timers{}, psn.Trunc(hdl.WidthOf(Timers{}))) }
