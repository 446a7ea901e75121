package events

import (
	"fmt"

	"gornic/hdl/stream"
)

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "from_cqewriter", io.Written)
	stream.AssumeSource(m, "from_doorbell", io.Update)
	stream.AssumeSource(m, "from_command", io.Config)
	stream.AssumeSource(m, "eq_from_command", io.EQConfig)
	stream.AssumeSource(m, "eq_from_doorbell", io.EQUpdate)
	stream.AssumeSource(m, "done", io.Write.Done)
	for i, a := range io.Asyncs {
		stream.AssumeSource(m, fmt.Sprintf("async_%d", i), a)
	}
	stream.AssertSource(m, "burst", io.Write.Burst)
	stream.AssertSource(m, "beat", io.Write.Beat)
	stream.AssertSource(m, "to_host", io.Message)
	m.Cover("no_event_on_its_way_is_left", b.flights.In.Ready.Not())
}
