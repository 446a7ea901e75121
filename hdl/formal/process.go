package formal

import (
	"os/exec"
	"syscall"
	"time"
)

// endWithChildren makes a cancelled yosys-smtbmc take its solver along.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
}
