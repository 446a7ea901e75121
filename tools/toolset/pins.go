package toolset

// Names of the commands that gornic runs.
const (
	Verilator = "verilator"
	Yosys     = "yosys"
	Smtbmc    = "yosys-smtbmc"
	ABC       = "yosys-abc"
	Icarus    = "iverilog"
	Vvp       = "vvp"
	Z3        = "z3"
	CXX       = "g++"
	Nextpnr   = "nextpnr-ecp5"
	Ecppack   = "ecppack"
	Tshark    = "tshark"
	Loader    = "openFPGALoader"
)

// A Pin is a tool that is fetched at one exact version, so that areas, proofs and simulation speeds can be repeated on
// another machine.
type Pin struct {
	Name     string   // also the name of its file of requirements in tools/setup
	Version  string   // as the tool's own makers write it
	Commands []string // what its bin folder offers
	// Slow tells that the pinned one is WebAssembly, and takes some times as long: the machine's own comes first where it is
	// new enough.
	Slow bool
}

// Dir is the folder's name in build/tools.
func (p Pin) Dir() string { return p.Name + "-" + p.Version }

// Pins returns the pinned tools.
func Pins() []Pin {
	return []Pin{
		{Name: Verilator, Version: "5.048", Commands: []string{Verilator}},
		{Name: Yosys, Version: "0.70", Commands: []string{Yosys, Smtbmc, ABC}},
		{Name: Nextpnr, Version: "0.11.1", Commands: []string{Nextpnr, Ecppack}, Slow: true},
	}
}

// PinOf returns the pin that offers a command.
func PinOf(command string) (Pin, bool) {
	for _, pin := range Pins() {
		for _, c := range pin.Commands {
			if c == command {
				return pin, true
			}
		}
	}
	return Pin{}, false
}

// oldest returns the first version of a command that will do, where the machine's own is used, or "". They are those
// of Debian 12, the oldest system that gornic is tried on; for the compiler, the first with all of C++17; for what
// proves, which tells no version of its own, that of the Yosys that it came with.
func oldest(command string) string {
	switch command {
	case Verilator:
		return "5.006"
	case Yosys:
		return "0.23"
	case Smtbmc, ABC:
		return "0.70" // what the proofs are tried with; those of 0.23 answer otherwise
	case Icarus:
		return "11.0"
	case Z3:
		return "4.8.12"
	case CXX:
		return "9"
	case Tshark:
		return "4.0"
	case Nextpnr:
		return "0.7" // that of Debian 13
	}
	return ""
}
