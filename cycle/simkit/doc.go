// Package simkit is all of the cycle model that knows Akita
// (github.com/sarchlab/akita/v4): an engine, components, and streams between them.
//
// Start with [New] for an engine, [Engine.Component] for a component and
// [NewStream] for a stream. They implement Akita's Engine, Component, Port and
// Connection, so its hooks, its tracing and its own components plug in; what runs
// inside takes no locks, allocates nothing and knows no floating point.
//
// # Time
//
// A [Cycle] is a cycle of the one clock. A component is woken in a cycle at most
// once, and components of one cycle run in the order in which they were made. What
// is pushed into a stream is seen in a later cycle: so nothing that a component sees
// depends on that order but whether there is room, which a taker made in front
// of the giver says in the same cycle, as ready does in the RTL.
//
// Cycles in which nobody wants to run are skipped.
//
// # Waking
//
// A component is woken by what comes into an empty stream, by room in a full one
// that it has asked ([Stream.Room]), by a [Gate] it waits at, and by itself: each
// stage returns the cycle in which it wants to run again, [Never] if something
// else will wake it. So no wake is lost; where work is left when nobody wants
// to run any more, [Engine.Stuck] says what lies where.
package simkit
