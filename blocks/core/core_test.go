package core_test

import (
	"testing"

	"gornic/blocks"
	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl/hdltest"
)

// The core elaborates in every configuration without a finding.
func TestBuilds(t *testing.T) {
	for _, name := range configs.Names() {
		t.Run(name, func(t *testing.T) {
			c, err := configs.Named(name)
			if err != nil {
				t.Fatal(err)
			}
			hdltest.Build(t, core.Def(blocks.Core(c)))
		})
	}
}

// So it does without each feature, and without all of them.
func TestBuildsWithout(t *testing.T) {
	tiny, err := configs.Named("tiny")
	if err != nil {
		t.Fatal(err)
	}
	least := tiny
	for name, leave := range map[string]func(*configs.Config){
		"congestion":   func(c *configs.Config) { c.Congestion = 0 },
		"atomics":      func(c *configs.Config) { c.Atomics = 0 },
		"key_requests": func(c *configs.Config) { c.KeyRequests = 0 },
	} {
		without := tiny
		leave(&without)
		leave(&least)
		t.Run(name, func(t *testing.T) { hdltest.Build(t, core.Def(blocks.Core(without))) })
	}
	hdltest.Build(t, core.Def(blocks.Core(least)))
}
