package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// A progress shows on a terminal which step goes on, since when, and how long it took before; elsewhere it is silent. What
// cannot be written to the terminal is not worth a failure.
type progress struct {
	mu     sync.Mutex
	w      io.Writer // nil where it is silent
	width  func() int
	step   string
	start  time.Time
	before time.Duration
	detail string
	stop   chan struct{}
}

func newProgress(w io.Writer) *progress {
	p := &progress{}
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return p
	}
	p.w, p.stop = w, make(chan struct{})
	p.width = func() int {
		width, _, err := term.GetSize(int(file.Fd()))
		if err != nil || width < 20 {
			return 80
		}
		return width
	}
	go p.tick(p.stop)
	return p
}

// tick lets the clock go on while a tool thinks.
func (p *progress) tick(stop chan struct{}) {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case <-stop:
			return
		case <-every.C:
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		}
	}
}

// Begin implements flow.Progress.
func (p *progress) Begin(n, of int, step string, before time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step, p.before, p.detail, p.start = fmt.Sprintf("[%d/%d] %s", n, of, step), before, "", time.Now()
	p.draw()
}

// Detail implements flow.Progress.
func (p *progress) Detail(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.detail = text
	p.draw()
}

// End implements flow.Progress.
func (p *progress) End(took time.Duration, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	note := clock(took)
	if again {
		note = "as before"
	}
	fmt.Fprintf(p.w, "\r\x1b[K%-26s %s\n", p.step, note)
	p.step = ""
}

// pause takes the line away while something else is printed.
func (p *progress) pause(print func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	print()
	p.draw()
}

// draw writes the line anew.
func (p *progress) draw() {
	if p.w == nil || p.step == "" {
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", p.line(time.Since(p.start)))
}

// line is the step, its time, and what its tool is at, as far as there is room.
func (p *progress) line(since time.Duration) string {
	text := fmt.Sprintf("%-26s %s", p.step, clock(since))
	if p.before > 0 {
		text += " of about " + clock(p.before)
	}
	if p.detail != "" {
		text += "  " + p.detail
	}
	return text[:min(len(text), p.width()-1)]
}

// clock is a duration as minutes and seconds.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// close takes the line away. It may be called again.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	close(p.stop)
	fmt.Fprint(p.w, "\r\x1b[K")
	p.w = nil
}
