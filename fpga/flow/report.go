package flow

import (
	"encoding/json"
	"fmt"
	"strings"

	"gornic/fpga/netlist"
)

// Report is what came of a build.
type Report struct {
	Name      string          `json:"name"`
	Device    string          `json:"device,omitempty"`
	Speed     int             `json:"speed,omitempty"`
	Top       string          `json:"top"`
	Yosys     string          `json:"yosys"`             // version
	Nextpnr   string          `json:"nextpnr,omitempty"` // version
	Seed      int             `json:"seed,omitempty"`
	Steps     []Step          `json:"steps"`
	Blocks    []Block         `json:"blocks"`              // as synthesized: an instance before those in it
	Used      map[string]Used `json:"used,omitempty"`      // as placed, by nextpnr's names of places
	Clocks    []ClockReport   `json:"clocks,omitempty"`    // in the order of the target
	Bitstream string          `json:"bitstream,omitempty"` // path

	netlist *netlist.Netlist
	source  *netlist.Source
	path    string // of the netlist
}

// Step is a step, and how long it took when it was done: that may have been in an earlier build.
type Step struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// Block is an instance and what it costs.
type Block struct {
	Path   string `json:"path"` // "" for the top
	Module string `json:"module"`
	Depth  int    `json:"depth"` // 0 for the top
	netlist.Size
	Comb int `json:"comb"` // places of the ECP5 for a LUT4
}

// Used is how many places of a kind there are, and how many are taken.
type Used struct {
	Used      int `json:"used"`
	Available int `json:"available"`
}

// Share is the part of the places that is taken.
func (u Used) Share() float64 {
	if u.Available == 0 {
		return 0
	}
	return float64(u.Used) / float64(u.Available)
}

// nextpnr's names of places.
const (
	placeComb = "TRELLIS_COMB"
	placeFF   = "TRELLIS_FF"
	placeRAM  = "DP16KD"
)

// ClockReport is a clock's frequency. Frequencies are in MHz.
type ClockReport struct {
	Name    string  `json:"name"`
	Runs    float64 `json:"runs"`
	Needs   float64 `json:"needs"`   // with its margin
	Reaches float64 `json:"reaches"` // zero where no path begins and ends at it
	Path    []Hop   `json:"path"`    // the longest
}

// Met tells whether the clock gets as far as it has to.
func (c ClockReport) Met() bool { return len(c.Path) == 0 || c.Reaches >= c.Needs }

// Hop is a piece of a path: what cells make that have one name in the source. Delays are in nanoseconds.
type Hop struct {
	netlist.Place
	Cells int     `json:"cells"`
	Logic float64 `json:"logic"` // in the cells
	Wire  float64 `json:"wire"`  // from them to the next
}

// TimingError says which clocks do not reach what they have to.
type TimingError struct{ Clocks []ClockReport }

func (e *TimingError) Error() string {
	var parts []string
	for _, c := range e.Clocks {
		parts = append(parts, fmt.Sprintf("%s reaches %.1f MHz and needs %.1f", c.Name, c.Reaches, c.Needs))
	}
	return "timing is not met: " + strings.Join(parts, ", ")
}

// judge returns a *TimingError where a clock is too slow.
func (r *Report) judge() error {
	var slow []ClockReport
	for _, c := range r.Clocks {
		if !c.Met() {
			slow = append(slow, c)
		}
	}
	if len(slow) > 0 {
		return &TimingError{slow}
	}
	return nil
}

// save writes the report as JSON.
func (r *Report) save(path string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return writeWhole(path, append(text, '\n'))
}
