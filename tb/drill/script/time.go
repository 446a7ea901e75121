package script

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Time is a length of time, of the protocol or in clock cycles.
type Time struct {
	Text     string
	Duration time.Duration
	Cycles   int
}

// Tick is the unit of ACK timeouts.
const Tick = 4096 * time.Nanosecond

// In is how many cycles it takes, at least, if a tick takes so many.
func (t Time) In(tick int) int {
	return t.Cycles + int((int64(t.Duration)*int64(tick)+int64(Tick)-1)/int64(Tick))
}

// Zero tells that none was given.
func (t Time) Zero() bool { return t.Text == "" }

const timeWant = "a number with a unit: ns, us, ms, s, ticks (of 4.096 us), or cycles"

var timeForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?(ns|us|ms|s|ticks?|cycles?)$`)

func parseTime(text string) (Time, error) {
	m := timeForm.FindStringSubmatch(text)
	if m == nil {
		return Time{}, fmt.Errorf("%q is not a time", text)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return Time{}, err
	}
	t := Time{Text: text}
	switch m[2] {
	case "cycle", "cycles":
		t.Cycles = int(v)
	case "tick", "ticks":
		t.Duration = time.Duration(v * float64(Tick))
	default:
		unit := map[string]time.Duration{"ns": time.Nanosecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second}[m[2]]
		t.Duration = time.Duration(v * float64(unit))
	}
	if t.Duration > time.Hour || t.Cycles > 1<<30 {
		return t, fmt.Errorf("%q is too long", text)
	}
	return t, nil
}
