package walk

// start is before everything.
var start = Seen{}

// noTimeout is said with everything about the retry timer: what it hangs on is there, the
// oldest entry of the replay ring, but no time is counted yet.
const noTimeout = "the core counts no timeout yet"

// Kinds of message that B may be in the middle of, as responder.reassembly has them.
const (
	messageNone  = 0
	messageSend  = 1
	messageWrite = 2
)

// later is the later of two observations.
func later(a, b Seen) Seen {
	if a.order > b.order {
		return a
	}
	return b
}

// granted is the next question for a key, which is for these rights and this range, and
// its answer, which comes a cycle later and grants them.
func (r *reading) granted(where Where, behind Seen, key, rights, va, bytes uint64) (asked, judged Seen) {
	asked = r.after(behind, on(where, "keycache.key_compared").must(
		val("key", key), val("rights", rights), val("va", va), val("bytes", bytes)))
	return asked, r.after(asked, on(where, "keycache.key_judged", val("client", asked.Get("client"))).in(asked.Cycle+1).must(val("fault", 0)))
}

// Names of plays.
const (
	signaled   = "signaled"
	unsignaled = "unsignaled"
)

// Lengths in memory.
const (
	cqeBytes  = 32 // of a completion
	slotBytes = 64 // of a place in the send queue
)

// IDs of work requests.
const (
	sendID  = 0x5E4D
	recvID  = 0x2EC0
	lendID  = 0x1E4D
	staleID = 0x57A1E
)
