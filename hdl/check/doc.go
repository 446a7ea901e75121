// Package check looks for mistakes in an elaborated design.
package check
