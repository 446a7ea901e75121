// Package sim runs an elaborated design.
package sim
