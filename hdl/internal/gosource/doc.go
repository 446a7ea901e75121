// Package gosource looks into the Go source that a design was built from, for
// what a running program does not know of itself: where a struct field is
// declared, and whether a statement throws a result away.
//
// Start at [Reader]. Sources that are not there, as on a machine that has only
// the program, give no answer and no error.
package gosource
