package hdl

// A Proof is a design whose properties can be proved, and how far that goes.
// Packages list theirs; hdl/formal proves them, `go run ./tools/formal` all of them.
type Proof struct {
	Name string

	// Build makes the design, a new one with each call.
	Build func() (*Design, error)

	// Depth is the number of cycles of the bounded proof and of the search for
	// covers, the one in reset included: enough to fill and drain the design.
	Depth int

	// Induction is the number of cycles that the induction step relies on, mostly
	// one. 0 is for properties that do not follow from themselves: a solver looks
	// for the invariants that are missing.
	Induction int

	// NoCovers leaves the covers to simulation.
	NoCovers bool

	// Faults are the broken copies of the design for each of which the bounded
	// proof has to fail.
	Faults []Fault
}

// ProofOf is the proof of a definition, under its name.
func ProofOf[IO any](def Def[IO], depth, induction int) Proof {
	return Proof{
		Name: def.Name, Depth: depth, Induction: induction,
		Build: func() (*Design, error) {
			d, _, err := Build(def)
			return d, err
		},
	}
}

// Breaks adds broken copies: the design with one of the faults in each. Choose
// faults that stand for mistakes somebody could make, in each part of the
// design that the properties are to guard.
func (p Proof) Breaks(faults ...Fault) Proof {
	p.Faults = append(p.Faults[:len(p.Faults):len(p.Faults)], faults...)
	return p
}
