package flow

import (
	"fmt"
	"strings"
)

// capacity is what a device has: places for a LUT4, flip-flops, block RAMs, as nextpnr counts them.
type capacity struct{ comb, ff, ram int }

// capacities are those of the ECP5 by the number in its name; the 12F is a 25F to nextpnr.
var capacities = map[string]capacity{
	"12F": {24288, 24288, 56},
	"25F": {24288, 24288, 56},
	"45F": {43848, 43848, 108},
	"85F": {83640, 83640, 208},
}

// SizeError says what a design has more of than its device.
type SizeError struct {
	Device string
	Over   []Excess
}

// Excess is how many places of a kind a design takes, and how many there are.
type Excess struct {
	Kind string // nextpnr's name
	Used
}

func (e *SizeError) Error() string {
	var parts []string
	for _, o := range e.Over {
		parts = append(parts, fmt.Sprintf("%d %s of %d", o.Used.Used, o.Kind, o.Available))
	}
	return fmt.Sprintf("too large for an %s: %s", e.Device, strings.Join(parts, ", "))
}

// fits returns a *SizeError for a design that the placer could not place: it would say so after minutes, and of one cell.
func (r *Report) fits() error {
	_, size, _ := strings.Cut(r.Device, "-")
	has, whole := capacities[size], r.Blocks[0]
	e := &SizeError{Device: r.Device}
	for _, u := range []Excess{
		{placeComb, Used{whole.Comb, has.comb}},
		{placeFF, Used{whole.FF, has.ff}},
		{placeRAM, Used{int(whole.RAM), has.ram}},
	} {
		if u.Used.Used > u.Available {
			e.Over = append(e.Over, u)
		}
	}
	if len(e.Over) > 0 {
		return e
	}
	return nil
}
