package link

import "gornic/hdl"

// Feature is something that a core may be without, which makes it smaller. Features are bits: several make a set.
type Feature uint8

// The features. What a core is without it refuses as the protocol says of what an end does not have, and the register caps2 tells.
const (
	Atomics     Feature = 1 << iota // compare-and-swap and fetch-and-add, in both directions
	KeyRequests                     // work requests that change keys: LOCAL_INV, REG_MR and BIND_MW
)

// tags are what the names of modules have for the features that they are without.
var tags = []struct {
	feature Feature
	tag     string
}{{Atomics, "_noatomic"}, {KeyRequests, "_nokeyop"}}

// Has tells whether a core has all features of a set.
func (s Sizes) Has(f Feature) bool { return s.Without&f == 0 }

// Tag ends the name of a module that differs without features of a set.
func (s Sizes) Tag(f Feature) string {
	name := ""
	for _, t := range tags {
		if f&s.Without&t.feature != 0 {
			name += t.tag
		}
	}
	return name
}

// Silence drives a stream that never has anything.
func Silence[T any](m *hdl.Module, s hdl.Stream[T]) {
	s.Valid.SetK(0)
	hdl.Set(s.Data, hdl.Unpack(hdl.Proto(s.Data), hdl.K(hdl.WidthOf(s.Data), 0)))
	m.Unused(s.Ready)
}

// Ignore takes what comes of a stream and does nothing with it.
func Ignore[T any](m *hdl.Module, s hdl.Stream[T]) {
	s.Ready.SetK(1)
	m.Unused(s.Valid, hdl.Pack(s.Data))
}
