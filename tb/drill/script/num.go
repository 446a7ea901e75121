package script

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gornic/format"
	"gornic/tb/drill/packet"
)

// Env is what names stand for when a step is played.
type Env interface {
	// Symbol is the value of a name: of "i", or of a region, window or queue pair, whose
	// address, key or number a field of a kind means.
	Symbol(kind packet.Kind, name string) (uint64, error)
	// FirstPSN is what a PSN with a sign counts from.
	FirstPSN() uint64
}

// Value is what a field is, or may be.
type Value interface {
	// Eval is the value, for what is sent.
	Eval(e Env) (uint64, error)
	// Match tells whether it stands for v.
	Match(e Env, v uint64) (bool, error)
	String() string
}

// Num is a number: a sum of numbers and names. One of kind PSN that begins with a sign counts from the
// first PSN.
type Num struct {
	Text     string
	Kind     packet.Kind
	Bits     int
	Relative bool
	terms    []term
}

type term struct {
	minus bool
	times uint64 // what name is taken times, or the number
	name  string
}

// Plain is the number v.
func Plain(v uint64) Num {
	return Num{Text: strconv.FormatUint(v, 10), Bits: 64, terms: []term{{times: v}}}
}

// Constant returns the value of a number without names and sign.
func (n Num) Constant() (uint64, bool) {
	sum := uint64(0)
	for _, t := range n.terms {
		if t.name != "" || n.Relative {
			return 0, false
		}
		sum += t.signed(t.times)
	}
	return sum, true
}

func (t term) signed(v uint64) uint64 {
	if t.minus {
		return -v
	}
	return v
}

// Given tells whether there is a number.
func (n Num) Given() bool { return len(n.terms) > 0 }

// Eval is the value, modulo the field's width. The zero Num is 0.
func (n Num) Eval(e Env) (uint64, error) {
	sum := uint64(0)
	for _, t := range n.terms {
		v := t.times
		if t.name != "" {
			s, err := e.Symbol(n.Kind, t.name)
			if err != nil {
				return 0, err
			}
			v *= s
		}
		sum += t.signed(v)
	}
	if n.Relative {
		sum += e.FirstPSN()
	}
	if n.Bits > 0 && n.Bits < 64 {
		sum &= 1<<n.Bits - 1
	}
	return sum, nil
}

// Match tells whether it is v.
func (n Num) Match(e Env, v uint64) (bool, error) {
	want, err := n.Eval(e)
	return want == v, err
}

func (n Num) String() string { return n.Text }

// names are those in it.
func (n Num) names() []string {
	var all []string
	for _, t := range n.terms {
		if t.name != "" {
			all = append(all, t.name)
		}
	}
	return all
}

var termForm = regexp.MustCompile(`^([+-]?)(?:([0-9][0-9a-zA-Z_]*)(?:\*([A-Za-z_][A-Za-z0-9_.]*))?|([A-Za-z_][A-Za-z0-9_.]*))`)

// parseNum reads a number.
func parseNum(text string, kind packet.Kind, bits int) (Num, error) {
	n := Num{Text: text, Kind: kind, Bits: bits}
	rest := strings.ReplaceAll(strings.TrimSpace(text), " ", "")
	n.Relative = kind == packet.PSN && rest != "" && strings.ContainsRune("+-", rune(rest[0]))
	for rest != "" {
		m := termForm.FindStringSubmatch(rest)
		if m == nil || len(n.terms) > 0 && m[1] == "" {
			return n, fmt.Errorf("%q is not a number", text)
		}
		t := term{minus: m[1] == "-", times: 1, name: m[3] + m[4]}
		if m[2] != "" {
			v, err := strconv.ParseUint(m[2], 0, 64)
			if err != nil {
				return n, fmt.Errorf("%q is not a number", m[2])
			}
			t.times = v
		}
		n.terms = append(n.terms, t)
		rest = rest[len(m[0]):]
	}
	if len(n.terms) == 0 {
		return n, fmt.Errorf("no number")
	}
	if v, ok := n.Constant(); ok && len(n.terms) == 1 && !n.terms[0].minus && bits < 64 && v>>bits != 0 {
		return n, fmt.Errorf("%s does not fit %d bits", text, bits)
	}
	return n, nil
}

// syndrome is the value of a syndrome that was written as a name.
type syndrome struct {
	text string
	packet.SyndromeValue
}

func (s syndrome) Eval(Env) (uint64, error)            { return s.Value, nil }
func (s syndrome) Match(_ Env, v uint64) (bool, error) { return s.SyndromeValue.Match(v), nil }
func (s syndrome) String() string                      { return s.text }

// opcode is the value of an opcode that was written as a name.
type opcode format.Opcode

func (o opcode) Eval(Env) (uint64, error)            { return uint64(o), nil }
func (o opcode) Match(_ Env, v uint64) (bool, error) { return v == uint64(o), nil }
func (o opcode) String() string                      { return packet.OpcodeName(format.Opcode(o)) }
