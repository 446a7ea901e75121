package standin

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"gornic/format"
	"gornic/tb/frames/talk"
)

// AskReport is what [Station.Ask] compared.
type AskReport struct {
	Messages int // that the NIC was given as work
	Requests int // frames that it sent
	Answers  int // of the capture, that it was given
}

// Add adds two reports.
func (r *AskReport) Add(o AskReport) {
	r.Messages += o.Messages
	r.Requests += o.Requests
	r.Answers += o.Answers
}

func (r AskReport) String() string {
	return fmt.Sprintf("%d messages in %d requests, with %d answers", r.Messages, r.Requests, r.Answers)
}

// errEnough ends a conversation of which the rest is not known well enough.
var errEnough = errors.New("no more is known")

// Ask puts the NIC in the place of the requester of a conversation: it is given the work that
// made the requests, one message after another, and has to send each frame that was
// carried out as it was, header fields and payload; and it is given the answers, with which
// the work has to complete, and READs and atomics to bring what they brought. What was sent
// again, and what follows a request that was refused, is left out. The error is the first
// difference.
func (s *Station) Ask(ctx context.Context, c *talk.Conversation) (AskReport, error) {
	a, err := s.newAsker(c)
	if err == nil {
		err = a.play(ctx)
	}
	if err != nil {
		return AskReport{}, fmt.Errorf("QP %#x, which asks %#x: %w", c.Peer, c.QPN, err)
	}
	return a.report, nil
}

// asker is a conversation whose requester the NIC is.
type asker struct {
	*sendQueue
	c      *talk.Conversation
	jobs   []*job
	local  *region // the source and destination of everything; nil: nothing has a byte
	report AskReport
}

// A job is a message as work.
type job struct {
	message  *talk.Message
	requests []*talk.Request
	answers  []*talk.Packet  // its own; none where a later one stands for them
	fresh    []*talk.Request // those of the capture that were not sent before
	status   format.Status
	offset   int // in the local region
	bytes    int
}

// payload is what the requests of a job carry.
func (j *job) payload() []byte {
	var all []byte
	for _, r := range j.requests {
		all = append(all, r.Payload...)
	}
	return all
}

// jobsOf are the messages of a conversation that were carried out, up to the first that
// was refused.
func jobsOf(c *talk.Conversation) []*job {
	var all []*job
	for i, s := range c.Steps {
		r := s.Request
		if r == nil || r.Fate != talk.Done {
			if r != nil && r.Fate == talk.Refused && r.Cause != talk.NotReady {
				break
			}
			continue
		}
		if !r.Message.Ended {
			break
		}
		if n := len(all); n == 0 || all[n-1].message != r.Message {
			all = append(all, &job{message: r.Message})
		}
		j := all[len(all)-1]
		j.requests = append(j.requests, r)
		if r.Info().End {
			j.answers = answersOf(c.Steps[i+1:], r)
		}
	}
	return all
}

// answersOf are the first answers to each PSN of a message that ends with a request, nil
// where one is missing.
func answersOf(steps []talk.Step, r *talk.Request) []*talk.Packet {
	var all []*talk.Packet
	for n := range r.PSNs {
		for _, s := range steps {
			fits := s.Request == nil && s.Good && s.PSN() == r.PSN().Plus(n) && s.Responds() == r.Message.Answers()
			if fits && (inPlace(s.Op, n, r.PSNs) || s.Op == format.OpAcknowledge && s.AETH.Syndrome < format.SyndromeRNR) {
				all = append(all, s.Packet)
				break
			}
		}
	}
	if len(all) < r.PSNs {
		return nil
	}
	return all
}

// inPlace tells that a response can be number n of so many. What answers the rest of a READ that
// was asked for again begins anew there.
func inPlace(op format.Opcode, n, total int) bool {
	info, _ := format.Lookup(op)
	return op != format.OpAcknowledge && info.Start == (n == 0) && info.End == (n == total-1)
}

func (s *Station) newAsker(c *talk.Conversation) (*asker, error) {
	return s.newAskerOf(c, jobsOf(c), noTimer)
}

// newAskerOf makes a requester that has some work to do.
func (s *Station) newAskerOf(c *talk.Conversation, jobs []*job, r retries) (*asker, error) {
	a := &asker{c: c, jobs: jobs}
	total := 0
	for _, j := range a.jobs {
		j.offset, j.bytes = total, len(j.payload())
		if j.message.Answers() {
			j.bytes = j.message.Length
		}
		total += j.bytes
	}
	if len(a.jobs) == 0 {
		return a, nil
	}
	key, err := s.freeKey()
	if err != nil {
		return nil, err
	}
	if total > 0 {
		a.local = &region{s: s.station, what: "local memory", key: key, va: 0x5000_0003, rights: format.AccessLocalWrite}
		if err := errors.Join(a.local.alloc(uint64(total)), a.local.hold()); err != nil {
			return nil, err
		}
	}
	first := a.jobs[0].requests[0]
	if err := s.enable(first.Path.SrcMAC); err != nil {
		return nil, err
	}
	a.sendQueue, err = newSendQueue(s.station, c, first, r)
	return a, err
}

func (a *asker) play(ctx context.Context) error {
	if len(a.jobs) == 0 {
		return nil
	}
	for i, j := range a.jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := a.ask(j, uint64(i))
		if errors.Is(err, errEnough) {
			break
		}
		if err != nil {
			return fmt.Errorf("frame %d, %v, PSN %#x: %w", j.requests[0].Number, j.requests[0].Op, j.requests[0].PSN(), err)
		}
	}
	return a.end()
}

// end closes the queue pair, and looks at memory.
func (a *asker) end() error {
	if err := a.close(); err != nil || a.local == nil {
		return err
	}
	return errors.Join(a.local.check(), a.memory.CheckGuards(), a.local.end(), a.local.free())
}

// ask gives the NIC a message as work, and its answers.
func (a *asker) ask(j *job, id uint64) error {
	if j.answers == nil && (j.message.Answers() || a.outstanding() >= mostOutstanding) {
		return errEnough
	}
	if err := a.post(a.wqe(j, id)); err != nil {
		return err
	}
	a.want = append(a.want, j)
	a.report.Messages++
	for _, r := range j.requests {
		a.report.Requests++
		if err := a.compare(r); err != nil {
			return err
		}
	}
	for n, p := range j.answers {
		a.report.Answers++
		a.nic.Receive(p.Data)
		if j.message.Kind == talk.Read && a.local != nil {
			a.local.put(j.offset+n*a.c.PathMTU, p.Payload)
		}
		if j.message.Kind == talk.Atomic {
			a.local.put(j.offset, wordOf(p.AtomicAck.Original))
		}
	}
	if j.answers == nil {
		return nil
	}
	return a.complete()
}

// wqe is the work of a message. Its payload stands in the local memory.
func (a *asker) wqe(j *job, id uint64) ([]byte, error) {
	m := j.message
	c := format.SendControl[uint64]{
		Opcode: uint64(operation(m)), Flags: format.WRFlagSignaled, WRID: id, RemoteAddr: m.VA, RKey: uint64(m.RKey),
	}
	switch {
	case m.HasImm:
		c.Imm = uint64(m.Imm[0]) | uint64(m.Imm[1])<<8 | uint64(m.Imm[2])<<16 | uint64(m.Imm[3])<<24
	case m.Invalidates:
		c.Imm = uint64(m.Ends)
	}
	if m.Solicited {
		c.Flags |= format.WRFlagSolicited
	}
	if !m.Answers() && j.bytes > 0 {
		if err := a.local.load(j.offset, j.payload()); err != nil {
			return nil, err
		}
	}
	return a.encode(c, j)
}

// compare waits for the NIC's next frame, which has to be a request.
func (a *asker) compare(r *talk.Request) error {
	frame, err := a.next()
	if err != nil {
		return err
	}
	return sameRequest(frame, r)
}

// sameRequest compares a frame with a request of the capture.
func sameRequest(frame []byte, r *talk.Request) error {
	p, ok := talk.Parse(r.Number, frame)
	if !ok || !p.Good {
		return fmt.Errorf("the NIC sends %x, which is no good packet", frame)
	}
	if got, want := requestText(&p, r), requestText(r.Packet, r); got != want {
		return fmt.Errorf("PSN %#x:\n got      %s\n expected %s", r.PSN(), got, want)
	}
	if !bytes.Equal(p.Payload, r.Payload) {
		return fmt.Errorf("PSN %#x with payload % x, expected % x", r.PSN(), p.Payload, r.Payload)
	}
	return nil
}

// requestText is all of a packet but the payload, and but an AckReq that the capture's requester did
// not set or set in the middle of a message: it is the requester's to choose.
func requestText(p *talk.Packet, captured *talk.Request) string {
	ask := p.BTH.AckReq & captured.BTH.AckReq
	if !p.Info().End {
		ask = 0
	}
	return fmt.Sprintf("%v, PSN %#x, QP %#x, SE %d, AckReq %d, P_Key %#x, %+v, RETH %+v, AtomicETH %+v, immediate % x, IETH %+v",
		p.Op, p.PSN(), p.BTH.DestQP, p.BTH.SE, ask, p.BTH.PKey, p.Path, p.RETH, p.AtomicETH, p.Imm, p.IETH)
}

// operation is that of a message as work.
func operation(m *talk.Message) format.WROpcode {
	switch {
	case m.Kind == talk.Read:
		return format.WRRead
	case m.Kind == talk.Atomic && m.Compares:
		return format.WRCompSwap
	case m.Kind == talk.Atomic:
		return format.WRFetchAdd
	case m.Kind == talk.Write && m.HasImm:
		return format.WRWriteImm
	case m.Kind == talk.Write:
		return format.WRWrite
	case m.HasImm:
		return format.WRSendImm
	case m.Invalidates:
		return format.WRSendInv
	}
	return format.WRSend
}
