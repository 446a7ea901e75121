package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"gornic/blocks"
	"gornic/configs"
	"gornic/hdl/verilog"
)

// output is everything that one run writes, by path.
type output struct {
	files   map[string][]byte
	license string
	own     bool   // the project's own folders are written to
	rtl     string // the folder in which Verilog files that are not in files are left over
}

// collect generates everything. An empty out means the project's own rtl/ and
// docs/; another folder gets the Verilog alone. Each Verilog file names the
// licence, if there is one.
func collect(config configs.Config, out, license string) (*output, error) {
	o := &output{files: map[string][]byte{}, rtl: out, license: license}
	if out == "" {
		o.rtl, o.own = "rtl", true
		documents, err := tables()
		if err != nil {
			return nil, err
		}
		for name, text := range documents {
			o.files[filepath.Join("docs", name)] = text
		}
	}
	if err := o.verilog(config); err != nil {
		return nil, err
	}
	return o, nil
}

// verilog adds the files of every block and the file list. Blocks share
// modules: one module has one text.
func (o *output) verilog(config configs.Config) error {
	from := map[string]string{}
	var order []string
	top := ""
	for _, b := range blocks.All() {
		design, err := b.Build(config)
		if err != nil {
			return fmt.Errorf("block %s in configuration %s: %w", b.Name, config.Name, err)
		}
		if b.Name == "core" {
			top = design.Top.Name
		}
		files, err := verilog.Emit(design, verilog.Options{Positions: true, Checks: true, Events: true, License: o.license})
		if err != nil {
			return fmt.Errorf("block %s in configuration %s: %w", b.Name, config.Name, err)
		}
		for _, f := range files {
			path := filepath.Join(o.rtl, f.Name)
			if first, known := from[path]; !known {
				from[path] = b.Name
				order = append(order, f.Name)
				o.files[path] = []byte(f.Text)
			} else if !bytes.Equal(o.files[path], []byte(f.Text)) {
				return fmt.Errorf("blocks %s and %s have different modules of the name %s", first, b.Name, strings.TrimSuffix(f.Name, ".v"))
			}
		}
	}
	o.files[filepath.Join(o.rtl, listName)] = fileList(config, order)
	if o.own {
		o.files[coreName] = fuseSoC(config, order, top)
	}
	return nil
}

// listName is the file list, for `verilator -f`, `iverilog -c` and vendors' tools.
const listName = "gornic.f"

func fileList(config configs.Config, names []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Configuration %s: every module, children before their parents.\n", config.Name)
	for _, name := range names {
		fmt.Fprintln(&b, name)
	}
	return b.Bytes()
}

// paths returns the paths in order.
func (o *output) paths() []string {
	paths := make([]string, 0, len(o.files))
	for p := range o.files {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	return paths
}
