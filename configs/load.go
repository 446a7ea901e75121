package configs

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

//go:embed *.yaml
var files embed.FS

// Names returns the names of the configurations that come with gornic.
func Names() []string {
	entries, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil // the pattern is right: Glob cannot fail
	}
	for i, e := range entries {
		entries[i] = strings.TrimSuffix(e, ".yaml")
	}
	return entries
}

// Named returns a configuration that comes with gornic.
func Named(name string) (Config, error) {
	text, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return Config{}, fmt.Errorf("no configuration %q: there are %s", name, strings.Join(Names(), ", "))
	}
	return Parse(name+".yaml", text)
}

// Load reads a configuration file, or returns the named configuration if name
// is one of [Names].
func Load(name string) (Config, error) {
	file, text, err := Read(name)
	if err != nil {
		return Config{}, err
	}
	return Parse(file, text)
}

// Read returns the text of a configuration file, or of the named configuration if
// name is one of [Names], and the file's name for errors.
func Read(name string) (file string, text []byte, err error) {
	if slices.Contains(Names(), name) {
		text, err = files.ReadFile(name + ".yaml")
		return name + ".yaml", text, err
	}
	text, err = os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name, nil, fmt.Errorf("configuration: %w; nor is it one of %s", err, strings.Join(Names(), ", "))
	case err != nil:
		return name, nil, fmt.Errorf("configuration: %w", err)
	}
	return name, text, nil
}

// Mistake is what is wrong with one line of a file.
type Mistake struct {
	File  string
	Line  int    // from 1; 0 for the whole file
	Field string // key in the file; empty where no field is to blame
	Text  string // what was found and what was expected
}

// Error returns "FILE:LINE: FIELD: TEXT".
func (m Mistake) Error() string {
	var b strings.Builder
	b.WriteString(m.File)
	if m.Line > 0 {
		b.WriteString(":" + strconv.Itoa(m.Line))
	}
	if m.Field != "" {
		b.WriteString(": " + m.Field)
	}
	return b.String() + ": " + m.Text
}

// Parse reads the text of a configuration file; file names it in errors. The
// error joins a [Mistake] for each thing that is wrong.
func Parse(file string, text []byte) (Config, error) {
	n, err := Node(file, text)
	if err != nil {
		return Config{}, err
	}
	return ParseNode(file, n)
}

// ParseNode is Parse of what [Node] made of the text.
func ParseNode(file string, n *yaml.Node) (Config, error) {
	if n.Kind != yaml.MappingNode {
		return Config{}, Mistake{File: file, Line: n.Line, Text: "a list of `field: value` lines was expected"}
	}
	r := reader{file: file, lines: map[string]int{}}
	r.config.Name = strings.TrimSuffix(filepath.Base(file), ".yaml")
	r.mapping(n)
	return r.config, errors.Join(r.mistakes...)
}

// Node reads the text of a YAML file of one document, of whatever kind; file names it in
// errors, which are of type [Mistake].
func Node(file string, text []byte) (*yaml.Node, error) {
	if line := unreadable(text); line > 0 {
		return nil, Mistake{File: file, Line: line, Text: "not text in UTF-8"}
	}
	var doc, second yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	if err := documents.Decode(&doc); err != nil && err != io.EOF {
		return nil, notYAML(file, err)
	}
	switch err := documents.Decode(&second); {
	case err == nil:
		return nil, Mistake{File: file, Line: second.Line, Text: "a second document: a file holds one"}
	case err != io.EOF:
		return nil, notYAML(file, err)
	}
	if len(doc.Content) == 0 {
		return nil, Mistake{File: file, Line: 1, Text: "a list of `field: value` lines was expected"}
	}
	return doc.Content[0], nil
}

// unreadable returns the first line, from 1, that has bytes which are not text, 0
// if none has.
func unreadable(text []byte) int {
	line := 0
	for l := range bytes.Lines(text) {
		line++
		isControl := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) }
		if !utf8.Valid(l) || bytes.ContainsFunc(l, isControl) {
			return line
		}
	}
	return 0
}

// notYAML is what the YAML reader found. It tells no line if it is the first.
func notYAML(file string, err error) Mistake {
	m := Mistake{File: file, Line: 1, Text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if line, text, found := strings.Cut(strings.TrimPrefix(m.Text, "line "), ": "); found {
		if n, err := strconv.Atoi(line); err == nil {
			m.Line, m.Text = n, text
		}
	}
	return m
}

type reader struct {
	file     string
	config   Config
	lines    map[string]int // where each field stood
	mistakes []error
}

func (r *reader) fail(line int, field, format string, args ...any) {
	r.mistakes = append(r.mistakes, Mistake{r.file, line, field, fmt.Sprintf(format, args...)})
}

func (r *reader) mapping(m *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		r.field(m.Content[i], m.Content[i+1])
	}
	for _, f := range Fields() {
		if r.lines[f.Name] == 0 {
			r.fail(0, f.Name, "missing: %s, %s", f.Doc, f.Want)
		}
	}
	if len(r.mistakes) > 0 {
		return // a rule over several fields needs all of them right
	}
	for _, rule := range rules() {
		if !rule.ok(r.config) {
			r.fail(r.lines[rule.field], rule.field, "expected %s", rule.want)
		}
	}
}

func (r *reader) field(key, value *yaml.Node) {
	fields := Fields()
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == key.Value })
	if i < 0 {
		r.fail(key.Line, key.Value, "unknown field: expected one of %s%s", fieldNames(fields), Nearest(key.Value, strings.Split(fieldNames(fields), ", ")))
		return
	}
	f := fields[i]
	if first := r.lines[f.Name]; first != 0 {
		r.fail(key.Line, f.Name, "given twice: first on line %d", first)
		return
	}
	r.lines[f.Name] = key.Line
	if !isNumber(value) {
		r.fail(value.Line, f.Name, "%s is not a whole number: expected %s", shown(value), f.Want)
		return
	}
	v, err := strconv.Atoi(value.Value)
	if err != nil || !f.ok(v) { // an error: it is too large
		r.fail(value.Line, f.Name, "%s: expected %s", value.Value, f.Want)
		return
	}
	*f.at(&r.config) = v
}

// wholeNumber is one way to write a whole number. YAML has others, of which some
// readers make one number and some another: 0100.
var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// isNumber tells that a value is a whole number, and not a text that looks like one.
func isNumber(v *yaml.Node) bool {
	return v.Kind == yaml.ScalarNode && v.ShortTag() != "!!str" && wholeNumber.MatchString(v.Value)
}

func shown(v *yaml.Node) string {
	switch v.Kind {
	case yaml.ScalarNode:
		return strconv.Quote(v.Value)
	case yaml.AliasNode:
		return "an alias, *" + v.Value + ","
	}
	return "a list or mapping"
}

func fieldNames(fields []Field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}
