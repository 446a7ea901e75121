package hdltest

import (
	"flag"
	"strings"
	"testing"

	"gornic/hdl/sim"
)

var eventsFlag = flag.Bool("hdl.events", false, "show the trace events of hardware tests, those that the test has not taken itself")

// logEvents puts the events of a run that has been closed into the log of its
// test.
func logEvents(t testing.TB, s *sim.Sim) {
	t.Helper()
	var lines strings.Builder
	for _, e := range s.Events() {
		lines.WriteString("\n" + e.String())
	}
	if lines.Len() > 0 {
		t.Logf("events:%s", lines.String())
	}
}
