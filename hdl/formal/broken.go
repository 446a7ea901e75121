package formal

import (
	"context"
	"fmt"
	"time"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// A Copy is what the bounded proof says of a design with one fault in it.
type Copy struct {
	Fault  hdl.Fault
	Answer Answer        // Failed: the assertions notice
	Time   time.Duration // of the processor, with the making of the model
}

// Copies makes a broken copy of the design for each fault and tries the bounded proof on it. Build returns a new design
// with each call. A fault of a signal that is not there is an error.
func Copies(ctx context.Context, build func() (*ir.Design, error), faults []hdl.Fault, o Options) ([]Copy, error) {
	o = o.withDefaults()
	return tryCopies(build, faults, func(d *ir.Design) (c Copy, err error) {
		p, err := newProver(d, o)
		if err != nil {
			return c, err
		}
		defer p.close()
		m, err := p.model(ctx)
		if err == nil {
			c.Answer, err = p.try(ctx, m, o)
		}
		c.Time = p.used
		return c, err
	})
}

// CopiesBits is [Copies] with the solver of [ProveBits].
func CopiesBits(ctx context.Context, build func() (*ir.Design, error), faults []hdl.Fault, o Options) ([]Copy, error) {
	o = o.withDefaults()
	return tryCopies(build, faults, func(d *ir.Design) (c Copy, err error) {
		b, err := newBitProver(d, o)
		if err != nil {
			return c, err
		}
		defer b.close()
		m, err := b.model(ctx)
		if err == nil {
			c.Answer, err = b.try(ctx, m, o)
		}
		c.Time = b.used
		return c, err
	})
}

func tryCopies(build func() (*ir.Design, error), faults []hdl.Fault, try func(*ir.Design) (Copy, error)) ([]Copy, error) {
	var copies []Copy
	for _, f := range faults {
		d, err := build()
		if err != nil {
			return nil, err
		}
		if err := Break(d, f); err != nil {
			return nil, err
		}
		c, err := try(d)
		if err != nil {
			return nil, fmt.Errorf("broken copy, %s: %w", f, err)
		}
		c.Fault = f
		copies = append(copies, c)
	}
	return copies, nil
}
