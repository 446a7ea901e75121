package main

import (
	"bytes"
	"fmt"
	"strings"

	"gornic/cycle/calibrate/cases"
)

// errorFile has the greatest error of an event in each case of the suite, when it was calibrated.
const errorFile = "testdata/errors.txt"

// errorText is the content of errorFile.
func errorText(verdicts []verdict) []byte {
	var b bytes.Buffer
	for _, v := range verdicts {
		if v.Set == cases.Suite {
			fmt.Fprintf(&b, "%s %d\n", v.Name(), v.worst())
		}
	}
	return b.Bytes()
}

// parseErrors reads errorFile: cycles by the name of the case.
func parseErrors(text []byte) (map[string]int64, error) {
	all := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		var name string
		var cycles int64
		if _, err := fmt.Sscan(line, &name, &cycles); err != nil {
			return nil, fmt.Errorf("%s: %q is no case with its error", errorFile, strings.TrimSpace(line))
		}
		all[name] = cycles
	}
	return all, nil
}
