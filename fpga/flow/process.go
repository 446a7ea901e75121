package flow

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gornic/tools/toolset"
)

// run runs a tool in a folder. It keeps all that the tool says in the file log of that folder, and hands it on line by
// line. With ctx the tool ends, and whatever it started.
func run(ctx context.Context, tool toolset.Tool, dir, log string, line func(string), args ...string) error {
	file, err := os.Create(filepath.Join(dir, log))
	if err != nil {
		return err
	}
	defer file.Close()
	cmd := tool.Command(ctx, args...)
	cmd.Dir = dir
	endWithChildren(cmd)
	read, write := io.Pipe()
	cmd.Stdout, cmd.Stderr = write, write
	tail := make(chan []string)
	go func() { tail <- follow(io.TeeReader(read, file), line) }()
	err = cmd.Run()
	write.Close()
	last := <-tail
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", tool.Name, ctx.Err())
	case err != nil:
		return fmt.Errorf("%s: %w (%s has its log)\n%s", tool.Name, err, file.Name(), strings.Join(last, "\n"))
	}
	return nil
}

// follow hands lines on and returns those that say what went wrong, or else the last.
func follow(r io.Reader, line func(string)) []string {
	const keep = 8
	var last, wrong []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		text := lines.Text()
		line(text)
		if strings.HasPrefix(text, "ERROR") {
			wrong = append(wrong, text)
		}
		if strings.TrimSpace(text) != "" {
			last = append(last[max(0, len(last)+1-keep):], text)
		}
	}
	_, _ = io.Copy(io.Discard, r) // what is no text must not block the tool
	if len(wrong) > 0 {
		return wrong[:min(keep, len(wrong))]
	}
	return last
}

// endWithChildren makes a cancelled command take along what it started: Yosys has ABC work for it.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
}
