package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress tells how far a run is: on a terminal in one line, elsewhere in a line now and then.
type progress struct {
	to       io.Writer // nil: nobody wants to know
	count    int
	terminal bool
	began    time.Time
	told     time.Time
}

// Between two lines.
const (
	onTerminal = 200 * time.Millisecond
	elsewhere  = 30 * time.Second
)

func newProgress(w io.Writer, count int, wanted bool) *progress {
	p := &progress{count: count, began: time.Now(), told: time.Now()}
	if wanted {
		p.to = w
	}
	if f, ok := w.(*os.File); ok {
		p.terminal = term.IsTerminal(int(f.Fd()))
	}
	return p
}

// at tells that so many are done. What cannot be written is not worth a failure.
func (p *progress) at(done int) {
	every := elsewhere
	if p.terminal {
		every = onTerminal
	}
	if p.to == nil || time.Since(p.told) < every {
		return
	}
	p.told = time.Now()
	took := time.Since(p.began)
	left := time.Duration(float64(took) / float64(done) * float64(p.count-done))
	text := fmt.Sprintf("%d of %d programs, %.1f a second, %v left", done, p.count, float64(done)/took.Seconds(), left.Round(time.Second))
	if p.terminal {
		fmt.Fprintf(p.to, "\r\033[K%s", text)
	} else {
		fmt.Fprintln(p.to, text)
	}
}

func (p *progress) end() {
	if p.to != nil && p.terminal {
		fmt.Fprint(p.to, "\r\033[K")
	}
}
