package program

import (
	"fmt"

	"gornic/verbs"
)

// Trace is what came of a program that does not depend on time.
type Trace struct {
	Connections []*[2]Record // of all acts, by host
	Races       Races        // depends on time
	Trials      Trials       // depends on time
}

// Races counts what became of those who used a key that ended meanwhile.
type Races struct{ Racers, Refused, Midway int } // refused, and of these in the middle of a message

func (c *Races) count(r *racer) {
	c.Racers++
	if r.refused {
		c.Refused++
		if r.inMid {
			c.Midway++
		}
	}
}

// Trials counts what became of those whose wire may lose more than their retries make good.
type Trials struct {
	Ends     int // of rounds, but for fresh ones
	Retries  int // those that gave up after all retries
	NotReady int // or after all RNR retries
	Quit     int // those whose host did
	Broken   int // those that failed for broken memory, their own or their peer's
	Midway   int // those whose messages were cut off in the middle of one
}

// Add adds what another run counted.
func (c *Trials) Add(d Trials) {
	c.Ends += d.Ends
	c.Retries += d.Retries
	c.NotReady += d.NotReady
	c.Quit += d.Quit
	c.Broken += d.Broken
	c.Midway += d.Midway
}

func (c *Trials) count(e *triedEnd, midway bool) {
	c.Ends++
	for _, w := range e.sends {
		switch w.Status {
		case verbs.StatusRetryExceeded:
			c.Retries++
		case verbs.StatusRNRExceeded:
			c.NotReady++
		case verbs.StatusLocProt, verbs.StatusRemOp:
			c.Broken++
		}
	}
	if e.quit {
		c.Quit++
	}
	if midway {
		c.Midway++
	}
}

// Record is the completions of a queue pair, in the order of each queue.
type Record struct{ Sends, Receives []verbs.WC }

func (r *Record) add(c verbs.WC) {
	if c.Recv {
		r.Receives = append(r.Receives, c)
	} else {
		r.Sends = append(r.Sends, c)
	}
}

// Completions counts them.
func (t *Trace) Completions() int {
	n := 0
	for _, c := range t.Connections {
		for _, r := range c {
			n += len(r.Sends) + len(r.Receives)
		}
	}
	return n
}

// Difference tells where what came is not what the other trace says, nil if it is.
func (t *Trace) Difference(want *Trace) error {
	if len(t.Connections) != len(want.Connections) {
		return fmt.Errorf("%d connections, expected %d", len(t.Connections), len(want.Connections))
	}
	for i, c := range t.Connections {
		for host := range c {
			got, want := c[host], want.Connections[i][host]
			for name, queues := range map[string][2][]verbs.WC{"send": {got.Sends, want.Sends}, "receive": {got.Receives, want.Receives}} {
				if err := difference(queues[0], queues[1]); err != nil {
					return fmt.Errorf("connection %d, host %s, %s queue: %w", i, "ab"[host:host+1], name, err)
				}
			}
		}
	}
	return nil
}

func difference(got, want []verbs.WC) error {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Errorf("completion %d is %+v, expected %+v", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d completions, expected %d", len(got), len(want))
	}
	return nil
}
