package check

import (
	"slices"
	"strings"

	"gornic/hdl/ir"
)

// whole is a bundle of ports, such as a stream, all of whose signals have the
// same mistake: it is one mistake of the author, and one message.
type whole struct {
	signals []*ir.Signal // in port order, two or more
}

// wholes sorts signals with a mistake into bundles that have it as a whole,
// and single ones. members are all signals that could have it; missing tells
// which do. The largest bundle counts: of a bundle of streams, a stream only
// where another one is in order.
func wholes(members []*ir.Signal, missing func(*ir.Signal) bool) (bundles []*whole, single []*ir.Signal) {
	total, lacking := make(map[string]int), make(map[string]int)
	for _, s := range members {
		for _, key := range enclosing(s) {
			total[key]++
			if missing(s) {
				lacking[key]++
			}
		}
	}
	found := make(map[string]*whole)
	for _, s := range members {
		if !missing(s) {
			continue
		}
		key := ""
		for _, k := range enclosing(s) {
			if total[k] > 1 && lacking[k] == total[k] {
				key = k
				break
			}
		}
		switch w := found[key]; {
		case key == "":
			single = append(single, s)
		case w != nil:
			w.signals = append(w.signals, s)
		default:
			found[key] = &whole{[]*ir.Signal{s}}
			bundles = append(bundles, found[key])
		}
	}
	return bundles, single
}

// enclosing names the bundles that a port is in, the outermost first; none for
// a port that is a field of its module's ports itself.
func enclosing(s *ir.Signal) []string {
	origin, at := s.Origin, ""
	if s.Port != nil {
		origin, at = s.Port.Origin, s.Instance.Name
	}
	var keys []string
	for i := 1; i < len(origin); i++ {
		keys = append(keys, at+" "+strings.Join(origin[:i], " "))
	}
	return keys
}

// name is what the names of the ports begin with: "in" for in_valid and
// in_data. Where they have nothing in common, it is the first one.
func (w *whole) name() string {
	common := strings.Split(portName(w.signals[0]), "_")
	for _, s := range w.signals[1:] {
		words := strings.Split(portName(s), "_")
		i := 0
		for i < len(common) && i < len(words) && common[i] == words[i] {
			i++
		}
		common = common[:i]
	}
	if len(common) == 0 {
		return portName(w.signals[0])
	}
	return strings.Join(common, "_")
}

// owner says whose bundle it is: " of u" for an instance's.
func (w *whole) owner() string {
	if s := w.signals[0]; s.Port != nil {
		return " of " + s.Instance.Name
	}
	return ""
}

// looseEnds returns the bundles of a module's instances, and of its own ports,
// that have signals in both directions and are connected in neither.
func looseEnds(m *ir.Module, unseen func(*ir.Signal) bool) []*whole {
	undriven := undrivenIn(m)
	port := func(s *ir.Signal) bool { return len(enclosing(s)) > 0 && (drivable(s) || readable(s)) }
	bundles, _ := wholes(keep(m.Signals, port), func(s *ir.Signal) bool {
		return drivable(s) && undriven(s) || readable(s) && unseen(s)
	})
	return slices.DeleteFunc(bundles, func(w *whole) bool {
		return !slices.ContainsFunc(w.signals, drivable) || !slices.ContainsFunc(w.signals, readable)
	})
}

// partOf reports whether a signal belongs to one of the bundles.
func partOf(s *ir.Signal, bundles []*whole) bool {
	return slices.ContainsFunc(bundles, func(w *whole) bool { return slices.Contains(w.signals, s) })
}

// keep returns the signals that are so.
func keep(signals []*ir.Signal, so func(*ir.Signal) bool) []*ir.Signal {
	var kept []*ir.Signal
	for _, s := range signals {
		if so(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// portList names ports.
func portList(signals []*ir.Signal) string {
	names := make([]string, len(signals))
	for i, s := range signals {
		names[i] = portName(s)
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// portName is the name of a port as its module has it.
func portName(s *ir.Signal) string {
	if s.Port != nil {
		return s.Port.Name
	}
	return s.Name
}
