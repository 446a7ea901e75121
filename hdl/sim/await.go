package sim

import (
	"errors"
	"fmt"
	"strings"

	"gornic/hdl/ir"
)

// limitError is an Await in vain.
type limitError string

func (e limitError) Error() string { return string(e) }

func (e limitError) Is(target error) bool { return target == ErrLimit }

// Await is RunUntil, and it is a mistake if no condition comes to hold.
func (s *Sim) Await(max int, stops ...Stop) int {
	i := s.RunUntil(max, stops...)
	switch {
	case i >= 0:
	case s.Err() != nil:
		s.ended()
	case len(stops) == 0:
		s.fail(errors.New("Await: no condition to wait for"))
	default:
		s.fail(limitError(s.missing(max, stops)))
	}
	return i
}

// missing says what an Await waited for, and what may have kept it away.
func (s *Sim) missing(max int, stops []Stop) string {
	var what []string
	drained := map[SourceModel]bool{}
	for _, stop := range stops {
		what = append(what, s.state(stop))
		drained[stop.Source] = stop.Kind == StopDrained
	}
	text := "Await: " + strings.Join(what, ", ") + " after " + count(max, "cycle")
	for _, k := range s.sources {
		if !drained[k.model] {
			text += fmt.Sprintf("; %s has %d waiting", k.ports.Name(), k.Pending())
		}
	}
	return text + s.heldInReset()
}

// state says how far a condition is from holding.
func (s *Sim) state(stop Stop) string {
	switch stop.Kind {
	case StopDrained:
		return fmt.Sprintf("%s has %d waiting", s.sourceName(stop.Source), stop.Source.Pending())
	case StopBeats:
		return fmt.Sprintf("%s has %d of %s", s.sinkName(stop.Sink), stop.Sink.Beats(), count(int(stop.Value), "beat"))
	case StopFrames:
		return fmt.Sprintf("%s has %d of %s", s.sinkName(stop.Sink), stop.Sink.Frames(), count(int(stop.Value), "frame"))
	}
	words := make([]uint64, ir.WordCount(stop.Port.Width))
	s.backend.Get(stop.Port, words)
	return fmt.Sprintf("%s is %d instead of %d", stop.Port.Name, words[0], stop.Value)
}

func (s *Sim) sourceName(m SourceModel) string {
	for _, k := range s.sources {
		if k.model == m {
			return k.ports.Name()
		}
	}
	return "a source"
}

func (s *Sim) sinkName(m SinkModel) string {
	for _, k := range s.sinks {
		if k.model == m {
			return k.ports.Name()
		}
	}
	return "a sink"
}

// heldInReset names the resets that are high.
func (s *Sim) heldInReset() string {
	if len(s.released) == 0 {
		return "; Reset was never called"
	}
	text := ""
	for _, c := range s.design.Top.Clocks {
		if !s.released[c] && c.Rst != "" {
			text += "; " + c.Rst + " is high"
		}
	}
	return text
}
