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

	// Bounded asks for the bounded proof and the covers alone, with the reset high
	// in the first cycle and low from then on: for what has ended by Depth, such
	// as one frame.
	Bounded bool

	// Solver is who answers.
	Solver Solver

	// NoCovers leaves the covers to simulation.
	NoCovers bool

	// Faults are the broken copies of the design for each of which the bounded
	// proof has to fail.
	Faults []Fault
}

// Solver is a program that answers what can happen.
type Solver int

// The solvers.
const (
	Z3  Solver = iota // works on words; shows how a property fails
	ABC               // works on single bits: for wide data, and to look for invariants
)

var solverNames = [...]string{"z3", "ABC"}

// String returns the solver's name.
func (s Solver) String() string { return solverNames[s] }

// ProofOf is the proof of a definition, under its name, for all time: by z3, or by
// ABC where induction is 0.
func ProofOf[IO any](def Def[IO], depth, induction int) Proof {
	p := Proof{
		Name: def.Name, Depth: depth, Induction: induction,
		Build: func() (*Design, error) {
			d, _, err := Build(def)
			return d, err
		},
	}
	if induction == 0 {
		p.Solver = ABC
	}
	return p
}

// BoundedProofOf is a proof of the first depth cycles alone: see Proof.Bounded.
func BoundedProofOf[IO any](def Def[IO], depth int, solver Solver) Proof {
	p := ProofOf(def, depth, 0)
	p.Bounded, p.Solver = true, solver
	return p
}

// Breaks adds broken copies: the design with one of the faults in each. Choose
// faults that stand for mistakes somebody could make, in each part of the
// design that the properties are to guard.
func (p Proof) Breaks(faults ...Fault) Proof {
	p.Faults = append(p.Faults[:len(p.Faults):len(p.Faults)], faults...)
	return p
}

// ByZ3 is the first depth cycles of the proof once more, by z3, which shares
// nothing with ABC. Covers are left to the proof itself.
func (p Proof) ByZ3(depth int) Proof {
	p.Name += "_z3"
	p.Solver, p.Depth, p.Induction, p.Bounded, p.NoCovers = Z3, depth, 0, true, true
	return p
}

// OfTopAlone leaves out the properties of the modules inside the design, where
// they have proofs of their own.
func (p Proof) OfTopAlone() Proof {
	build := p.Build
	p.Build = func() (*Design, error) {
		d, err := build()
		if err != nil {
			return nil, err
		}
		for _, m := range d.All[1:] {
			m.Checks = nil
		}
		return d, nil
	}
	return p
}
