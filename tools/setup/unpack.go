package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gornic/tools/toolset"
)

// slurmPackages bring Slurm and munge. Installed, they would start daemons; so they are unpacked, with all that they need and the
// machine lacks, into a folder of their own.
var slurmPackages = []string{"slurmctld", "slurmd", "slurm-client", "munge"}

// unpackSlurm unpacks them, unless Slurm is there.
func (s *setup) unpackSlurm(ctx context.Context) error {
	if _, err := toolset.FindSlurm(s.build); err == nil {
		return nil
	}
	for _, tool := range []string{"apt-get", "dpkg-deb"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("slurm: no %s to fetch it with", tool)
		}
	}
	dir := toolset.SlurmDir(s.build)
	if err := s.unpack(ctx, dir, slurmPackages); err != nil {
		return errors.Join(fmt.Errorf("slurm: %w", err), os.RemoveAll(dir))
	}
	_, err := toolset.FindSlurm(s.build)
	return err
}

// unpack fetches packages and unpacks them into a new folder, which is there when all of them are in it.
func (s *setup) unpack(ctx context.Context, dir string, packages []string) error {
	work, err := os.MkdirTemp(filepath.Dir(dir), ".unpack-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	files, err := s.download(ctx, work, packages)
	if err != nil {
		return err
	}
	root := filepath.Join(work, "root")
	for _, file := range files {
		if out, err := quietly(ctx, []string{"dpkg-deb", "--extract", file, root}); err != nil {
			return fmt.Errorf("%s: %w\n%s", filepath.Base(file), err, out)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(root, dir)
}

// download fetches packages and what they need. Lists that are not there, or stale, are fetched first, which takes root.
func (s *setup) download(ctx context.Context, dir string, packages []string) ([]string, error) {
	files, err := fetchPackages(ctx, dir, packages)
	if err == nil {
		return files, nil
	}
	if prefix, ok := asRoot(); ok {
		if out, updateErr := quietly(ctx, slices.Concat(prefix, aptGet, []string{"update"})); updateErr != nil {
			return nil, fmt.Errorf("%w; apt-get update: %w\n%s", err, updateErr, out)
		}
	}
	return fetchPackages(ctx, dir, packages)
}

// installs is a line of what apt-get would install.
var installs = regexp.MustCompile(`(?m)^Inst (\S+) .*?\((\S+) `)

// fetchPackages fetches packages, and those that would be installed with them.
func fetchPackages(ctx context.Context, dir string, packages []string) ([]string, error) {
	plan := append([]string{"apt-get", "--simulate", "install", "--no-install-recommends"}, packages...)
	out, err := quietly(ctx, plan)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(plan, " "), err, out)
	}
	fetch := []string{"sh", "-c", `cd "$0" && exec apt-get --quiet download "$@"`, dir}
	for _, m := range installs.FindAllStringSubmatch(string(out), -1) {
		fetch = append(fetch, m[1]+"="+m[2])
	}
	if out, err := quietly(ctx, fetch); err != nil {
		return nil, fmt.Errorf("apt-get download: %w\n%s", err, out)
	}
	return filepath.Glob(filepath.Join(dir, "*.deb"))
}
