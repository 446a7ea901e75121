package formal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gornic/tools/toolset"
)

// trace reads the file that yosys-smtbmc wrote and keeps it, with the names of values, in the folder for waves.
func (p *prover) trace(file string, q question) (*Trace, error) {
	text, err := os.ReadFile(filepath.Join(p.dir, file))
	if err != nil {
		return nil, fmt.Errorf("trace of %s: %w", p.design.Top.Name, err)
	}
	start := FromReset
	if q == induction {
		start = FromAnyState
	}
	v := readVCD(text)
	t := v.trace(p.design, start)
	dir, err := p.waveDir()
	if err != nil {
		return nil, err
	}
	t.File = filepath.Join(dir, file)
	if err := os.WriteFile(t.File, v.named(t), 0o644); err != nil {
		return nil, err
	}
	t.File = shorter(t.File)
	return t, nil
}

// waveDir makes the folder for waves.
func (p *prover) waveDir() (string, error) {
	dir := p.waves
	if dir == "" {
		build, err := toolset.BuildDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(build, "formal", p.design.Top.Name)
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// shorter is a path relative to the working folder where it is below that.
func shorter(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// witnesses reads the trace behind each group of covers in a report.
func (p *prover) witnesses(text string) ([]Witness, error) {
	var all []Witness
	var since strings.Builder // what was reported since the last trace
	for line := range strings.Lines(text) {
		since.WriteString(line)
		m := writing.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		w := Witness{Covers: p.named(since.String(), reached)}
		since.Reset()
		var err error
		if w.Trace, err = p.trace(m[1], covers); err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}
