package play

import (
	"fmt"

	"gornic/format"
	"gornic/tb/drill/packet"
	"gornic/tb/drill/script"
)

// streamsOf are the streams that a packet may be in.
func streamsOf(want *script.Packet) []script.Stream {
	seen := [3]bool{}
	var all []script.Stream
	for _, op := range want.Opcodes() {
		if s := streamOf(op); !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return []script.Stream{script.Requests, script.Responses, script.CNPs}
	}
	return all
}

// head is the oldest packet in some streams of a queue pair, nil if there is none.
func (q *queuePair) head(streams []script.Stream) (oldest *frame, in script.Stream) {
	for _, s := range streams {
		if len(q.sent[s]) > 0 && (oldest == nil || q.sent[s][0].cycle < oldest.cycle) {
			oldest, in = q.sent[s][0], s
		}
	}
	return oldest, in
}

// expectPacket expects the next packet of its kind.
func (p *player) expectPacket(s script.Step, a script.ExpectPacket) error {
	q, w := p.qps[a.QP], p.windowOf(a.Times)
	if a.Optional {
		w.until = max(w.since+uint64(a.Within.In(p.m.tick)), p.m.now()+calm)
	}
	streams := streamsOf(&a.Packet)
	for {
		came, err := p.await(w.until, func() (bool, error) {
			f, _ := q.head(streams)
			return f != nil || len(p.strays) > 0, nil
		})
		switch {
		case err != nil:
			return err
		case len(p.strays) > 0:
			return p.stray("%s", a.Words())
		case !came && a.Optional:
			return nil
		case !came:
			return &Failure{Expected: p.wantedPacket(&a), Came: p.nothing(q, w)}
		}
		f, in := q.head(streams)
		done, err := p.judge(s, q, &a, w, f)
		if err != nil {
			return err
		}
		switch {
		case done:
			q.sent[in] = q.sent[in][1:]
			p.taken, p.moment = f.cycle, max(p.moment, f.cycle)
			return nil
		case p.skips(q, &a, f):
			q.sent[in] = q.sent[in][1:]
		case a.Optional:
			return nil
		default:
			return p.mismatch(q, &a, w, f)
		}
	}
}

// judge tells whether a packet is the one that is expected.
func (p *player) judge(s script.Step, q *queuePair, a *script.ExpectPacket, w window, f *frame) (bool, error) {
	diffs, err := p.differences(q, &a.Packet, f.Packet)
	if err != nil || len(diffs) > 0 {
		return false, err
	}
	if p.tracing() {
		p.trace(s.Line, "NIC sends   %s, %s", p.words(q, f.Packet, true), p.elapsed(f.cycle, w.since))
	}
	if !a.After.Zero() && f.cycle < w.after {
		return false, &Failure{
			Expected: p.wantedPacket(a), Came: fmt.Sprintf("%s, %s", p.words(q, f.Packet, true), p.elapsed(f.cycle, w.since)),
			Differences: []Difference{{"time", "no earlier than " + a.After.Text, p.elapsed(f.cycle, w.since)}},
		}
	}
	return true, nil
}

// skips tells whether a packet may come before the one that is expected.
func (p *player) skips(q *queuePair, a *script.ExpectPacket, f *frame) bool {
	for i := range a.Skip {
		if diffs, err := p.differences(q, &a.Skip[i], f.Packet); err == nil && len(diffs) == 0 {
			return true
		}
	}
	return false
}

// mismatch is the failure of a packet that is another one.
func (p *player) mismatch(q *queuePair, a *script.ExpectPacket, w window, f *frame) error {
	diffs, err := p.differences(q, &a.Packet, f.Packet)
	if err != nil {
		return err
	}
	return &Failure{
		Expected: p.wantedPacket(a), Came: fmt.Sprintf("%s, %s", p.words(q, f.Packet, true), p.elapsed(f.cycle, w.since)), Differences: diffs,
	}
}

// wantedPacket is what is expected, and when.
func (p *player) wantedPacket(a *script.ExpectPacket) string {
	text := a.Words()
	if !a.After.Zero() {
		text += ", after " + a.After.Text
	}
	if !a.Within.Zero() {
		text += ", within " + a.Within.Text
	}
	return text
}

// nothing says that nothing came, or what else did.
func (p *player) nothing(q *queuePair, w window) string {
	text := fmt.Sprintf("nothing, until %s", p.elapsed(p.m.now(), w.since))
	if f, _ := q.head(streamsOf(&script.Packet{})); f != nil {
		text += "; not looked at yet: " + p.words(q, f.Packet, true)
	}
	return text
}

// unseen is the oldest packet that no step has looked at: of a queue pair or, without a name, of all.
func (p *player) unseen(name string, streams []script.Stream) (oldest *unseenPacket) {
	if len(streams) == 0 {
		streams = streamsOf(&script.Packet{})
	}
	for _, q := range p.pairs() {
		if name != "" && q.Name != name {
			continue
		}
		if f, _ := q.head(streams); f != nil && (oldest == nil || f.cycle < oldest.cycle) {
			oldest = &unseenPacket{f, q}
		}
	}
	return oldest
}

type unseenPacket struct {
	*frame
	q *queuePair
}

// expectNothing expects that no packet comes.
func (p *player) expectNothing(a script.ExpectNothing) error {
	since := p.m.now()
	err := p.quiet(a.For, func() (bool, error) { return p.unseen(a.QP, a.Streams) != nil || len(p.strays) > 0, nil })
	p.mark()
	if err != nil {
		return err
	}
	if len(p.strays) > 0 {
		return p.stray("nothing for %s", a.For.Text)
	}
	if f := p.unseen(a.QP, a.Streams); f != nil {
		return &Failure{Expected: "nothing for " + a.For.Text, Came: fmt.Sprintf("%s, %s", p.words(f.q, f.Packet, true), p.elapsed(f.cycle, since))}
	}
	return nil
}

// stray is the failure of a frame that is for no queue pair of the peer.
func (p *player) stray(want string, args ...any) error {
	f := p.strays[0]
	came := fmt.Sprintf("a frame of %d bytes that is no RoCEv2 packet: %v", len(f.raw), f.err)
	if f.err == nil {
		came = fmt.Sprintf("%s for QP 0x%06x, which the peer does not have", packet.OpcodeName(format.Opcode(f.BTH.Opcode)), f.BTH.DestQP)
	}
	return &Failure{Expected: fmt.Sprintf(want, args...), Came: came}
}
