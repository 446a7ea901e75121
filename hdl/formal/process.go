package formal

import (
	"bytes"
	"errors"
	"math"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// run runs a command and its children until they end, or one has used up the limit; used is the processor time of all.
// Limits are of processor time, as a machine that has much else to do makes a solver slow and is to make no proof fail; they
// are of whole seconds, and 0 is none. expired says that the limit ended the run.
func run(cmd *exec.Cmd, limit time.Duration) (text string, used time.Duration, expired bool, err error) {
	endWithChildren(cmd)
	if limit > 0 {
		limitProcessorTime(cmd, limit)
	}
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState != nil {
		used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if limit > 0 && err != nil && time.Since(start) >= limit {
		expired = endedByLimit(err) || bytes.Contains(out, []byte(solverGone))
	}
	if expired {
		used = max(used, limit) // yosys-smtbmc does not count a solver that it has lost
	}
	return string(out), used, expired, err
}

// solverGone is what yosys-smtbmc says when its solver has ended.
const solverGone = "Unexpected EOF response from solver"

func endedByLimit(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGXCPU
}

// endWithChildren makes a cancelled yosys-smtbmc take its solver along.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
}

// limitProcessorTime lets a shell set the limit, which what it becomes and its children inherit: Go sets none between fork and
// exec. A limit that is soft ends with a signal of its own.
func limitProcessorTime(cmd *exec.Cmd, limit time.Duration) {
	seconds := strconv.Itoa(int(math.Ceil(limit.Seconds())))
	cmd.Args = append([]string{"sh", "-c", `ulimit -S -t "$0" && exec "$@"`, seconds, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
}
