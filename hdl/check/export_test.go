package check

import "flag"

// Update asks the tests to write what they would compare with.
var Update = flag.Bool("update", false, "write the golden files and docs/checks.md")

// Codes returns every code that is documented.
func Codes() []Code {
	var list []Code
	for _, p := range documented() {
		list = append(list, p.code)
	}
	return list
}

// documented returns the tables of passes in the order of the documentation.
func documented() []pass {
	return append(append(append([]pass{}, frontEnd...), passes...), ignorePass)
}
