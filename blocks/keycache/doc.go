// Package keycache holds the keys that are in use, in front of the key table in
// host memory, and judges whether a key grants what is asked of it (protocol
// section 6). It is the only writer of that table. Start with [Def];
// [Reference] is the same in plain Go, without a cache.
//
// # Streams
//
//	Clients  questions and answers (link.KeyPort), of translate
//	Command  makes, ends and reads keys, from command and keyops; Done answers
//	Read     entries of the key table
//	Write    new entries, and ends of old ones
//	Base, LogSize  where the table is; they change only when nothing is held, and nobody asks
//
// # State
//
// Of each place: the index of its key, whether it is held, whether it was used
// since the hand of the clock last passed, and the entry. Of each client: the
// question that waits for host memory. Entries of valid and free keys are held.
// Of the command under way: what was read of entries, and what is wrong with it.
//
// # Pipeline
//
//	asked   the key's index is compared with all places (match.go)
//	found   the entry is read and compared with the question (judge.go)
//	judged  the end of the range is compared; the reply goes to the client's FIFO
//
// Nothing stalls in it: a question enters only with room for its reply. What
// has been read from host memory goes through the same pipeline, as a question
// that brings its entry; so does the killing of a held entry. Their order in it
// is the order in which they happen.
//
// # Order
//
// Each client has its answers in order. A client that misses waits; others go
// on, and may miss, too: reads of host memory are outstanding for all of them.
//
// # Commands
//
// A command reads the entry and judges it, by the rules that package link has beside
// KeyCommand. Then it locks the index: no read of that entry is asked for, and what is on its
// way will be asked for again. It kills the held entry, writes memory, waits for
// the answer, and unlocks. It writes the bytes that change, and nothing else.
// KeyForget gives up all that is held: then the table may move.
//
// A bound window has the translation of its region in its own entry, from its own first byte
// on: so a question on it looks at one entry. What binds a window reads the
// region, too, and counts it there, before the window is written; what ends a binding
// counts it down, afterwards. So a region may count a window too many, never one too few:
// where host memory fails between the two, it stays so.
//
// # A question that ends its key
//
// A question with link.RightRevoke is judged in the pipeline like any other, against the entry
// that is held or comes. While it is in there nobody enters behind it. Where it is granted,
// the entry is locked and killed at once, and the answer is out: then memory is written,
// as a command does it. So the key is dead for all that is asked later, and who misses
// it, or any command, finds the new entry.
//
// It takes the place of a command, and waits while one is under way; the next command
// waits for it. Of an error of memory behind it nobody hears: the key is then
// what memory says.
//
// # Miss, stall, fault
//
// A key that is not held costs one read of 64 bytes. While a KeyQuery reads, no
// other read is asked for: a miss may wait for that one. Who gets Done takes it
// at once. The clock gives away the first place that was not used since its
// hand last passed, or where the hand is if the entry comes before one is
// found.
//
// An index beyond the table is format.VendorKeyUnknown, without a read. An
// error response is format.VendorBusRead, and nothing is held.
//
// # Cycles
//
// A question every cycle, every third one of a client; the answer 4 cycles
// after it. A miss adds 5 cycles and the read. A question that ends its key has the answer 7
// cycles after it came, and nobody enters for 6 of them; its memory takes one write
// (a window that of its region, too: a read and a write). A command that changes
// an entry takes 18 cycles, a read and a write; BIND_MW 32 cycles, two reads and two
// writes.
//
// # Files
//
//	enter.go            who enters the pipeline in a cycle
//	match.go, judge.go  the pipeline
//	fill.go             misses: entries are read, and put into places
//	command.go          commands on the table, step by step
//	rules.go            what they are refused for
//	window.go           where in its region a window comes to be
//	write.go            what is written
//	reference.go, reference_command.go  questions and commands in plain Go
package keycache
