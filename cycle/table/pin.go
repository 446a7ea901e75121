package table

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Stale says that the table does not belong to the RTL.
type Stale struct{ Blocks []string }

func (s Stale) Error() string {
	return fmt.Sprintf("the table of latencies is older than the RTL of %s: run `make calibrate`", strings.Join(s.Blocks, ", "))
}

// Check compares the table with the Verilog files of a folder, rtl/ of the
// repository. The error is a [Stale] with the blocks whose files have changed.
func (t *Table) Check(rtl fs.FS) error {
	var stale Stale
	for _, name := range t.Names() {
		h, err := t.Blocks[name].hash(rtl)
		if err != nil {
			return fmt.Errorf("table: block %s: %w", name, err)
		}
		if h != t.Blocks[name].Hash {
			stale.Blocks = append(stale.Blocks, name)
		}
	}
	if len(stale.Blocks) > 0 {
		return stale
	}
	return nil
}

// Pin returns the table, pinned to the files of a folder.
func (t *Table) Pin(rtl fs.FS) (*Table, error) {
	c := t.Copy()
	for _, name := range c.Names() {
		h, err := c.Blocks[name].hash(rtl)
		if err != nil {
			return nil, fmt.Errorf("table: block %s: %w", name, err)
		}
		c.Blocks[name].Hash = h
	}
	return c, nil
}

// hash is that of the block's files, by name.
func (b *Block) hash(rtl fs.FS) (string, error) {
	entries, err := fs.ReadDir(rtl, ".")
	if err != nil {
		return "", err
	}
	sum, count := sha256.New(), 0
	for _, e := range entries {
		if !b.has(e.Name()) {
			continue
		}
		text, err := fs.ReadFile(rtl, e.Name())
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n", e.Name(), len(text))
		sum.Write(text)
		count++
	}
	if count == 0 {
		return "", fmt.Errorf("no file in rtl begins with %s", strings.Join(b.Files, " or "))
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func (b *Block) has(file string) bool {
	if path.Ext(file) != ".v" {
		return false
	}
	for _, begin := range b.Files {
		if strings.HasPrefix(file, begin) {
			return true
		}
	}
	return false
}
