package sweep

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress tells on a terminal how far a sweep is, in one line; elsewhere nothing.
type progress struct {
	to     io.Writer // nil: nobody wants to know
	count  int
	began  time.Time
	told   time.Time
	lock   sync.Mutex
	parts  map[int]float64 // of the points that are being run, by worker
	ended  int
	failed int
}

// between is the time between two changes of the line.
const between = 200 * time.Millisecond

func newProgress(w io.Writer, count int) *progress {
	p := &progress{count: count, began: time.Now(), parts: map[int]float64{}}
	if IsTerminal(w) {
		p.to = w
	}
	return p
}

// IsTerminal tells that somebody looks at what is written.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// at tells that a worker has done such a part of its point, from 0 to 1.
func (p *progress) at(worker int, part float64) {
	if p.to == nil {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.parts[worker] = part
	p.tell()
}

// done tells that a worker has ended its point.
func (p *progress) done(worker int, failed bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	delete(p.parts, worker)
	p.ended++
	if failed {
		p.failed++
	}
	p.tell()
}

// tell writes the line, if it is time. What cannot be written is not worth a failure.
func (p *progress) tell() {
	if p.to == nil || time.Since(p.told) < between {
		return
	}
	p.told = time.Now()
	fmt.Fprintf(p.to, "\r\033[K%s", p.line(time.Since(p.began)))
}

// line is what there is to tell after such a time.
func (p *progress) line(took time.Duration) string {
	done := float64(p.ended)
	for _, part := range p.parts {
		done += part
	}
	text := fmt.Sprintf("%d of %d points", p.ended, p.count)
	if p.failed > 0 {
		text += fmt.Sprintf(", %d failed", p.failed)
	}
	if done > 0 {
		left := time.Duration(float64(took) / done * (float64(p.count) - done))
		text += fmt.Sprintf(", %.3g a minute, %v left", done/took.Minutes(), left.Round(time.Second))
	}
	return text
}

func (p *progress) end() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.to != nil {
		fmt.Fprint(p.to, "\r\033[K")
	}
}
