package lint

import (
	"os"
	"slices"
	"testing"
)

// Icarus makes what it writes executable: as root it would take the null device
// from every other user of the machine.
func TestNoLinterWritesToTheNullDevice(t *testing.T) {
	for _, l := range linters {
		if args := l.args("top", []string{"top.v"}); slices.Contains(args, os.DevNull) {
			t.Errorf("%s: %q", l.name, args)
		}
	}
}
