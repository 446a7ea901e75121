package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pinFile has the hash of each file of rtl/ that was recorded.
const pinFile = "testdata/rtl.sum"

// pin is the content of pinFile for the present rtl/: a line for each file, its hash and its name.
func pin(root string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(root, "rtl", "*.v"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no Verilog in %s: run `make gen`", filepath.Join(root, "rtl"))
	}
	slices.Sort(files)
	var b bytes.Buffer
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		fmt.Fprintf(&b, "%s %s\n", hex.EncodeToString(sum[:8]), filepath.Base(f))
	}
	return b.Bytes(), nil
}

// moved names the files of rtl/ that differ between two pins.
func moved(was, is []byte) []string {
	before, after := pinned(was), pinned(is)
	var all []string
	for name := range after {
		if before[name] != after[name] {
			all = append(all, name)
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func pinned(text []byte) map[string]string {
	all := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if hash, name, ok := strings.Cut(lines.Text(), " "); ok {
			all[name] = hash
		}
	}
	return all
}

// checkPin is an error that names what has changed in rtl/ since it was recorded.
func checkPin(root string) error {
	was, err := testdata.ReadFile(pinFile)
	if err != nil {
		return err
	}
	is, err := pin(root)
	if err != nil {
		return err
	}
	if files := moved(was, is); len(files) > 0 {
		return fmt.Errorf("what is recorded is older than the RTL: %s changed; run `make calibrate`", strings.Join(files, ", "))
	}
	return nil
}
