package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// skips are the tests that were skipped, by reason: without Verilator alone they are hundreds.
type skips map[string][]string

func (s *skips) add(test, reason string) {
	if *s == nil {
		*s = skips{}
	}
	(*s)[reason] = append((*s)[reason], test)
}

// write prints a line for each reason, the one of the most tests first.
func (s skips) write(out io.Writer) {
	var reasons []string
	for reason := range s {
		reasons = append(reasons, reason)
	}
	slices.SortFunc(reasons, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(s[b]), len(s[a])), cmp.Compare(a, b))
	})
	for _, reason := range reasons {
		tests := s[reason]
		slices.Sort(tests)
		more := ""
		if len(tests) > 1 {
			more = fmt.Sprintf(" and %d more", len(tests)-1)
		}
		fmt.Fprintf(out, "    skipped %d: %s (%s%s)\n", len(tests), reason, tests[0], more)
	}
}

var location = regexp.MustCompile(`^\S+\.go:\d+: (skipped: )?`)

// reason is the message of a skipped test: its output without the lines that name the test, and without the place.
func reason(output string) string {
	var lines []string
	for _, line := range strings.Split(output, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			lines = append(lines, location.ReplaceAllString(line, ""))
		}
	}
	return strings.Join(lines, " ")
}
