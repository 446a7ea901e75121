// Package configs holds the configurations: every number that the generators
// take, one YAML file for each kind of core, and the strict reader for them.
//
// Start with [Load] for a file and [Named] for one of the configurations that
// come with gornic: tiny (few of everything, for unit tests and proofs), board
// (what a large ECP5 takes), i9 and i5 (for the boards of these names) and dc (512 bits, for a data centre). [Fields] is the
// table of what a file may say; docs/configuration.md is made from it.
package configs
