package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"gornic/configs"
)

// The description names the files that are written, children before parents, and their top.
func TestFuseSoCNamesWhatIsWritten(t *testing.T) {
	config, err := configs.Load("tiny")
	require.NoError(t, err)
	o := &output{files: map[string][]byte{}, rtl: "rtl", own: true}
	require.NoError(t, o.verilog(config))

	var core struct {
		Filesets map[string]struct{ Files []string }
		Targets  map[string]struct{ Toplevel string }
	}
	text := string(o.files[coreName])
	require.True(t, strings.HasPrefix(text, "CAPI=2:\n"))
	require.NoError(t, yaml.Unmarshal([]byte(strings.TrimPrefix(text, "CAPI=2:\n")), &core))
	files := core.Filesets["rtl"].Files
	verilog := 0
	for path := range o.files {
		if filepath.Ext(path) == ".v" {
			verilog++
			require.Contains(t, files, filepath.ToSlash(path))
		}
	}
	require.Len(t, files, verilog)
	for name, target := range core.Targets {
		require.Contains(t, files, "rtl/"+target.Toplevel+".v", name)
	}
}
