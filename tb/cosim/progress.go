package main

import (
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress shows how far a run of several jobs is, some of them at once: on a
// terminal, and nothing anywhere else.
type progress struct {
	bar  *progressbar.ProgressBar
	lock sync.Mutex
	done []int // steps of each job
}

// steps is the resolution of one job.
const steps = 1000

func newProgress(w io.Writer, jobs int) *progress {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return &progress{}
	}
	return &progress{done: make([]int, jobs), bar: progressbar.NewOptions(jobs*steps,
		progressbar.OptionSetWriter(w),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(false),
	)}
}

// at shows that job number i is done to the given part, from 0 to 1. What cannot
// be written to the terminal is not worth a failure.
func (p *progress) at(i int, done float64, what string) {
	if p.bar == nil {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.done[i] = int(done * steps)
	sum := 0
	for _, d := range p.done {
		sum += d
	}
	p.bar.Describe(what)
	_ = p.bar.Set(sum)
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
