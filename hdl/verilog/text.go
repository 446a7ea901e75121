package verilog

import (
	"bytes"
	"strconv"
	"strings"

	"gornic/hdl/ir"
)

// A line of output; the Go position stands beside it as a comment.
type line struct {
	code string
	note string // a comment beside the code
	pos  ir.Pos
}

// posMark stands in code for the position of the line, as "file:line".
const posMark = "\x00"

// text collects the lines of a file.
type text struct {
	lines  []line
	depth  int
	arms   []Arm
	events []EventNets
}

// append adds the lines of another text.
func (t *text) append(other *text) {
	for _, a := range other.arms {
		a.Line += len(t.lines)
		t.arms = append(t.arms, a)
	}
	t.lines = append(t.lines, other.lines...)
}

// add appends code, which may be of several lines, at the present depth.
func (t *text) add(pos ir.Pos, code string) { t.noted(pos, code, "") }

// noted is add with a comment beside the first line.
func (t *text) noted(pos ir.Pos, code, note string) {
	indent := strings.Repeat("    ", t.depth)
	for i, c := range strings.Split(code, "\n") {
		l := line{code: c}
		if c != "" && !strings.HasPrefix(c, "`") {
			l.code = indent + c
		}
		if i == 0 {
			l.note, l.pos = note, pos
		}
		t.lines = append(t.lines, l)
	}
}

// plain adds lines that no Go line stands for.
func (t *text) plain(code string) { t.add(ir.Pos{}, code) }

// blank separates what follows from what was written, once.
func (t *text) blank() {
	if n := len(t.lines); n > 0 && t.lines[n-1].code != "" {
		t.lines = append(t.lines, line{})
	}
}

// comment adds a comment of full lines.
func (t *text) comment(lines []string) {
	for _, l := range lines {
		t.plain(strings.TrimRight("// "+l, " "))
	}
}

// next is the number that the next line will have, from 1.
func (t *text) next() int { return len(t.lines) + 1 }

// render returns the text. Comments beside the code are lined up over runs of
// lines that have one.
func (t *text) render(positions bool, home string) []byte {
	var out bytes.Buffer
	notes := make([]string, len(t.lines))
	for i, l := range t.lines {
		notes[i] = beside(l, positions, home)
	}
	for i := 0; i < len(t.lines); {
		end := i + 1
		for notes[i] != "" && end < len(t.lines) && notes[end] != "" {
			end++
		}
		column := noteColumn(t.lines[i:end])
		for ; i < end; i++ {
			code := strings.ReplaceAll(t.lines[i].code, posMark, where(t.lines[i].pos, positions))
			out.WriteString(code)
			if notes[i] != "" {
				out.WriteString(strings.Repeat(" ", max(1, column-len(code))))
				out.WriteString("// " + notes[i])
			}
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}

// noteColumn is where the comments of a run of lines start; long lines do not
// push it to the right.
func noteColumn(run []line) int {
	const limit = 64
	column := 0
	for _, l := range run {
		if n := len(l.code) + 1; n <= limit {
			column = max(column, n)
		}
	}
	return column
}

func beside(l line, positions bool, home string) string {
	if !positions || !l.pos.IsValid() || strings.Contains(l.code, posMark) {
		return l.note
	}
	at := shortPos(l.pos, home)
	if l.note == "" {
		return at
	}
	return l.note + " (" + at + ")"
}

// shortPos is a position with the folder left out where it is the one that
// the head of the file names. What a function of the library made for a module is
// at the line of the author that calls it.
func shortPos(p ir.Pos, home string) string {
	file, n := p.AtUser().Line()
	if file == "" {
		return "?"
	}
	if folder(file) == folder(home) {
		file = file[strings.LastIndexByte(file, '/')+1:]
	}
	return file + ":" + itoa(n)
}

func folder(file string) string { return file[:strings.LastIndexByte(file, '/')+1] }

func where(p ir.Pos, positions bool) string {
	if !positions {
		return "?"
	}
	return p.AtUser().String()
}

// columns pads the cells of a table so that they line up; the last cell of a
// row is not padded.
func columns(rows [][]string) []string {
	var width []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len(cell))
		}
	}
	lines := make([]string, len(rows))
	for r, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 && width[i] > 0 {
				b.WriteString(strings.Repeat(" ", width[i]-len(cell)+1))
			}
		}
		lines[r] = b.String()
	}
	return lines
}

// wrap breaks prose into lines of at most width characters.
func wrap(prose string, width int) []string {
	var lines []string
	for _, paragraph := range strings.Split(strings.TrimSpace(prose), "\n\n") {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		current := ""
		for _, word := range strings.Fields(paragraph) {
			switch {
			case current == "":
				current = word
			case len(current)+1+len(word) > width:
				lines = append(lines, current)
				current = word
			default:
				current += " " + word
			}
		}
		if current != "" {
			lines = append(lines, current)
		}
	}
	return lines
}

func itoa(i int) string { return strconv.Itoa(i) }
