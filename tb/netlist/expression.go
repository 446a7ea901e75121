package netlist

import (
	"fmt"
	"strings"
)

// lutExpression is the function of a LUT as Verilog. Bit i of init is the output where the inputs, the first one being
// the lowest bit, are i; an input may be a constant.
func lutExpression(init uint64, inputs []string) string {
	if len(inputs) == 0 {
		return constant(init&1 == 1)
	}
	n := len(inputs) - 1
	last, half := inputs[n], 1<<n
	mask := uint64(1)<<half - 1
	zero, one := init&mask, init>>half&mask
	switch {
	case zero == one || last == constant(false):
		return lutExpression(zero, inputs[:n])
	case last == constant(true):
		return lutExpression(one, inputs[:n])
	case zero == 0 && one == mask:
		return last
	case zero == mask && one == 0:
		return "~" + last
	case zero == 0:
		return fmt.Sprintf("(%s & %s)", last, lutExpression(one, inputs[:n]))
	case one == 0:
		return fmt.Sprintf("(~%s & %s)", last, lutExpression(zero, inputs[:n]))
	case zero == mask:
		return fmt.Sprintf("(~%s | %s)", last, lutExpression(one, inputs[:n]))
	case one == mask:
		return fmt.Sprintf("(%s | %s)", last, lutExpression(zero, inputs[:n]))
	case zero == ^one&mask:
		return fmt.Sprintf("(%s ^ %s)", last, lutExpression(zero, inputs[:n]))
	}
	return fmt.Sprintf("(%s ? %s : %s)", last, lutExpression(one, inputs[:n]), lutExpression(zero, inputs[:n]))
}

func constant(one bool) string {
	if one {
		return "1'b1"
	}
	return "1'b0"
}

// number reads a parameter as Yosys writes numbers: bits, the highest first. Bits that it leaves open count as zero.
func number(bits string) (uint64, error) {
	if len(bits) > 64 {
		return 0, fmt.Errorf("a number of %d bits", len(bits))
	}
	var n uint64
	for _, c := range strings.TrimSpace(bits) {
		n <<= 1
		switch c {
		case '1':
			n |= 1
		case '0', 'x':
		default:
			return 0, fmt.Errorf("%q is no number", bits)
		}
	}
	return n, nil
}
