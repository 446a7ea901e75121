package hdl

import (
	"slices"

	"gornic/hdl/check"
)

// PackLow puts all fields side by side, the first one least significant: for a
// structure in host memory, which lists its fields from the lowest byte up.
func PackLow[T any](x T) Bits {
	var parts []Bits
	for _, l := range leaves(clone(x), "") {
		parts = append(parts, *l.at)
	}
	slices.Reverse(parts)
	return Cat(parts...)
}

// UnpackLow is the opposite of [PackLow]: x, of WidthOf(proto) bits, cut into
// fields.
func UnpackLow[T any](proto T, x Bits) T {
	p := clone(proto)
	width := WidthOf(proto)
	if x.w != width {
		if m, ok := operands("UnpackLow", x); ok {
			m.reportf(check.Width, "UnpackLow: %s is %s (%s), the bundle has %s", x.describe(), plural(x.w, "bit"), x.site(), plural(width, "bit"))
		}
		x = poison(width, x)
	}
	low := 0
	for _, l := range leaves(p, "") {
		w := l.at.w
		*l.at = x.Slice(low+w-1, low)
		l.nameField(x)
		low += w
	}
	return *p
}
