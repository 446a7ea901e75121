package formal

import (
	"context"
	"fmt"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// A Copy is what the bounded proof says of a design with one fault in it.
type Copy struct {
	Fault  hdl.Fault
	Answer Answer // Failed: the assertions notice
}

// Copies makes a broken copy of the design for each fault and tries the bounded proof on it. Build returns a new design
// with each call. A fault of a signal that is not there is an error.
func Copies(ctx context.Context, build func() (*ir.Design, error), faults []hdl.Fault, o Options) ([]Copy, error) {
	return tryCopies(build, faults, func(d *ir.Design) (Answer, error) {
		o := o.withDefaults()
		p, err := newProver(d, o)
		if err != nil {
			return Answer{}, err
		}
		defer p.close()
		m, err := p.model(ctx)
		if err != nil {
			return Answer{}, err
		}
		return p.try(ctx, m, o)
	})
}

// CopiesBits is [Copies] with the solver of [ProveBits].
func CopiesBits(ctx context.Context, build func() (*ir.Design, error), faults []hdl.Fault, o Options) ([]Copy, error) {
	return tryCopies(build, faults, func(d *ir.Design) (Answer, error) {
		o := o.withDefaults()
		b, err := newBitProver(d, o)
		if err != nil {
			return Answer{}, err
		}
		defer b.close()
		m, err := b.model(ctx)
		if err != nil {
			return Answer{}, err
		}
		return b.try(ctx, m, o)
	})
}

func tryCopies(build func() (*ir.Design, error), faults []hdl.Fault, try func(*ir.Design) (Answer, error)) ([]Copy, error) {
	var copies []Copy
	for _, f := range faults {
		d, err := build()
		if err != nil {
			return nil, err
		}
		if err := Break(d, f); err != nil {
			return nil, err
		}
		answer, err := try(d)
		if err != nil {
			return nil, fmt.Errorf("broken copy, %s: %w", f, err)
		}
		copies = append(copies, Copy{f, answer})
	}
	return copies, nil
}
