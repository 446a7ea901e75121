package flow

import (
	"errors"
	"fmt"
	"strings"
)

// Target is a device with what is around it.
type Target struct {
	Name        string // of the board; also of the folder of its build
	Device      string // "LFE5U-45F"
	Package     string // "CABGA381"
	Speed       int    // grade: 6, 7 or 8
	Constraints []byte // text of the LPF
	Clocks      []Clock

	// OutOfContext is for a part of a design: without pins and global clocks, and without a bitstream.
	OutOfContext bool
}

// Clock is a clock with its frequency.
type Clock struct {
	Name   string  // of the net in the top, or of the port
	Hz     int     // that it runs at
	Margin float64 // 1.15: it has to reach 15 % more; 1 where there is none
}

// MHz is the frequency that the clock has to reach, in MHz.
func (c Clock) MHz() float64 { return float64(c.Hz) / 1e6 * c.Margin }

// devices are nextpnr's flags.
var devices = map[string]string{
	"LFE5U-12F": "--12k", "LFE5U-25F": "--25k", "LFE5U-45F": "--45k", "LFE5U-85F": "--85k",
	"LFE5UM-25F": "--um-25k", "LFE5UM-45F": "--um-45k", "LFE5UM-85F": "--um-85k",
	"LFE5UM5G-25F": "--um5g-25k", "LFE5UM5G-45F": "--um5g-45k", "LFE5UM5G-85F": "--um5g-85k",
}

func (t Target) validate() error {
	if t.Name == "" || strings.ContainsAny(t.Name, `/\`) {
		return fmt.Errorf("flow: %q is no name of a target", t.Name)
	}
	if devices[t.Device] == "" {
		return fmt.Errorf("flow: %s is no ECP5", t.Device)
	}
	if len(t.Clocks) == 0 {
		return errors.New("flow: a target without clocks")
	}
	for _, c := range t.Clocks {
		if c.Hz <= 0 || c.Margin < 1 {
			return fmt.Errorf("flow: clock %s at %d Hz with margin %g", c.Name, c.Hz, c.Margin)
		}
	}
	return nil
}
