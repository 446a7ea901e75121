package standin

import (
	"encoding/binary"
	"fmt"
	"slices"

	"gornic/format"
	"gornic/tb/frames/talk"
)

// completions judges what the NIC writes to its completion and event queues.
type completions struct {
	q         *queuePair
	want      []completion // that have to come, in order
	count     int          // that came
	solicited int          // that asked for an event
	polled    int          // of those, that have been polled
	events    int          // of completions that came

	// seen is how many that have been polled had no event when the queue was armed last: arming asks for events of what
	// software has not seen, so these need not have one.
	seen  int
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
	if m.Solicited {
		c.solicited++
	}
}

// failure expects a WQE to fail.
func (c *completions) failure(id uint64, statuses ...format.Status) {
	c.want = append(c.want, completion{id: id, statuses: statuses})
}

// poll takes what has come.
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
		if m := c.want[0].message; m != nil && m.Solicited {
			c.polled++
		}
		c.want = c.want[1:]
	}
	if len(all) == 0 {
		return nil
	}
	return c.q.doorbell(format.DoorbellCQ, c.q.cq.consumed, 0)
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

// service takes the events that have come, and arms the completion queue again.
func (c *completions) service() error {
	s := c.q.station
	all, err := take[format.EQE[uint64]](s, s.events)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, e := range all {
		switch {
		case e.Kind == format.EventCompletion && e.Number == 0:
			c.events++
		case e.Kind == format.EventAsync && e.Number == uint64(c.q.c.QPN):
			c.async = append(c.async, format.AsyncEvent(e.Code))
		default:
			return fmt.Errorf("an event that nothing asks for: %+v", e)
		}
	}
	if err := s.doorbell(format.DoorbellEQ, s.events.consumed, 0); err != nil {
		return err
	}
	c.seen = max(c.polled-c.events, 0)
	return c.q.arm()
}
