package model

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"

	"gornic/cycle/simkit"
	"gornic/cycle/table"
	"gornic/tb/wire"
	"gornic/tb/workload"
)

//go:embed *.go host/*.go link/*.go nic/*.go wire/*.go
var source embed.FS

// Fingerprint is a hash of the code that makes results, and of the default table: the model, its engine, the requests of workloads and
// the faults of the wire. Results of the same fingerprint and the same arguments of [Run] are the same, on any machine.
func Fingerprint() (string, error) {
	sum := sha256.New()
	for _, files := range []fs.FS{source, simkit.Source, workload.Source, wire.Source} {
		if err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(files, path)
			fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
			return err
		}); err != nil {
			return "", fmt.Errorf("fingerprint: %w", err)
		}
	}
	t, err := table.Default()
	if err != nil {
		return "", err
	}
	text, err := t.Text()
	if err != nil {
		return "", err
	}
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil)), nil
}
