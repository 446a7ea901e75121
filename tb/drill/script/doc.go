// Package script is the language of the drill: [Load] reads a case from a YAML file. docs/drill.md is its
// reference.
//
// A [Case] has what is there before the first step (memory regions, windows, queue pairs) and the
// [Step]s. What it says is checked as it is read: every key, value, name, and that each step can
// happen where it stands. A [Mistake] tells file, line, field, what was found and what was expected; Load
// joins them.
//
// Numbers may be sums with names in them ([Num]): "data + 256", "+1", "2*i". Their values
// are known when the step is played, from an [Env].
package script
