// Package board has the boards that gornic is built for: what differs from one to the
// other, as numbers. Start with [Find] for one of them, [All] for the list.
//
// Another board is a Go file here, which says what i9.go says, its line in [All], and a file of
// pins, constraints/NAME.lpf. Nothing else names a board.
package board
