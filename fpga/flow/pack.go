package flow

import (
	"context"
	"fmt"
	"path/filepath"

	"gornic/tools/toolset"
)

// BitFile is the name of the bitstream in the folder of a build.
const BitFile = "gornic.bit"

// A packing makes a bitstream of a routed design.
type packing struct {
	ecppack toolset.Tool
	version string // of what came with it: ecppack's own banner does not tell
	config  string // path
}

func newPacking(p *placement, dir string) (*packing, error) {
	ecppack, err := toolset.Find(toolset.Ecppack)
	if err != nil {
		return nil, err
	}
	return &packing{ecppack, p.version, filepath.Join(dir, configFile)}, nil
}

func (p *packing) inputs() []byte {
	return fmt.Appendf(nil, "%s %s %s", p.ecppack.Path, p.version, filepath.Base(filepath.Dir(p.config)))
}

func (p *packing) make(ctx context.Context, dir string, detail func(string)) error {
	config, err := filepath.Rel(dir, p.config)
	if err != nil {
		return err
	}
	return run(ctx, p.ecppack, dir, "ecppack.log", detail, "--compress", config, BitFile)
}
