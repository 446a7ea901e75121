package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"
)

// apt installs Debian packages. The lists of a fresh machine are empty and those of an old one stale, so a failure is
// answered by fetching them, once.
func (s *setup) apt(ctx context.Context, packages []string) error {
	if len(packages) == 0 {
		return nil
	}
	prefix, ok := asRoot()
	if _, err := exec.LookPath("apt-get"); err != nil || !ok {
		return fmt.Errorf("missing: %s; install them as root (Debian's names):\n  apt-get update && apt-get install %[1]s",
			strings.Join(packages, " "))
	}
	fmt.Fprintf(s.out, "%-13s installing %s\n", "packages", strings.Join(packages, " "))
	start := time.Now()
	install := slices.Concat(prefix, aptGet, []string{"install", "--no-install-recommends"}, packages)
	if _, err := quietly(ctx, install); err != nil {
		// A third-party source that does not answer makes update fail; the packages may be had all the same.
		lists, listsErr := quietly(ctx, slices.Concat(prefix, aptGet, []string{"update"}))
		if out, err := quietly(ctx, install); err != nil {
			if listsErr != nil {
				out = slices.Concat(lists, out)
			}
			return fmt.Errorf("%s: %w\n%s", strings.Join(install, " "), err, out)
		}
	}
	fmt.Fprintf(s.out, "%-13s installed in %.1f s\n", "packages", time.Since(start).Seconds())
	return nil
}

// aptGet asks nothing (sudo would drop the variable, were it only in the environment), and waits for an update that a
// machine does by itself, as many do when they have just started.
var aptGet = []string{"/usr/bin/env", "DEBIAN_FRONTEND=noninteractive", "apt-get",
	"--yes", "--quiet", "--option", "DPkg::Lock::Timeout=300"}

// asRoot returns what to put in front of a command to run it as root.
func asRoot() (prefix []string, ok bool) {
	if os.Geteuid() == 0 {
		return nil, true
	}
	sudo, err := exec.LookPath("sudo")
	if err != nil {
		return nil, false
	}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		return []string{sudo}, true
	}
	return []string{sudo, "-n"}, exec.Command(sudo, "-n", "true").Run() == nil
}

func quietly(ctx context.Context, argv []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin = os.Stdin // for sudo's question
	return cmd.CombinedOutput()
}
