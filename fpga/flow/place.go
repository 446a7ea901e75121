package flow

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"gornic/tools/toolset"
)

// What placing and routing makes.
const (
	reportFile = "report.json"
	configFile = "design.config"
)

// A placement places and routes a netlist.
type placement struct {
	nextpnr toolset.Tool
	version string
	target  Target
	netlist string // path
	key     string // of the netlist: the name of its folder
	seed    int
}

func newPlacement(ctx context.Context, t Target, netlist string, seed int) (*placement, error) {
	nextpnr, err := toolset.Find(toolset.Nextpnr)
	if err != nil {
		return nil, err
	}
	version, err := nextpnr.Version(ctx)
	if err != nil {
		return nil, err
	}
	return &placement{nextpnr, version, t, netlist, filepath.Base(filepath.Dir(netlist)), seed}, nil
}

// args are nextpnr's but for the netlist, which lies where this machine has it.
func (p *placement) args() []string {
	args := []string{
		devices[p.target.Device], "--package", p.target.Package, "--speed", strconv.Itoa(p.target.Speed),
		"--lpf", "design.lpf", "--report", reportFile, "--seed", strconv.Itoa(p.seed),
		"--timing-allow-fail", // the report says by how much, and the build fails of itself
	}
	if p.target.OutOfContext {
		return append(args, "--out-of-context", "--lpf-allow-unconstrained")
	}
	return append(args, "--textcfg", configFile)
}

// constraints are the target's, and the frequencies of its clocks.
func (p *placement) constraints() []byte {
	var b bytes.Buffer
	b.Write(p.target.Constraints)
	b.WriteString("\n# What the clocks have to reach, margins included.\n")
	for _, c := range p.target.Clocks {
		fmt.Fprintf(&b, "FREQUENCY NET \"%s\" %.3f MHZ;\n", c.Name, c.MHz())
	}
	return b.Bytes()
}

func (p *placement) inputs() []byte {
	return fmt.Appendf(nil, "%s %s %q\n%s", p.version, p.key, p.args(), p.constraints())
}

func (p *placement) make(ctx context.Context, dir string, detail func(string)) error {
	if err := os.WriteFile(filepath.Join(dir, "design.lpf"), p.constraints(), 0o644); err != nil {
		return err
	}
	// A tool in WebAssembly has a /tmp of its own: only names relative to its folder are sure to be found.
	netlist, err := filepath.Rel(dir, p.netlist)
	if err != nil {
		return err
	}
	var at stage
	return run(ctx, p.nextpnr, dir, "nextpnr.log", func(line string) {
		if text := at.read(line); text != "" {
			detail(text)
		}
	}, append(p.args(), "--json", netlist)...)
}

// A stage is where nextpnr is, by its log.
type stage struct{ arcs int }

var (
	placing  = regexp.MustCompile(`at (?:initial placer iter|iteration #)\s*(\d+).*wirelen(?: solved)? = (\d+)`)
	arcs     = regexp.MustCompile(`Routing (\d+) arcs`)
	routing  = regexp.MustCompile(`^Info:\s+\d+ \|.*\|\s*\d+\s+\d+ \|\s*(\d+)\|`)
	annealer = "simulated annealing"
)

// read returns what a line of the log says of progress, or "".
func (s *stage) read(line string) string {
	if m := placing.FindStringSubmatch(line); m != nil {
		return fmt.Sprintf("placing, round %s, %s of wire", m[1], m[2])
	}
	if m := arcs.FindStringSubmatch(line); m != nil {
		s.arcs, _ = strconv.Atoi(m[1])
		return "routing"
	}
	if m := routing.FindStringSubmatch(line); m != nil && s.arcs > 0 {
		left, _ := strconv.Atoi(m[1])
		return fmt.Sprintf("routing, %d of %d arcs left", left, s.arcs)
	}
	switch {
	case strings.Contains(line, annealer):
		return "refining the placement"
	case strings.HasPrefix(line, "Info: Packing"):
		return "packing cells"
	}
	return ""
}
