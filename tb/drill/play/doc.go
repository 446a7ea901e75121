// Package play plays cases (package script) on a NIC: the core in a simulator, or the reference.
//
//	b := play.NewBench(play.Options{Simulator: "golden"})
//	result := b.Play(ctx, c)
//
// The host is the driver, verbs, on memory of its own; the peer is the case. A [Result] is that the case
// passed, or the first step that differs: what was expected, what came, and in which fields.
//
// # Time
//
// A case counts in units of the protocol. The configuration says how many cycles 4.096 us take; the
// reference is given the same cycles, and does at once what it is asked for. Work takes cycles of the core, too: what has
// to happen within a time may come some thousand cycles later, what must not happen before one may not
// come a cycle before.
//
// Where to read: bench.go (which NIC), player.go (a case from begin to end), host.go (its host), queue.go (a queue
// pair and what came of it), wire.go (the peer), match.go (what is expected of a packet), then
// the steps: do_*.go, expect_*.go.
package play
