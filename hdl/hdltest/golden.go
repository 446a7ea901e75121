package hdltest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files of hardware tests instead of comparing with them")

// Golden compares got with a file under the test's testdata; -update writes
// the file. The first line that differs is shown.
func Golden(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if line, a, b := firstDifference(want, got); line > 0 {
		t.Errorf("%s:%d differs (write it with -update):\n want %s\n  got %s", path, line, a, b)
	}
}

// firstDifference returns the number of the first line that differs, from 1;
// 0 if there is none.
func firstDifference(want, got []byte) (line int, a, b []byte) {
	if bytes.Equal(want, got) {
		return 0, nil, nil
	}
	for line = 1; ; line++ {
		var moreA, moreB bool
		a, want, moreA = bytes.Cut(want, []byte("\n"))
		b, got, moreB = bytes.Cut(got, []byte("\n"))
		if !bytes.Equal(a, b) || moreA != moreB {
			return line, a, b
		}
	}
}
