package verbs

import (
	"context"
	"fmt"

	"gornic/format"
)

// Counters reads all counters of the device, by the names that the rdma tool of Linux has for those of other
// devices where it knows such ("duplicate_request", "local_ack_timeout_err"), each
// documented with its constant in package format. They have 32 bits and wrap, and are read one after the other: what is counted
// meanwhile may be in one and not yet in another.
func (d *Device) Counters(ctx context.Context) (map[string]uint32, error) {
	all := make(map[string]uint32, format.CounterCount)
	for c := range format.Counter(format.CounterCount) {
		v, err := d.Counter(ctx, c)
		if err != nil {
			return nil, err
		}
		all[c.String()] = v
	}
	return all, nil
}

// CounterNamed returns the counter of a name, as [Device.Counters] has it. An unknown name is [ErrInvalid].
func CounterNamed(name string) (format.Counter, error) {
	for c := range format.Counter(format.CounterCount) {
		if c.String() == name {
			return c, nil
		}
	}
	return 0, fmt.Errorf("verbs: counter %q: %w", name, ErrInvalid)
}
