package ir

// Block is a list of statements in the order they were written.
type Block struct {
	Stmts []Stmt
}

// Stmt is an *Assign, *If or *Switch.
type Stmt interface{ Position() Pos }

// Assign gives Target the value Value, of equal width. Targets of kind Reg
// take it at the next edge of their clock.
type Assign struct {
	Target *Signal
	Value  *Node
	Pos    Pos
}

// If runs the body of the first arm whose condition is one. A last arm with a
// nil condition is the else.
type If struct {
	Arms []*Arm
	Pos  Pos
}

// Arm is one branch of an If.
type Arm struct {
	Cond *Node // one bit; nil for else
	Body *Block
	Pos  Pos
}

// Switch runs the body of the arm that lists the subject's value.
type Switch struct {
	Subject *Node
	Arms    []*CaseArm
	Pos     Pos
}

// CaseArm is one branch of a Switch. No values: the default, which is last.
type CaseArm struct {
	Values []Const // of the subject's width; no value is in two arms
	Body   *Block
	Pos    Pos
}

// Position returns where the assignment was written.
func (s *Assign) Position() Pos { return s.Pos }

// Position returns where the If was written.
func (s *If) Position() Pos { return s.Pos }

// Position returns where the Switch was written.
func (s *Switch) Position() Pos { return s.Pos }
