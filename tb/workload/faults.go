package workload

import (
	"fmt"
	"math"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"gornic/format"
	"gornic/tb/wire"
)

// Words of faults, in the order of their constants.
var (
	classes = []string{"all", "requests", "responses"}
	senders = []string{"both", "a", "b"}
)

// framesMost bounds the window in which packets are reordered.
const framesMost = 1000

// rule reads one way in which the wire fails.
func (r *reader) rule(n *yaml.Node, path string) wire.Rule {
	var rule wire.Rule
	o := r.object(n, path)
	if o == nil {
		return rule
	}
	rule.Action = wire.Drop + wire.Action(o.choice("action", wire.Actions()))
	rule.Nth = o.numberOr("nth", 1, math.MaxInt32, 0)
	if rule.Rate = wire.Million; rule.Nth == 0 || o.has("rate") {
		rule.Rate = o.rate("rate")
	}
	if o.has("packets") {
		rule.Class = wire.Class(o.choice("packets", classes))
	}
	if o.has("sender") {
		rule.Sender = wire.Sender(o.choice("sender", senders))
	}
	if o.has("opcode") {
		op := opcodes()[o.choice("opcode", opcodeNames())]
		rule.Opcode = &op
	}
	if o.has("psn") {
		rule.Only = &wire.Packet{PSN: uint32(o.number("psn", 0, 1<<24-1))}
	}
	rule.Attempts = o.numberOr("attempts", 1, math.MaxInt32, 0)
	if rule.Action == wire.Delay {
		r.delay(o, &rule)
	}
	o.done()
	return rule
}

// delay reads what a delay is measured in: frames, or time.
func (r *reader) delay(o *object, rule *wire.Rule) {
	rule.Frames = o.numberOr("frames", 1, framesMost, 0)
	if o.has("for_us") {
		rule.For = o.microseconds("for_us", 1)
	}
	if rule.Frames > 0 && rule.For > 0 {
		r.fail(r.lines[o.name("for_us")], o.name("for_us"), "a delay of so many frames has no time: expected either")
	}
}

func (r *reader) outage(n *yaml.Node, path string) wire.Outage {
	o := r.object(n, path)
	if o == nil {
		return wire.Outage{}
	}
	out := wire.Outage{At: o.microseconds("at_us", 0), For: o.microseconds("for_us", 1)}
	o.done()
	return out
}

func (o *object) microseconds(field string, low int) time.Duration {
	return time.Duration(o.number(field, low, math.MaxInt32)) * time.Microsecond
}

// opcodes are those of the reliable connection.
func opcodes() []format.Opcode {
	var all []format.Opcode
	for _, info := range format.Opcodes() {
		if info.Code.Transport() == format.RC {
			all = append(all, info.Code)
		}
	}
	return all
}

func opcodeNames() []string {
	var all []string
	for _, op := range opcodes() {
		all = append(all, op.String())
	}
	return all
}

// ruleText is a rule as a file has it.
func ruleText(r wire.Rule) string {
	words := []string{fmt.Sprintf("action: %v, rate: %g", r.Action, float64(r.Rate)/wire.Million)}
	for _, x := range []struct {
		has  bool
		text string
	}{
		{r.Class != wire.Both, "packets: " + classes[r.Class%3]},
		{r.Sender != wire.Either, "sender: " + senders[r.Sender%3]},
		{r.Attempts > 0, fmt.Sprintf("attempts: %d", r.Attempts)},
		{r.Nth > 0, fmt.Sprintf("nth: %d", r.Nth)},
		{r.Frames > 0, fmt.Sprintf("frames: %d", r.Frames)},
		{r.For > 0, fmt.Sprintf("for_us: %d", r.For.Microseconds())},
	} {
		if x.has {
			words = append(words, x.text)
		}
	}
	if r.Opcode != nil {
		words = append(words, "opcode: "+r.Opcode.String())
	}
	if r.Only != nil {
		words = append(words, fmt.Sprintf("psn: %d", r.Only.PSN))
	}
	return "{" + strings.Join(words, ", ") + "}"
}

func outageText(o wire.Outage) string {
	return fmt.Sprintf("{at_us: %d, for_us: %d}", o.At.Microseconds(), o.For.Microseconds())
}
