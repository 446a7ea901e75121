package model

import (
	"context"
	"io"

	"gornic/cycle/table"
	"gornic/tb/workload"
)

// Options of a run.
type Options struct {
	Seed   uint64 // of the workload's requests and of the wire's faults
	Events bool   // keep Result.Events
	Warmup int64  // messages that are not measured

	// Table has the latencies of the blocks; nil: table.Default.
	Table *table.Table

	// Doorbells, where it is not nil, tells when hosts ring, in the order of cycles: events of kind Doorbell and RecvDoorbell, with
	// Node, QP and WQE, the last for which they ring. So the model runs with the timing of a recorded host. Without
	// it the hosts decide.
	Doorbells []Event

	// Trace, where it is not empty, is the SQLite file into which Akita's tracer writes; From and To bound it in
	// cycles (To 0: to the end).
	Trace    string
	From, To int64

	// Progress, where it is not nil, is told now and then how many messages have completed.
	Progress func(done, all int64)
	// Log, where it is not nil, gets a line for each event of a packet: for debugging.
	Log io.Writer
}

// Run runs a workload on a configuration. It is a function of its arguments alone. An
// error is an [Unsupported], a configuration that cannot be, or a run that got stuck,
// which tells who waits for what.
func Run(ctx context.Context, c Config, w workload.Workload, o Options) (*Result, error) {
	if err := c.Validate(w); err != nil {
		return nil, err
	}
	m, err := build(c, w, o)
	if err != nil {
		return nil, err
	}
	return m.run(ctx)
}
