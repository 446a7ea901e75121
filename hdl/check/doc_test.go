package check

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// page is the documentation that is generated from the tables of passes.
const page = "../../docs/checks.md"

func TestDocumentation(t *testing.T) {
	want := markdown()
	if *Update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
	}
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, want, string(got), "docs/checks.md is stale: run go test ./hdl/check -update")
}

func markdown() string {
	var b strings.Builder
	b.WriteString(`# Mistakes that the hardware language finds

<!-- Generated from the tables in hdl/check by go test ./hdl/check -update. -->

` + "`hdl.Build`" + ` returns every mistake of a design in one error, a line for each, sorted by file and line:

` + "```" + `
FILE:LINE: MODULE: MESSAGE (used at FILE:LINE) [CODE]
` + "```" + `

The line is that of the Go code that made the mistake. Where it is inside a part of the library, "used at" names
the line that uses the part. Further lines of a message, such as the hops of a loop, are indented. Twenty mistakes are
shown; ` + "`check.In(err)`" + ` has all of them, and ` + "`errors.Is(err, check.Latch)`" + ` asks for a kind.

An operation that is wrong yields a value about which nothing more is said, so that one mistake is one message.

## While the design is built

`)
	table(&b, frontEnd)
	b.WriteString(`
## In the finished design

The passes run in this order.

`)
	table(&b, append(slices.Clone(passes), ignorePass))
	b.WriteString(`
## Ignoring a finding

A comment at the end of the line that a finding names suppresses it:

` + "```go" + `
spare := m.Reg("spare", 8, 0) //hdl:ignore unread a probe of the lab reads it
` + "```" + `

The reason is required. A comment that suppresses nothing is a mistake too, on lines from which the design was built;
where a finding depends on a parameter, put the comment into a branch of a Go ` + "`if`" + ` on it. What package hdl reports while it
builds, and structure, cannot be ignored. ` + "`check.Examine`" + ` counts and lists what was suppressed. Sources are found
where the compiler read them, or under the Go module around the working directory for programs built with -trimpath;
without sources nothing is suppressed.
`)
	return b.String()
}

func table(b *strings.Builder, list []pass) {
	b.WriteString("| code | what is reported | why it is a mistake |\n| --- | --- | --- |\n")
	for _, p := range list {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", p.code, sentence(p.reports), p.why)
	}
}

// sentence starts a text with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// TestPackageComment holds the list of codes in doc.go against the tables.
func TestPackageComment(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	got := strings.Join(strings.Fields(strings.ReplaceAll(string(source), "\n//", "\n")), " ")
	for _, p := range documented() {
		assert.Contains(t, got, fmt.Sprintf("- %s: %s", p.code, p.reports))
	}
}

func TestPassOrder(t *testing.T) {
	at := func(code Code) int {
		return slices.IndexFunc(passes, func(p pass) bool { return p.code == code })
	}
	for _, rule := range passOrder {
		require.GreaterOrEqual(t, at(rule.first), 0, rule.first)
		require.GreaterOrEqual(t, at(rule.then), 0, rule.then)
		assert.Less(t, at(rule.first), at(rule.then), "%s before %s: %s", rule.first, rule.then, rule.why)
	}
}

func TestPassTable(t *testing.T) {
	seen := map[Code]bool{}
	for _, p := range documented() {
		assert.False(t, seen[p.code], "%s is in the tables twice", p.code)
		seen[p.code] = true
		assert.NotEmpty(t, p.why, p.code)
	}
	for _, p := range passes {
		assert.True(t, (p.module == nil) != (p.design == nil), "%s looks at modules or at the design", p.code)
	}
}
