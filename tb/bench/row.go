package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
)

// A row is what was measured.
type row struct {
	Name      string  `json:"name"`
	Config    string  `json:"config"`
	What      string  `json:"what"` // a way or a part
	Operation string  `json:"operation"`
	Bytes     int     `json:"bytes"` // of a message
	QPs       int     `json:"queue_pairs"`
	Latency   int     `json:"latency"`         // of host memory, cycles
	Cycles    float64 `json:"cycles"`          // a message, or the latency
	Beats     float64 `json:"beats,omitempty"` // a message
	Wire      float64 `json:"wire,omitempty"`  // percent
	Budget    string  `json:"budget,omitempty"`
	Verdict   string  `json:"verdict,omitempty"` // "ok", "missed", or what went wrong; empty without a budget

	rate bool // not a latency
}

const (
	met    = "ok"
	missed = "missed"
)

// A printer prints rows as they come.
type printer interface {
	print(row) error
}

// oneAtATime is a printer for several who print.
type oneAtATime struct {
	mu sync.Mutex
	to printer
}

func (p *oneAtATime) print(r row) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.to.print(r)
}

// lines prints one JSON object a line.
type lines struct{ to *json.Encoder }

func (l lines) print(r row) error { return l.to.Encode(r) }

// table prints aligned columns for people.
type table struct {
	to    io.Writer
	begun bool
}

const rowFormat = "%-44s %9s %8s %8s  %-20s %s\n"

func (t *table) print(r row) error {
	if !t.begun {
		t.begun = true
		if _, err := fmt.Fprintf(t.to, rowFormat, "", "cycles", "beats", "wire", "budget", ""); err != nil {
			return err
		}
	}
	beats, wire := "", ""
	if r.Beats > 0 {
		beats, wire = fmt.Sprintf("%.2f", r.Beats), fmt.Sprintf("%.1f %%", r.Wire)
	}
	_, err := fmt.Fprintf(t.to, rowFormat, r.Name, fmt.Sprintf("%.2f", r.Cycles), beats, wire, r.Budget, r.Verdict)
	return err
}

// missed tells that the row is over its budget, or could not be measured.
func (r row) missed() bool { return strings.HasPrefix(r.Verdict, missed) }
