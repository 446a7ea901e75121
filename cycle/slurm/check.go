package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gornic/tools/toolset"
)

// experiment is a sweep of 24 points, whose runs are long enough for one to be killed on its way.
const experiment = `nic: tiny
workload:
  direction: a_to_b
  messages: %d
  queue_pairs: [{count: 1, path_mtu: 256, ip: 4}]
  operations: {write: 1}
  sizes: 64
sweep:
  grid:
    workload.sizes: [16, 64, 256, 1024]
    host.latency: [0, 20, 40, 60, 80, 100]
`

const (
	points   = 24
	perTask  = 8
	messages = 2000 // at first; more if a task ends before it can be killed
	attempts = 4
)

// test is what the checks share.
type test struct {
	*cluster
	verbose bool
	out     io.Writer
	dir     string
	cycle   string // the command
	file    string // the experiment
	passed  int
}

// errNoStart means that Slurm is here, but its daemons do not run: in a container without control groups, for one.
var errNoStart = errors.New("Slurm does not start on this system")

// check runs all checks and returns how many passed. The error wraps errNoStart if there was no Slurm to check with.
func check(ctx context.Context, slurm toolset.SlurmTools, verbose bool, out io.Writer) (passed int, err error) {
	dir, err := os.MkdirTemp("", "gornic-slurm-*")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err == nil {
			err = os.RemoveAll(dir)
		} else {
			err = fmt.Errorf("%w\nlogs: %s", err, dir)
		}
	}()
	t := &test{verbose: verbose, out: out, dir: dir, cycle: filepath.Join(dir, "cycle")}
	if err := t.command(ctx, exec.CommandContext(ctx, "go", "build", "-o", t.cycle, "./cycle")); err != nil {
		return 0, err
	}
	if err := os.Mkdir(filepath.Join(dir, "cluster"), 0o755); err != nil {
		return 0, err
	}
	if t.cluster, err = start(ctx, slurm, filepath.Join(dir, "cluster")); err != nil {
		return 0, fmt.Errorf("%w: %w", errNoStart, err)
	}
	err = errors.Join(t.all(ctx), t.close())
	if err == nil {
		err = t.nothingLeft()
	}
	return t.passed, err
}

// ok tells of a check that passed.
func (t *test) ok(format string, args ...any) {
	t.passed++
	fmt.Fprintf(t.out, "ok   "+format+"\n", args...)
}

// command runs a command; its output is part of an error.
func (t *test) command(ctx context.Context, cmd *exec.Cmd) error {
	_, err := t.output(ctx, cmd)
	return err
}

func (t *test) output(_ context.Context, cmd *exec.Cmd) (string, error) {
	var all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &all, &all
	if t.verbose {
		fmt.Fprintln(t.out, "    ", strings.Join(cmd.Args, " "))
	}
	if err := cmd.Run(); err != nil {
		return all.String(), fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, all.String())
	}
	return all.String(), nil
}

// all are the checks. A task that ends before it can be killed was too short, on this machine, at this time.
func (t *test) all(ctx context.Context) error {
	n := messages
	for attempt := range attempts {
		name := fmt.Sprintf("try%d", attempt)
		t.file = filepath.Join(t.dir, name+".yaml")
		if err := os.WriteFile(t.file, fmt.Appendf(nil, experiment, n), 0o644); err != nil {
			return err
		}
		killed, err := t.killOne(ctx, filepath.Join(t.dir, name))
		if err != nil {
			return err
		}
		if killed {
			t.ok("a task is killed: collect tells how many points are missing, and all others are there")
			return t.resume(ctx, filepath.Join(t.dir, name))
		}
		n *= 4
	}
	return fmt.Errorf("no task of %d points of %d messages could be killed before it ended", perTask, n)
}

// killOne runs the sweep as a job array whose first task is killed when it has its first result. It returns whether the
// task was killed before its last.
func (t *test) killOne(ctx context.Context, dir string) (bool, error) {
	args := []string{"sweep", "-slurm", "-per-task", fmt.Sprint(perTask), "-o", dir, t.file}
	if err := t.command(ctx, exec.CommandContext(ctx, t.cycle, args...)); err != nil {
		return false, err
	}
	job, err := t.submit(ctx, dir)
	if err != nil {
		return false, err
	}
	if err := t.until(ctx, "a first point has its result", func() (bool, error) { return len(results(dir)) > 0, nil }); err != nil {
		return false, err
	}
	_ = t.command(ctx, t.client(ctx, "scancel", "--signal=KILL", "--full", job+"_1")) // it may just have ended
	if err := t.drained(ctx, job); err != nil {
		return false, err
	}
	missing := points - len(results(dir))
	if missing == 0 {
		return false, nil
	}
	if missing >= perTask {
		return false, fmt.Errorf("%d points are missing after one task of %d was killed that had its first\n%s", missing, perTask, taskLogs(dir))
	}
	text, err := t.output(ctx, exec.CommandContext(ctx, t.cycle, "collect", "-o", dir, t.file))
	if want := fmt.Sprintf("of %d points %d have not been run", points, missing); err == nil || !strings.Contains(text, want) {
		return false, fmt.Errorf("collect of a sweep with %d points missing: expected a failure with %q:\n%s", missing, want, text)
	}
	return true, nil
}

// resume submits the array again, and compares what comes of it with a run without Slurm.
func (t *test) resume(ctx context.Context, dir string) error {
	before := results(dir)
	job, err := t.submit(ctx, dir)
	if err != nil {
		return err
	}
	if err := t.drained(ctx, job); err != nil {
		return err
	}
	if err := t.command(ctx, exec.CommandContext(ctx, t.cycle, "collect", "-o", dir, t.file)); err != nil {
		return fmt.Errorf("%w\n%s", err, taskLogs(dir))
	}
	after := results(dir)
	if len(after) != points {
		return fmt.Errorf("%d results: expected %d", len(after), points)
	}
	t.ok("submitted again: all %d points are there", points)
	for name, at := range before {
		if !after[name].Equal(at) {
			return fmt.Errorf("%s was written again", name)
		}
	}
	t.ok("the %d points that were there were not run again", len(before))
	return t.compare(ctx, dir, after)
}

// compare compares each result with that of a run on this machine without Slurm.
func (t *test) compare(ctx context.Context, dir string, names map[string]time.Time) error {
	local := dir + "-local"
	if err := t.command(ctx, exec.CommandContext(ctx, t.cycle, "sweep", "-o", local, t.file)); err != nil {
		return err
	}
	for name := range names {
		a, err := os.ReadFile(filepath.Join(dir, "points", name))
		if err != nil {
			return err
		}
		b, err := os.ReadFile(filepath.Join(local, "points", name))
		if err != nil {
			return err
		}
		if !bytes.Equal(a, b) {
			return fmt.Errorf("%s differs from that of a local run:\n%s\n%s", name, a, b)
		}
	}
	t.ok("each result is that of a local run, byte by byte")
	return nil
}

// submit submits the batch script and returns the number of the job.
func (t *test) submit(ctx context.Context, dir string) (string, error) {
	text, err := t.output(ctx, t.client(ctx, "sbatch", "--parsable", filepath.Join(dir, "sweep.sbatch")))
	return strings.TrimSpace(text), err
}

// drained waits until no task of a job waits or runs. That may take long, so patience is with the time since the last new result.
func (t *test) drained(ctx context.Context, job string) error {
	for {
		err := t.until(ctx, "the array has ended", func() (bool, error) {
			text, err := t.client(ctx, "squeue", "--noheader", "--jobs="+job, "--states=PD,R,CF,CG,S").Output()
			return err == nil && strings.TrimSpace(string(text)) == "", nil
		})
		var late *lateError
		if !errors.As(err, &late) || !t.moved() {
			return err
		}
	}
}

// moved tells that there are results from the last minute.
func (t *test) moved() bool {
	names, err := filepath.Glob(filepath.Join(t.dir, "try*", "points", "*.json"))
	for _, name := range names {
		if info, statErr := os.Stat(name); err == nil && statErr == nil && time.Since(info.ModTime()) < patience {
			return true
		}
	}
	return false
}

// results are the result files of a folder, with the times at which they were written.
func results(dir string) map[string]time.Time {
	all := map[string]time.Time{}
	names, err := filepath.Glob(filepath.Join(dir, "points", "*.json"))
	if err != nil {
		return all // the pattern is right: Glob cannot fail
	}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			all[filepath.Base(name)] = info.ModTime()
		}
	}
	return all
}

// taskLogs is what tasks have printed.
func taskLogs(dir string) string {
	var all []string
	names, err := filepath.Glob(filepath.Join(dir, "slurm-*.log"))
	if err != nil {
		return ""
	}
	for _, name := range names {
		if text, err := os.ReadFile(name); err == nil {
			all = append(all, filepath.Base(name)+": "+string(text))
		}
	}
	return strings.Join(all, "\n")
}

// nothingLeft checks that no process is left that has the test's folder in its command line.
func (t *test) nothingLeft() error {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && bytes.Contains(text, []byte(t.dir)) {
			return fmt.Errorf("%s is left: %s", filepath.Base(filepath.Dir(file)), bytes.ReplaceAll(text, []byte{0}, []byte{' '}))
		}
	}
	t.ok("no daemon is left")
	return nil
}
