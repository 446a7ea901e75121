package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gornic/cycle/config"
	"gornic/cycle/report"
)

// Record is the content of a result file.
type Record struct {
	Key      string           `json:"key"`
	NIC      string           `json:"nic"`
	Workload string           `json:"workload"` // as a file has it
	Seed     uint64           `json:"seed"`
	Result   *report.Measured `json:"result,omitempty"`
	Error    string           `json:"error,omitempty"` // of a run that failed, which has no result
}

// record is what comes of a point.
func (p Point) record(m *report.Measured, failure error) Record {
	e := p.Experiment
	r := Record{Key: p.Key, NIC: e.Model.NIC.Name, Workload: string(e.Workload.Text()), Seed: e.Seed, Result: m}
	if failure != nil {
		r.Error = failure.Error()
	}
	return r
}

// Store is the folder of a sweep's results.
type Store struct {
	dir    string
	create func(dir string) (tempFile, error)
}

// Open opens a folder of results, which it makes if there is none. Files that a killed run left unfinished a day ago
// are removed.
func Open(dir string) (*Store, error) {
	s := &Store{dir: dir, create: create}
	if err := os.MkdirAll(s.points(), 0o755); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return s, s.tidy(24 * time.Hour)
}

func (s *Store) points() string { return filepath.Join(s.dir, "points") }

// Path is the file of a result.
func (s *Store) Path(key string) string { return filepath.Join(s.points(), key+".json") }

// tidy removes what is unfinished for so long that nobody writes it any more.
func (s *Store) tidy(old time.Duration) error {
	names, err := filepath.Glob(filepath.Join(s.points(), unfinished))
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || time.Since(info.ModTime()) < old {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("results: %w", err)
		}
	}
	return nil
}

// Load returns the result of a point; ok tells that there is one.
func (s *Store) Load(key string) (r Record, ok bool, err error) {
	text, err := os.ReadFile(s.Path(key))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, false, nil
	case err != nil:
		return r, false, fmt.Errorf("results: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, false, fmt.Errorf("results: %s: %w; remove it to run the point again", s.Path(key), err)
	}
	if r.Key != key || (r.Result == nil) == (r.Error == "") {
		return r, false, fmt.Errorf("results: %s is not a result of that point; remove it to run the point again", s.Path(key))
	}
	return r, true, nil
}

// Save writes a result: all of it, or nothing.
func (s *Store) Save(r Record) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if err := replace(s.Path(r.Key), append(text, '\n'), s.create); err != nil {
		return fmt.Errorf("results: %w; no result is half written", err)
	}
	return nil
}

// DirOf is the usual folder for the results of an experiment file.
func DirOf(f *config.File) string {
	base := filepath.Base(f.Name)
	return filepath.Join("build", "cycle", strings.TrimSuffix(base, filepath.Ext(base)))
}
