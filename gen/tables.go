package main

import (
	"bytes"
	"fmt"
	"strings"

	"gornic/configs"
)

// tables returns the documents that are made of the project's tables, by name.
func tables() (map[string][]byte, error) {
	formats, err := formatTables()
	return map[string][]byte{
		"formats.md":       formats,
		"configuration.md": configurationTable(),
	}, err
}

const madeBy = "<!-- Written by `go run ./gen`: edit the table in the Go code, not this file. -->\n\n"

func configurationTable() []byte {
	var b bytes.Buffer
	b.WriteString("# Configuration files\n\n" + madeBy)
	b.WriteString("A configuration is a YAML file in `configs/`. It has each of these lines once; an unknown field or an impossible\nvalue is an error that names the file, the line and the field.\n\n")
	b.WriteString("| field | what it sets | values |")
	var all []configs.Config
	for _, name := range configs.Names() {
		if c, err := configs.Named(name); err == nil {
			all = append(all, c)
			b.WriteString(" " + name + " |")
		}
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(all)) + "\n")
	for _, f := range configs.Fields() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |", f.Name, f.Doc, f.Want)
		for _, c := range all {
			fmt.Fprintf(&b, " %d |", f.Value(c))
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}
