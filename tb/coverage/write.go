package coverage

import (
	"fmt"
	"io"
	"strings"

	"gornic/format"
)

// Write writes the table as Markdown. A cell of a property has the packets that were sent before those
// that were received; "-" and a letter stand for what cannot be, for the reason that
// the list below the table gives; **0** is a hole.
func (t *Table) Write(w io.Writer) error {
	var text strings.Builder
	text.WriteString("| opcode | sent | received |")
	for column := MultiPacket; column < columns; column++ {
		fmt.Fprintf(&text, " %v |", column)
	}
	text.WriteString("\n|---|---|---|---|---|---|---|\n")
	var why reasons
	for _, info := range format.Opcodes() {
		fmt.Fprintf(&text, "| %s | %s | %s |", info.Name, t.text(&why, info.Code, Any, Sent), t.text(&why, info.Code, Any, Received))
		for column := MultiPacket; column < columns; column++ {
			fmt.Fprintf(&text, " %s |", t.both(&why, info.Code, column))
		}
		text.WriteByte('\n')
	}
	text.WriteByte('\n')
	for i, reason := range why {
		fmt.Fprintf(&text, "* %s: %s\n", letter(i), reason)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// both is a cell of two ways.
func (t *Table) both(why *reasons, op format.Opcode, c Column) string {
	sent, received := t.text(why, op, c, Sent), t.text(why, op, c, Received)
	if sent == received && strings.HasPrefix(sent, "-") {
		return sent
	}
	return sent + " / " + received
}

// text is a count, or why there is none.
func (t *Table) text(why *reasons, op format.Opcode, c Column, way Way) string {
	if reason := Impossible(op, c, way); reason != "" {
		return "- " + letter(why.index(reason))
	}
	if n := t.Count(op, c, way); n > 0 {
		return fmt.Sprint(n)
	}
	return "**0**"
}

// reasons are the footnotes of a table.
type reasons []string

func (r *reasons) index(reason string) int {
	for i, known := range *r {
		if known == reason {
			return i
		}
	}
	*r = append(*r, reason)
	return len(*r) - 1
}

func letter(i int) string { return string(rune('a' + i)) }
