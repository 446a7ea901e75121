package simkit

import (
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/sarchlab/akita/v4/datarecording"
	"github.com/sarchlab/akita/v4/sim"
	"github.com/sarchlab/akita/v4/tracing"
)

// Trace writes what components do into an SQLite file as Akita's tracer does, for Daisen: a task for each time in
// which a component works ("busy") or waits for another ("stall"), and those that [Trace.Task] is told of.
type Trace struct {
	engine   *Engine
	path     string
	from, to Cycle
	clock    traceClock
	tracer   *tracing.DBTracer
	recorder datarecording.DataRecorder
	db       *sql.DB
	count    int64
	err      error
}

// traceClock tells the tracer the time of what is being written.
type traceClock struct{ now sim.VTimeInSec }

func (c *traceClock) CurrentTime() sim.VTimeInSec { return c.now }

// Trace begins a trace of a window of cycles; to 0 is the end of the run. Nothing is at path before [Trace.Close].
func (e *Engine) Trace(path string, from, to Cycle) (t *Trace, err error) {
	if to == 0 {
		to = Never
	}
	t = &Trace{engine: e, path: path, from: from, to: to}
	defer t.catch(&err)
	if err := os.Remove(t.part()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("trace: %w", err)
	}
	if t.db, err = sql.Open("sqlite", t.part()); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	t.recorder = datarecording.NewDataRecorderWithDB(t.db)
	t.tracer = tracing.NewDBTracer(&t.clock, t.recorder)
	t.clock.now = e.timeOf(from)
	t.tracer.StartTracing()
	e.trace = t
	return t, nil
}

// part is the file while it is written.
func (t *Trace) part() string { return t.path + ".part" }

// catch makes an error of what Akita's recorder panics with: a disk that is full, say.
func (t *Trace) catch(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("trace: %v", r)
	}
}

// Task writes that something went on somewhere from a cycle to another, if that is in the window.
func (t *Trace) Task(kind, what, where string, from, to Cycle) {
	if t.err != nil || to <= from || to <= t.from || from >= t.to {
		return
	}
	defer t.catch(&t.err)
	t.count++
	task := tracing.Task{ID: fmt.Sprint(t.count), Kind: kind, What: what, Location: where}
	t.clock.now = t.engine.timeOf(from)
	t.tracer.StartTask(task)
	t.clock.now = t.engine.timeOf(to)
	t.tracer.EndTask(task)
}

// Close ends the trace, and puts the file into its place.
func (t *Trace) Close() error {
	t.engine.trace = nil
	err := t.err
	func() {
		defer t.catch(&err)
		t.clock.now = t.engine.timeOf(min(t.to, t.engine.now))
		t.tracer.Terminate()
	}()
	err = errors.Join(err, t.db.Close())
	if err != nil {
		return errors.Join(err, os.Remove(t.part()))
	}
	if err := os.Rename(t.part(), t.path); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}
