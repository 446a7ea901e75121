package main

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// endWithChildren makes a cancelled command take along what it started: `go run` and `go test` are parents of the
// program that hangs.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
}

func (env environment) fsys() fs.FS { return os.DirFS(env.root) }
