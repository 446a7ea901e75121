package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"text/template"
	"time"

	"gornic/tools/toolset"
)

//go:embed slurm.conf.tmpl
var confText string

// cluster is Slurm on this machine alone: munge, a controller and one node, on the loopback and in a folder of their own. Nothing of
// it is left when it is closed.
type cluster struct {
	slurm   toolset.SlurmTools
	dir     string
	daemons []*daemon
}

// daemon is a process that runs until it is told to end.
type daemon struct {
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed when it has ended
}

// patience is how long a daemon may take to come up, or to end.
const patience = 60 * time.Second

// start brings a cluster up in an empty folder.
func start(ctx context.Context, slurm toolset.SlurmTools, dir string) (c *cluster, err error) {
	c = &cluster{slurm: slurm, dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if err := c.configure(ctx); err != nil {
		return c, err
	}
	if err := c.startMunge(ctx); err != nil {
		return c, err
	}
	for _, name := range []string{"slurmctld", "slurmd"} {
		args := []string{"-D", "-f", c.conf()}
		if name == "slurmd" {
			args = append(args, "-N", "n1", "-d", slurm.Path("slurmstepd"))
		}
		if err := c.daemon(name, args...); err != nil {
			return c, err
		}
	}
	return c, c.until(ctx, "the node is idle", func() (bool, error) {
		out, err := c.client(ctx, "sinfo", "--noheader", "--format=%T").Output()
		return err == nil && strings.TrimSpace(string(out)) == "idle", nil
	})
}

func (c *cluster) conf() string { return filepath.Join(c.dir, "slurm.conf") }

// configure writes slurm.conf.
func (c *cluster) configure(ctx context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	me, err := user.Current()
	if err != nil {
		return err
	}
	ports, err := freePorts(2)
	if err != nil {
		return err
	}
	for _, name := range []string{"state", "spool", "munge"} {
		if err := os.Mkdir(filepath.Join(c.dir, name), 0o711); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	t, err := template.New("slurm.conf").Parse(confText)
	if err != nil {
		return err
	}
	if err := t.Execute(&text, map[string]any{
		"Host": host, "User": me.Username, "Dir": c.dir, "Plugins": c.slurm.Plugins, "ControlPort": ports[0], "NodePort": ports[1], "CPUs": runtime.NumCPU(),
	}); err != nil {
		return err
	}
	if err := c.withoutControlGroups(ctx); err != nil {
		return err
	}
	return os.WriteFile(c.conf(), text.Bytes(), 0o644)
}

// withoutControlGroups tells Slurm from version 23.02 on that there are no control groups: it looks for them even where nothing that
// is configured uses them. Versions before do not know the word.
func (c *cluster) withoutControlGroups(ctx context.Context) error {
	out, err := c.client(ctx, "slurmd", "-V").Output()
	if err != nil {
		return fmt.Errorf("slurmd -V: %w", err)
	}
	if !disablesControlGroups(string(out)) {
		return nil
	}
	return os.WriteFile(filepath.Join(c.dir, "cgroup.conf"), []byte("CgroupPlugin=disabled\n"), 0o644)
}

// disablesControlGroups tells that what calls itself so, as "slurm-wlm 22.05.8", has that.
func disablesControlGroups(version string) bool {
	_, number, _ := strings.Cut(strings.TrimSpace(version), " ")
	var major, minor int
	if n, _ := fmt.Sscanf(number, "%d.%d", &major, &minor); n < 2 {
		return false
	}
	return major > 23 || major == 23 && minor >= 2
}

// freePorts are ports of the loopback that nobody has.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// startMunge starts the daemon that signs who sends a message, with a key of its own.
func (c *cluster) startMunge(ctx context.Context) error {
	dir := filepath.Join(c.dir, "munge")
	key := make([]byte, 1024)
	random, err := os.Open("/dev/urandom")
	if err != nil {
		return err
	}
	defer random.Close()
	if _, err := random.Read(key); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "key"), key, 0o600); err != nil {
		return err
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	err = c.daemon("munged", "--foreground", "--force", "--key-file="+file("key"), "--socket="+file("socket"),
		"--pid-file="+file("pid"), "--seed-file="+file("seed"), "--log-file="+file("log"))
	if err != nil {
		return err
	}
	return c.until(ctx, "munge answers", func() (bool, error) {
		_, err := os.Stat(file("socket"))
		return err == nil, nil
	})
}

// daemon starts a daemon.
func (c *cluster) daemon(name string, args ...string) error {
	d := &daemon{name: name, log: filepath.Join(c.dir, name+".out"), done: make(chan struct{})}
	out, err := os.Create(d.log)
	if err != nil {
		return err
	}
	defer out.Close()
	d.cmd = exec.Command(c.slurm.Path(name), args...)
	d.cmd.Env, d.cmd.Stdout, d.cmd.Stderr = c.env(), out, out
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := d.cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		_ = d.cmd.Wait() // how it ended is in its log
		close(d.done)
	}()
	c.daemons = append(c.daemons, d)
	return nil
}

// env is the environment of daemons and of clients.
func (c *cluster) env() []string {
	return append(os.Environ(), "SLURM_CONF="+c.conf(), "LD_LIBRARY_PATH="+c.slurm.Libraries())
}

// client prepares a run of sbatch, squeue and their like.
func (c *cluster) client(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.slurm.Path(name), args...)
	cmd.Env = c.env()
	cmd.WaitDelay = time.Second
	return cmd
}

// until waits for something to be so. A daemon that ends meanwhile is an error with the end of its log.
func (c *cluster) until(ctx context.Context, what string, so func() (bool, error)) error {
	deadline := time.Now().Add(patience)
	for {
		yes, err := so()
		if err != nil || yes {
			return err
		}
		for _, d := range c.daemons {
			if d.ended() {
				return fmt.Errorf("%s has ended while we waited until %s:\n%s", d.name, what, d.lastWords())
			}
		}
		if time.Now().After(deadline) {
			return &lateError{fmt.Sprintf("waited %v in vain until %s:\n%s", patience, what, c.lastWords())}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// lateError is that something has not come in time.
type lateError struct{ text string }

func (e *lateError) Error() string { return e.text }

func (d *daemon) ended() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

// lastWords is the end of a daemon's log.
func (d *daemon) lastWords() string {
	text, err := os.ReadFile(d.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}

func (c *cluster) lastWords() string {
	var all []string
	for _, d := range c.daemons {
		all = append(all, d.name+":", d.lastWords())
	}
	return strings.Join(all, "\n")
}

// close ends the daemons, the last first, and waits until they are gone.
func (c *cluster) close() error {
	var errs []error
	for i := len(c.daemons) - 1; i >= 0; i-- {
		d := c.daemons[i]
		_ = d.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-d.done:
		case <-time.After(patience / 4):
			_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL)
			<-d.done
			errs = append(errs, fmt.Errorf("%s had to be killed", d.name))
		}
	}
	c.daemons = nil
	return errors.Join(errs...)
}
