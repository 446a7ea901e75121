package toolset

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An OldError says that the machine's own tool is too old to be used. It counts as [ErrAbsent], so that what skips or
// stops without the tool does so here too.
type OldError struct {
	Tool            Tool
	Version, Oldest string // what it is, and what would do
}

func (e *OldError) Error() string {
	return fmt.Sprintf("%s: %s is version %s, too old: %s or newer has to come before it on the PATH", e.Tool.Name, e.Tool.Path, e.Version, e.Oldest)
}

// Is makes errors.Is(e, ErrAbsent) true.
func (e *OldError) Is(target error) bool { return target == ErrAbsent }

// tooOld judges a tool of the machine's own. One that cannot even tell its version is left to whoever runs it, since its
// own words then say more.
func (t Tool) tooOld() error {
	want := oldest(t.Name)
	if want == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	version, err := t.came().Version(ctx)
	if err != nil || slices.Compare(numbers(version), numbers(want)) >= 0 {
		return nil
	}
	return &OldError{t, version, want}
}

// came is the tool whose version tells that of t: Yosys, for what is installed with it.
func (t Tool) came() Tool {
	switch t.Name {
	case Smtbmc, ABC:
		return Tool{Name: Yosys, Path: filepath.Join(filepath.Dir(t.Path), Yosys)}
	}
	return t
}

// numbers splits a version at its points: 5.006 is {5, 6} and older than 5.048, 0.9 is older than 0.23.
func numbers(version string) []int {
	var parts []int
	for _, part := range strings.Split(version, ".") {
		n, _ := strconv.Atoi(part) // versionNumber lets digits alone through
		parts = append(parts, n)
	}
	return parts
}

var versionNumber = regexp.MustCompile(`\d+\.\d+(\.\d+)*`)

// Version returns the tool's version, such as 5.048: the pinned one, else what the tool itself prints.
func (t Tool) Version(ctx context.Context) (string, error) {
	text, err := t.Banner(ctx)
	if err != nil {
		return "", err
	}
	if t.Pin != nil {
		return t.Pin.Version, nil
	}
	number := versionNumber.FindString(text)
	if number == "" {
		return "", fmt.Errorf("%s: no version in %q", t.Path, text)
	}
	return number, nil
}

// Banner runs the tool for the line in which it names itself.
func (t Tool) Banner(ctx context.Context) (string, error) {
	out, err := t.Command(ctx, versionArgs(t.Name)...).CombinedOutput()
	line := banner(string(out))
	// Icarus asks its own parts for their versions and fails if one of them is installed elsewhere.
	if err != nil && (t.Name != Icarus || !versionNumber.MatchString(line)) {
		return "", fmt.Errorf("%s: %w: %s", t.Path, err, line)
	}
	return line, nil
}

// banner is the first line with a version number, else the first line: some tools warn of something before.
func banner(out string) string {
	for line := range strings.Lines(out) {
		if versionNumber.MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return line
}

func versionArgs(name string) []string {
	switch name {
	case Yosys, Icarus, Vvp:
		return []string{"-V"}
	case Smtbmc, Ecppack:
		return []string{"--help"}
	case ABC:
		return []string{"-q", "version"}
	}
	return []string{"--version"}
}
