package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"gornic/hdl/ir"
	"gornic/hdl/sim/internal/netlist"
)

// Generated returns a way to run designs as generated Go in a process of
// their own, built on the fly with the go command: some ten times as fast as
// bytecode for runs of thousands of cycles, but slow for tests that look at each
// cycle. dir keeps what was built, by hash; it must be inside a Go module that
// can import this package. Waves and coverage are not to be had.
func Generated(ctx context.Context, dir string) Open {
	return func(d *ir.Design, o Options) (Backend, error) {
		if o.Waves != "" || o.Coverage {
			return nil, errors.New("sim: generated code has no waves and no coverage: use Native")
		}
		n, err := netlist.Lower(d, netlist.Options{Events: o.Events, NoChecks: !o.HasChecks()})
		if err != nil {
			return nil, err
		}
		src, hash := generate(n)
		text, err := goFile("main", d.Top.Name, src, childImports, childMain)
		if err != nil {
			return nil, err
		}
		// The underscore hides the folder from the go command's ./... pattern.
		binary, err := buildChild(ctx, filepath.Join(dir, "_"+hash), text)
		if err != nil {
			return nil, err
		}
		e, err := startChild(binary, start{Image: newImage(n, src, o), Seed: o.Seed})
		if err != nil {
			return nil, err
		}
		return newNative("native (generated)", d, &lowered{Netlist: n}, e), nil
	}
}

const childImports = "\t\"log\"\n\t\"os\"\n"

const childMain = `func main() {
	if err := sim.Serve(os.Stdin, os.Stdout, Step, Init); err != nil {
		log.Fatal(err)
	}
}
`

// buildChild compiles a program in a directory. The go command knows whether
// what is there is up to date. Several processes may do so at once: each file
// appears whole.
func buildChild(ctx context.Context, dir string, text []byte) (string, error) {
	binary, err := filepath.Abs(filepath.Join(dir, "simulation"))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := replaceFile(filepath.Join(dir, "main.go"), text); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "main.go")
	cmd.Dir = dir
	// The binary is linked on the file system where it stays: the go command then
	// moves it into place and does not copy it.
	cmd.Env = append(os.Environ(), "GOTMPDIR="+filepath.Dir(binary))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("sim: compile generated code: %w\n%s", err, out)
	}
	return binary, nil
}

// replaceFile puts a text into a file in one step, unless it is there already.
func replaceFile(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already when all went well
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func startChild(binary string, s start) (*remote, error) {
	cmd := exec.Command(binary)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("sim: run generated code: %w", err)
	}
	end := func() error {
		in.Close()
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("sim: generated code: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
		}
		return nil
	}
	return newRemote(in, out, s, end), nil
}
