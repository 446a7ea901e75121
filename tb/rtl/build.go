package rtl

import (
	"fmt"
	"sync"

	"gornic/blocks"
	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
)

// Build elaborates the core of a configuration, for any number of NICs.
func Build(c configs.Config) (*hdl.Design, *core.IO, error) {
	design, io, err := hdl.Build(core.Def(blocks.Core(c)))
	if err != nil {
		return nil, nil, fmt.Errorf("rtl: core in configuration %s: %w", c.Name, err)
	}
	return design, io, nil
}

// Cores elaborates cores, each configuration once, for everybody who asks, from any
// goroutine: nobody changes what they get. It keeps them. A nil *Cores does so every time, and
// keeps none.
type Cores struct {
	mu    sync.Mutex
	built map[configs.Config]func() (elaborated, error)
}

type elaborated struct {
	design *hdl.Design
	io     *core.IO
}

// Build is [Build], once for each configuration.
func (c *Cores) Build(config configs.Config) (*hdl.Design, *core.IO, error) {
	if c == nil {
		return Build(config)
	}
	e, err := c.once(config)()
	return e.design, e.io, err
}

// once is the function that elaborates a core when it is first called.
func (c *Cores) once(config configs.Config) func() (elaborated, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	once, ok := c.built[config]
	if !ok {
		once = sync.OnceValues(func() (e elaborated, err error) {
			e.design, e.io, err = Build(config)
			return e, err
		})
		if c.built == nil {
			c.built = map[configs.Config]func() (elaborated, error){}
		}
		c.built[config] = once
	}
	return once
}
