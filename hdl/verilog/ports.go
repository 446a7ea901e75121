package verilog

import (
	"strings"

	"gornic/hdl/ir"
)

// A portGroup is ports that belong together, with a line that says what they
// are.
type portGroup struct {
	title string
	ports []*ir.Signal
}

// printPorts writes the port list, a paragraph for each interface.
func (e *module) printPorts(t *text) {
	var rows [][]string
	for _, c := range e.ir.Clocks {
		rows = append(rows, []string{"input", "wire", "", c.Clk})
		if c.Rst != "" {
			rows = append(rows, []string{"input", "wire", "", c.Rst})
		}
	}
	if e.ir.Parent == nil {
		for _, inst := range e.opts.Clocked {
			rows = append(rows, []string{"input", "wire", "", ClockOf(inst)})
		}
	}
	clocks := len(rows)
	var ports []*ir.Signal
	groups := map[int]portGroup{} // by first row
	for _, g := range portGroups(e.ir) {
		groups[len(rows)] = g
		for _, s := range g.ports {
			ports = append(ports, s)
			rows = append(rows, []string{s.Kind.String(), e.typeOf(s), span(s.Width), Name(s)})
		}
	}
	for i, l := range columns(rows) {
		if g, ok := groups[i]; ok {
			if i > 0 {
				t.blank()
			}
			e.printTitle(t, g)
		}
		var s *ir.Signal
		if i >= clocks {
			s = ports[i-clocks]
		}
		e.printOnePort(t, s, l+comma(i, len(rows)))
	}
}

// printTitle says what a group of ports is, with the author's comment.
func (e *module) printTitle(t *text, g portGroup) {
	if g.title == "" {
		return
	}
	words := g.title
	if doc := e.fields.outer(g.ports[0]); doc != "" {
		words += ": " + doc
	}
	t.comment(wrap(words, 92))
}

// printOnePort writes one port with the author's comment: beside it where that
// is short.
func (e *module) printOnePort(t *text, s *ir.Signal, code string) {
	const beside = 90
	doc := ""
	if s != nil {
		doc = e.fields.own(s)
	}
	if len(doc) > beside {
		t.comment(wrap(doc, 92))
		doc = ""
	}
	t.noted(ir.Pos{}, code, doc)
}

// portGroups puts neighbours together whose names begin alike.
func portGroups(m *ir.Module) []portGroup {
	streams := streamPrefixes(m)
	var groups []portGroup
	last := ""
	for _, s := range m.Signals {
		if s.Kind != ir.Input && s.Kind != ir.Output {
			continue
		}
		prefix := prefixOf(s.Name, streams)
		if prefix != last || len(groups) == 0 {
			groups = append(groups, portGroup{})
		}
		last = prefix
		g := &groups[len(groups)-1]
		g.ports = append(g.ports, s)
		if len(g.ports) == 2 && prefix != "" {
			g.title = title(prefix, streams)
		}
	}
	return mergeSingles(groups)
}

// mergeSingles joins groups of one port that stand next to each other.
func mergeSingles(groups []portGroup) []portGroup {
	var list []portGroup
	for _, g := range groups {
		n := len(list)
		if g.title == "" && n > 0 && list[n-1].title == "" {
			list[n-1].ports = append(list[n-1].ports, g.ports...)
			continue
		}
		list = append(list, g)
	}
	return list
}

// streamPrefixes returns the names of the streams: NAME_valid or NAME_tvalid
// with its ready. The value says whether the module drives its valid.
func streamPrefixes(m *ir.Module) map[string]bool {
	ports := map[string]*ir.Signal{}
	for _, s := range m.Signals {
		if s.Kind == ir.Input || s.Kind == ir.Output {
			ports[s.Name] = s
		}
	}
	streams := map[string]bool{}
	for name, s := range ports {
		for _, valid := range []string{"valid", "tvalid"} {
			prefix, ok := strings.CutSuffix(name, "_"+valid)
			ready := strings.Replace(valid, "valid", "ready", 1)
			if ok && ports[prefix+"_"+ready] != nil {
				streams[prefix] = s.Kind == ir.Output
			}
		}
	}
	return streams
}

func prefixOf(name string, streams map[string]bool) string {
	best := ""
	for prefix := range streams {
		if strings.HasPrefix(name, prefix+"_") && len(prefix) > len(best) {
			best = prefix
		}
	}
	if best != "" {
		return best
	}
	parts := strings.Split(name, "_")
	switch {
	case len(parts) > 2 && len(parts[0]) == 1:
		return parts[0] + "_" + parts[1]
	case len(parts) > 1:
		return parts[0]
	}
	return ""
}

func title(prefix string, streams map[string]bool) string {
	source, stream := streams[prefix]
	switch {
	case stream && source:
		return "Stream " + prefix + " (source)"
	case stream:
		return "Stream " + prefix + " (sink)"
	}
	return strings.ReplaceAll(prefix, "_", " ")
}
