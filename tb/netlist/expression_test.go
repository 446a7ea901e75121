package netlist

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// evaluate computes an expression of lutExpression for values of a, b, c, d.
func evaluate(t *testing.T, text string, values map[byte]bool) bool {
	t.Helper()
	p := &parser{text: strings.ReplaceAll(text, " ", ""), values: values}
	result := p.term()
	require.Empty(t, p.text, "%s is not read to its end", text)
	return result
}

type parser struct {
	text   string
	values map[byte]bool
}

func (p *parser) take() byte {
	c := p.text[0]
	p.text = p.text[1:]
	return c
}

func (p *parser) term() bool {
	switch c := p.take(); c {
	case '~':
		return !p.term()
	case '1': // 1'b0 or 1'b1
		one := p.text[2] == '1'
		p.text = p.text[3:]
		return one
	case '(':
		return p.inside()
	default:
		return p.values[c]
	}
}

func (p *parser) inside() bool {
	left := p.term()
	op := p.take()
	right := p.term()
	var result bool
	switch op {
	case '&':
		result = left && right
	case '|':
		result = left || right
	case '^':
		result = left != right
	case '?':
		p.take() // the colon
		otherwise := p.term()
		result = left && right || !left && otherwise
	}
	p.take() // the bracket
	return result
}

func TestALUTIsItsTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	inits := []uint64{0, 0xffff, 0xaaaa, 0x5555, 0x6996, 0x8000, 0xfffe, 0xff00, 0x00ff, 0x0ff0}
	for range 2000 {
		inits = append(inits, random.Uint64()&0xffff)
	}
	for _, init := range inits {
		text := lutExpression(init, []string{"a", "b", "c", "d"})
		for i := range 16 {
			values := map[byte]bool{'a': i&1 != 0, 'b': i&2 != 0, 'c': i&4 != 0, 'd': i&8 != 0}
			require.Equal(t, init>>i&1 == 1, evaluate(t, text, values), "%04x: %s at %d", init, text, i)
		}
		tied := lutExpression(init, []string{"a", constant(true), "c", constant(false)})
		for i := range 4 {
			values := map[byte]bool{'a': i&1 != 0, 'c': i&2 != 0}
			at := i&1 | 2 | i&2<<1
			require.Equal(t, init>>at&1 == 1, evaluate(t, tied, values), "%04x: %s at %d", init, tied, i)
		}
	}
}

func TestNumber(t *testing.T) {
	n, err := number("0000000000100100")
	require.NoError(t, err)
	require.Equal(t, uint64(36), n)
	n, err = number("1x0x")
	require.NoError(t, err)
	require.Equal(t, uint64(8), n)
	_, err = number("NOREG")
	require.Error(t, err)
	_, err = number(strings.Repeat("0", 65))
	require.Error(t, err)
}
