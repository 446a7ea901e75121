package verbs

import "fmt"

// PD is a protection domain (ibv_pd): queue pairs reach the memory regions of
// their own domain only.
type PD struct {
	d      *Device
	number uint32
	users  int // MRs, MWs and QPs
	dead   bool
}

// AllocPD makes a protection domain (ibv_alloc_pd).
func (d *Device) AllocPD() (*PD, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return nil, err
	}
	number, err := d.pdNumbers.take()
	if err != nil {
		return nil, fmt.Errorf("verbs: allocate PD: %w", err)
	}
	return &PD{d: d, number: number}, nil
}

// Number returns the number of the domain, 24 bits.
func (p *PD) Number() uint32 { return p.number }

// Dealloc ends the domain (ibv_dealloc_pd). While a region, a window or a
// queue pair is in it, it wraps [ErrBusy].
func (p *PD) Dealloc() error {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	err := p.alive()
	if err == nil && p.users > 0 {
		err = fmt.Errorf("%w by %d regions, windows and queue pairs", ErrBusy, p.users)
	}
	if err != nil {
		return fmt.Errorf("verbs: deallocate PD %d: %w", p.number, err)
	}
	p.dead = true
	p.d.pdNumbers.release(p.number)
	return nil
}

func (p *PD) alive() error {
	if p.dead {
		return fmt.Errorf("PD %d: %w", p.number, ErrDestroyed)
	}
	return p.d.usable()
}
