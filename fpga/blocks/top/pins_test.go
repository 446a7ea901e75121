package top_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var located = regexp.MustCompile(`(?m)^LOCATE COMP "([^"]+)"`)

// constrained returns the pins that a file of constraints has places for.
func constrained(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var names []string
	for _, m := range located.FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	require.NotEmpty(t, names)
	return names
}

// pin is the name of a bit of a port, as nextpnr has it.
func pin(name string, bit, width int) string {
	if width == 1 {
		return name
	}
	return fmt.Sprintf("%s[%d]", name, bit)
}
