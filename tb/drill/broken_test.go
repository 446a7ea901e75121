package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/drill/play"
	"gornic/tb/drill/script"
	"gornic/verbs"
)

// opposite is a value that is anything but another one.
type opposite struct{ script.Value }

func (o opposite) Match(e script.Env, v uint64) (bool, error) {
	same, err := o.Value.Match(e, v)
	return !same, err
}

// A breach is a step with one expectation turned into its opposite.
type breach struct {
	what string
	do   script.Action
}

// breaches are those of a step.
func breaches(a script.Action) []breach {
	switch a := a.(type) {
	case script.ExpectPacket:
		return packetBreaches(a)
	case script.ExpectCQE:
		return cqeBreaches(a)
	case script.ExpectEvent:
		other := verbs.EventCQErr
		if slices.Contains(a.Event, other) {
			other = verbs.EventCommEst
		}
		a.Completion, a.Event = false, []verbs.EventType{other}
		return []breach{{"event", a}}
	case script.ExpectMemory:
		if a.Data == nil {
			return nil
		}
		d := script.Data{Bytes: bytes.Repeat([]byte{0xA5, 0x5A}, 4)}
		a.Data = &d
		return []breach{{"data", a}}
	case script.ExpectQP:
		return qpBreaches(a)
	case script.ExpectCounter:
		return counterBreaches(a)
	}
	return nil
}

func packetBreaches(a script.ExpectPacket) (all []breach) {
	if a.Optional {
		return nil
	}
	for i, f := range a.Fields {
		if f.Name == "opcode" && len(f.Any) > 1 {
			continue
		}
		b := a
		b.Fields = append([]script.FieldValue(nil), a.Fields...)
		f.Any = nil
		for _, v := range b.Fields[i].Any {
			f.Any = append(f.Any, opposite{v})
		}
		b.Fields[i] = f
		if len(f.Any) == 1 {
			all = append(all, breach{f.Name, b})
		}
	}
	if a.Payload != nil {
		b := a
		b.Payload = &script.Data{Bytes: []byte("another payload")}
		all = append(all, breach{"payload", b})
	}
	if a.PayloadLen != nil {
		b, n := a, script.Plain(257*257)
		b.PayloadLen = &n
		all = append(all, breach{"payload_len", b})
	}
	if a.Src.IsValid() {
		b := a
		b.Src, b.Dst = a.Dst, a.Src
		all = append(all, breach{"src_ip", b})
	}
	return all
}

func cqeBreaches(a script.ExpectCQE) (all []breach) {
	other := script.Plain(0xBEEF)
	with := func(what string, change func(b *script.ExpectCQE)) {
		b := a
		change(&b)
		all = append(all, breach{what, b})
	}
	with("status", func(b *script.ExpectCQE) { b.Statuses = []verbs.WCStatus{verbs.StatusFatal} })
	if a.WRID != nil {
		with("wr_id", func(b *script.ExpectCQE) { b.WRID = &other })
	}
	if len(a.Opcodes) > 0 {
		with("opcode", func(b *script.ExpectCQE) { b.Opcodes = []verbs.WCOpcode{verbs.WCOpcode(77)} })
	}
	if a.ByteLen != nil {
		with("byte_len", func(b *script.ExpectCQE) { b.ByteLen = &other })
	}
	if a.Imm != nil {
		with("imm_data", func(b *script.ExpectCQE) { b.Imm = &other })
	}
	if a.InvRKey != nil {
		with("invalidated_rkey", func(b *script.ExpectCQE) { b.InvRKey = &other })
	}
	if a.Flags != nil {
		with("wc_flags", func(b *script.ExpectCQE) { f := *a.Flags ^ 3; b.Flags = &f })
	}
	return all
}

func qpBreaches(a script.ExpectQP) (all []breach) {
	if a.State != nil {
		b, s := a, *a.State^7
		b.State = &s
		all = append(all, breach{"qp_state", b})
	}
	for i := range a.Fields {
		b := a
		b.Fields = append([]script.QPField(nil), a.Fields...)
		b.Fields[i].Num = script.Plain(0xABCDEF)
		all = append(all, breach{b.Fields[i].Name, b})
	}
	return all
}

func counterBreaches(a script.ExpectCounter) (all []breach) {
	for i := range a.Counters {
		b := a
		b.Counters = append([]script.CounterDelta(nil), a.Counters...)
		b.Counters[i].Low = script.Plain(99999)
		all = append(all, breach{b.Counters[i].Counter.String(), b})
	}
	return all
}

// Each expectation of each case can fail: with any one of them turned into its opposite, the case fails at
// that very line.
func TestExpectationsCanFail(t *testing.T) {
	bench := play.NewBench(play.Options{Simulator: play.Golden})
	played := 0
	for _, c := range loadFolders(t) {
		if c.Long || !c.On(play.Golden) {
			continue
		}
		t.Run(filepath.Base(c.File), func(t *testing.T) {
			walk(c.Steps, func(s *script.Step) {
				original := s.Do
				for _, b := range breaches(original) {
					s.Do = b.do
					r := bench.Play(context.Background(), c)
					what := fmt.Sprintf("line %d, %s %s", s.Line, s.Verb, b.what)
					require.NoError(t, r.Err, what)
					require.NotNil(t, r.Failure, what)
					require.Equal(t, s.Line, r.Failure.Line, what)
					played++
				}
				s.Do = original
			})
		})
	}
	require.Greater(t, played, 500)
}

// walk visits all steps, those of repeats among them.
func walk(steps []script.Step, visit func(s *script.Step)) {
	for i := range steps {
		if r, ok := steps[i].Do.(script.Repeat); ok {
			walk(r.Steps, visit)
		} else {
			visit(&steps[i])
		}
	}
}

// Without the last step that takes a packet, completion or event a case fails at its end: something came that no
// step expects.
func TestNothingMayBeLeftOut(t *testing.T) {
	bench := play.NewBench(play.Options{Simulator: play.Golden})
	for _, c := range loadFolders(t) {
		last := lastTaker(c.Steps)
		if c.Long || last < 0 || !c.On(play.Golden) {
			continue
		}
		t.Run(filepath.Base(c.File), func(t *testing.T) {
			without := *c
			without.Steps = append(append([]script.Step(nil), c.Steps[:last]...), c.Steps[last+1:]...)
			r := bench.Play(context.Background(), &without)
			require.False(t, r.Passed(), "without the step of line %d", c.Steps[last].Line)
		})
	}
}

// lastTaker is the last step that takes something, -1 if there is none.
func lastTaker(steps []script.Step) int {
	for i := len(steps) - 1; i >= 0; i-- {
		if leavesSomething(steps[i].Do) {
			return i
		}
	}
	return -1
}

// leavesSomething tells whether something is left over without the step.
func leavesSomething(a script.Action) bool {
	switch a := a.(type) {
	case script.ExpectPacket:
		return !a.Optional && len(a.Skip) == 0
	case script.ExpectCQE, script.ExpectEvent:
		return true
	}
	return false
}
