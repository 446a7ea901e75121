package main

import (
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress shows on a terminal how many designs are done and which are being proved; elsewhere it is silent. What cannot
// be written to the terminal is not worth a failure.
type progress struct {
	mu      sync.Mutex
	bar     *progressbar.ProgressBar // nil where it is silent
	running []string
	stop    chan struct{}
}

func newProgress(w io.Writer, designs int) *progress {
	p := &progress{stop: make(chan struct{})}
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return p
	}
	p.bar = progressbar.NewOptions(designs,
		progressbar.OptionSetWriter(w),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetWidth(20),
		progressbar.OptionShowCount(),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(false),
	)
	go p.tick()
	return p
}

// tick lets the clock of the bar go on while a solver thinks.
func (p *progress) tick() {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-every.C:
			p.update(func() { _ = p.bar.RenderBlank() })
		}
	}
}

func (p *progress) update(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		f()
	}
}

func (p *progress) begin(name string) {
	p.update(func() {
		p.running = append(p.running, name)
		p.bar.Describe(strings.Join(p.running, ", "))
	})
}

func (p *progress) done(name string) {
	p.update(func() {
		p.running = slices.DeleteFunc(p.running, func(n string) bool { return n == name })
		p.bar.Describe(strings.Join(p.running, ", "))
		_ = p.bar.Add(1)
	})
}

// pause takes the bar away while something else is printed.
func (p *progress) pause(print func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	print()
}

// end takes the bar away for good.
func (p *progress) end() {
	p.update(func() {
		_ = p.bar.Finish()
		p.bar = nil
		close(p.stop)
	})
}
