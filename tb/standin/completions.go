package standin

import (
	"encoding/binary"
	"fmt"
	"slices"

	"gornic/format"
	"gornic/tb/frames/talk"
)

// completions judges what the NIC writes to its completion and event queues. The completion queue is always armed for solicited completions;
// the first that comes then has an event, and those up to that event have no other. What software says it has seen may have none, so this
// host holds back its consumer index until the event comes: so the event is owed, however late it is.
type completions struct {
	q     *queuePair
	want  []completion // that have to come, in order
	count int          // that came
	asked int          // of those, since the queue was armed, that ask for an event
	held  int          // that the NIC is not told of: the first of those, and all behind it
	async []format.AsyncEvent
}

// A completion is one that has to come: with one of some statuses, and where that is
// success with the rest.
type completion struct {
	id       uint64
	statuses []format.Status
	message  *talk.Message
}

// success expects the completion of a message.
func (c *completions) success(b *buffer, m *talk.Message) {
	c.want = append(c.want, completion{b.id, []format.Status{format.StatusSuccess}, m})
}

// failure expects a WQE to fail, which asks for an event whatever the message does.
func (c *completions) failure(id uint64, statuses ...format.Status) {
	c.want = append(c.want, completion{id: id, statuses: statuses})
}

// waits tells that a completion, or the event of one that came, is owed.
func (c *completions) waits() bool { return len(c.want) > 0 || c.asked > 0 }

// look takes what has come. It takes events first: the completion of each is in memory before it is.
func (c *completions) look() error {
	told, err := c.events()
	if err != nil {
		return err
	}
	before := c.count - c.held
	if err := c.poll(); err != nil {
		return err
	}
	switch {
	case told > min(c.asked, 1):
		return fmt.Errorf("%d events of the completion queue, where %d completions since it was armed ask for one", told, c.asked)
	case told > 0:
		c.asked, c.held = 0, 0
		return c.q.arm()
	case c.count-c.held > before:
		return c.q.doorbell(format.DoorbellCQ, c.q.cq.consumed-uint16(c.held), 0)
	}
	return nil
}

// poll takes the completions that have come.
func (c *completions) poll() error {
	all, err := take[format.CQE[uint64]](c.q.station, c.q.cq)
	if err != nil {
		return err
	}
	for _, e := range all {
		c.count++
		if len(c.want) == 0 {
			return fmt.Errorf("a completion that nothing asks for: %+v", e)
		}
		if err := c.judge(e, c.want[0]); err != nil {
			return err
		}
		if m := c.want[0].message; m == nil || m.Solicited {
			c.asked++
		}
		if c.asked > 0 {
			c.held++
		}
		c.want = c.want[1:]
	}
	return nil
}

func (c *completions) judge(e format.CQE[uint64], want completion) error {
	if e.WRID != want.id || e.QPN != uint64(c.q.c.QPN) || e.Queue != 1 || !slices.Contains(want.statuses, format.Status(e.Status)) {
		return fmt.Errorf("completion %d: %+v (%v), expected identifier %#x, QP %#x, receive queue, one of %v",
			c.count, e, format.Status(e.Status), want.id, c.q.c.QPN, want.statuses)
	}
	if want.message == nil {
		return nil
	}
	m := want.message
	op, flags := format.WCRecv, uint64(0)
	if m.Kind == talk.Write {
		op = format.WCRecvWriteI
	}
	imm := e.Imm
	switch {
	case m.HasImm:
		flags, imm = format.WCFlagWithImm, uint64(binary.LittleEndian.Uint32(m.Imm[:]))
	case m.Invalidates:
		flags, imm = format.WCFlagWithInv, uint64(m.Ends)
	}
	if format.WCOpcode(e.Opcode) != op || e.Flags != flags || e.Imm != imm || e.ByteLen != uint64(len(m.Payload)) {
		return fmt.Errorf("completion %d: %+v, expected %v, flags %#x, immediate or key %#x, %d bytes", c.count, e, op, flags, imm, len(m.Payload))
	}
	return nil
}

// events takes the events that have come, and returns how many are of the completion queue.
func (c *completions) events() (told int, err error) {
	s := c.q.station
	all, err := take[format.EQE[uint64]](s, s.events)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	for _, e := range all {
		switch {
		case e.Kind == format.EventCompletion && e.Number == 0:
			told++
		case e.Kind == format.EventAsync && e.Number == uint64(c.q.c.QPN):
			c.async = append(c.async, format.AsyncEvent(e.Code))
		default:
			return told, fmt.Errorf("an event that nothing asks for: %+v", e)
		}
	}
	return told, s.doorbell(format.DoorbellEQ, s.events.consumed, 0)
}
