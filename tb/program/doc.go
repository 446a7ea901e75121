// Package program has random verbs programs: two hosts make protection domains,
// regions, completion queues and queue pairs, send to each other in both
// directions, read and write each other's memory, lend keys and take them back, and
// take everything down again, all of it drawn from a seed.
//
// Start with [Random] for a program, or [Lossy] for one on a wire that loses packets, [Run] to have two devices do it, and [Program]
// for what is in it. Run checks everything against a model of the two hosts: each
// completion in full and in the order of its queue, each event of an armed CQ, every
// byte of each region and beside it, the states and numbers of each queue pair. What
// came is a [Trace]; two devices that do the same program differ where
// [Trace.Difference] says.
//
//	limits.go     what a configuration allows
//	program.go    what a program is
//	random.go     its timing, domains, queues and connections
//	talk.go       a connection, message by message, with the fences that it needs
//	messages.go   its messages and receives, places.go where they take from and go to
//	loans.go      keys that one end lends to the other
//	offence.go    what is refused in the end
//	race.go       keys that end while they are used
//	layout.go     where they lie in which region
//	features.go   what a program has that others do not, to count
//	smaller.go    programs that do less, to find what it takes to fail
//	run.go        a run: setup.go, post.go, lend.go, poll.go, events.go, end.go
//	atomics.go    what atomics find and leave
//	mixed.go      what READs and WRITEs of many queue pairs find and leave
//	racing.go     a race, racekey.go its key; judge.go, judgereceives.go and stream.go what may come of it
//	lossy.go      programs for a wire that fails
//	trial.go      queue pairs that may give up; trying.go at work, judgetrial.go and untouched.go what may come of them, broken.go memory that fails
//	area.go       a region in memory
//
// # What is certain
//
// Most of a program has one outcome, whatever the devices' timing. An image of each region
// is kept; a message changes it when it is posted. That is right because
//
//   - a sink of WRITEs, a word of atomics or a loan is of one connection and direction, whose SENDs,
//     WRITEs and atomics are executed in order, and a READ sees those before it (protocol section 3.8);
//   - what a READ takes from may be written by a message behind it only with a fence, and what a READ or atomic
//     brings is sent on only with a fence (protocol section 4.7): [talk] draws that;
//   - a key is used when its host knows that it is good, and ended when its peer knows that its
//     uses have completed: messages wait for their [Cue]. A READ is over before a SEND
//     invalidates what it may take from: with a fence again.
//
// # What is not
//
// Where the contract leaves something open, the operations have bytes of their own, and are judged by rules
// that allow just that:
//
//   - Words that atomics of many queue pairs work on: each finds what another left, each is done once; so there is
//     one order in which the values that they found follow each other, from the first one to what is left in
//     memory. Each queue pair's atomics are in their order there. A CMP_SWAP that failed found a value that there was.
//
//   - An arena, where WRITEs and READs of many queue pairs meet: each byte that is read, or left in the end, is
//     that of some WRITE, or the first one, which no other has gone over for sure: by the order of
//     one queue pair, or since it had completed when the other was posted.
//
//   - A race, in which a key ends while it is used: by a command, LOCAL_INV, a bind, or a SEND with invalidate. Each
//     user's messages succeed up to one that is refused, with REM_ACCESS_ERR, and are flushed from there; or all do. What was
//     executed is a prefix of the request packets. It ends with the refused packet, which is of the refused message; only where
//     that is a READ, requests behind it may have been executed before its data was read. All of a packet's bytes are in memory,
//     or none. A READ that was refused has brought some of its packets, in order, and not the last one. Nothing changes under
//     the key once its end has completed. The owner has an event for the refusal, or, if it was of the last packet of a WRITE with immediate,
//     a completion; where the refused message is a READ, one of each is possible. A new key for the same bytes is good at once.
//
//   - A trial: connections, one after the other on the same indices of queue pairs, on a wire that may lose more than their retries make
//     good, or whose host destroys a queue pair under load. An end's messages succeed up to one that gives up, with RETRY_EXC or RNR_RETRY_EXC,
//     and are flushed from there; or all do. It has given up when a packet of that message was sent again, or refused for want of a receive, as
//     often as it has retries, since it was the oldest, and not much later; and its messages take no longer than its timers allow.
//     Where memory of a message is broken, it fails, or its peer refuses it, and fails with it. What was
//     executed is a prefix of the request packets, once each: all of the messages that succeeded, and of the others as many as memory and
//     receives agree on. READs and atomics that did not succeed have brought some of their packets, in order: data that is on its
//     way to memory when a timer expires still goes there; but nothing is written for what has completed with an error. In the end, on a wire that is as it should be,
//     a last connection on each index has as much on its way at once as there can be, and succeeds: nobody has kept an entry or a slot.
//
// What became of racers and trials is in the trace to be counted ([Trace.Races], [Trace.Trials]), but not to be compared.
//
// A workload (package workload) is the same work for models and benchmarks alike;
// a program goes into every corner of one device.
package program
