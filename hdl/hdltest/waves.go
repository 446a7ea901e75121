package hdltest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"

	"gornic/hdl/sim"
)

var wavesFlag = flag.String("hdl.waves", "", "folder for the waves of hardware tests: a file for each test and simulator")

// waveFile gives a file of waves the name that tells the simulators apart.
func waveFile(name string, simulator sim.Simulator) string {
	if name == "" || simulator.Waves == "" {
		return ""
	}
	return strings.TrimSuffix(name, filepath.Ext(name)) + "." + simulator.Name + simulator.Waves
}

// flaggedWaves is the file that -hdl.waves asks for: TESTNAME.native.vcd.
func flaggedWaves(t testing.TB, simulator sim.Simulator) string {
	t.Helper()
	if *wavesFlag == "" || simulator.Waves == "" {
		return ""
	}
	dir, err := filepath.Abs(*wavesFlag)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		t.Fatalf("waves: %v", err)
	}
	name := plainName(strings.TrimSuffix(t.Name(), "/"+simulator.Name))
	if n := runs.next(t); n > 1 {
		name += fmt.Sprintf("_%d", n)
	}
	return filepath.Join(dir, name+"."+simulator.Name+simulator.Waves)
}

// plainName makes a file name of the name of a test.
func plainName(test string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '/':
			return '.'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '.':
			return r
		}
		return '_'
	}, test)
}

// runs counts the simulations of a test, so that none writes over another's
// waves.
var runs = &counter{count: map[testing.TB]int{}}

type counter struct {
	sync.Mutex
	count map[testing.TB]int
}

func (c *counter) next(t testing.TB) int {
	c.Lock()
	defer c.Unlock()
	if c.count[t] == 0 {
		t.Cleanup(func() {
			c.Lock()
			defer c.Unlock()
			delete(c.count, t)
		})
	}
	c.count[t]++
	return c.count[t]
}
