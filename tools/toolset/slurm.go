package toolset

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// SlurmTools are the programs of Slurm, and of munge, which it needs: the machine's own, or those of the distribution's
// packages, unpacked in build/tools/slurm, which nothing starts by itself.
type SlurmTools struct {
	Root    string // folder that the packages are unpacked in; empty: the machine's own
	Plugins string // folder of plugins
}

// SlurmCommands are the programs that have to be there.
func SlurmCommands() []string {
	return []string{"munged", "slurmctld", "slurmd", "slurmstepd", "sbatch", "squeue", "sinfo", "scancel"}
}

// SlurmDir is the folder that the packages are unpacked in.
func SlurmDir(build string) string { return filepath.Join(build, "tools", "slurm") }

// FindSlurm locates Slurm: unpacked in a build folder, else the machine's own.
func FindSlurm(build string) (SlurmTools, error) {
	var missing []string
	for _, root := range []string{SlurmDir(build), ""} {
		s := SlurmTools{Root: root}
		plugins, err := filepath.Glob(filepath.Join("/", root, "usr/lib/*/slurm*/auth_munge.so"))
		if missing = s.missing(); len(missing) == 0 && err == nil && len(plugins) > 0 {
			s.Plugins = filepath.Dir(plugins[0])
			return s, nil
		}
	}
	return SlurmTools{}, fmt.Errorf("slurm: no %s: %w", strings.Join(missing, ", "), ErrAbsent)
}

func (s SlurmTools) missing() []string {
	var all []string
	for _, name := range SlurmCommands() {
		if s.Path(name) == "" {
			all = append(all, name)
		}
	}
	return all
}

// Path is that of a command; empty if it is not there. Debian has Slurm's as NAME-wlm, for another package has commands
// of these names.
func (s SlurmTools) Path(name string) string {
	for _, n := range []string{name, name + "-wlm"} {
		for _, dir := range []string{"usr/sbin", "usr/bin"} {
			if path := filepath.Join("/", s.Root, dir, n); isExecutable(path) {
				return path
			}
		}
		if s.Root == "" {
			if path, err := exec.LookPath(n); err == nil {
				return path
			}
		}
	}
	return ""
}

// Libraries is the LD_LIBRARY_PATH of the commands.
func (s SlurmTools) Libraries() string {
	dirs := []string{s.Plugins}
	if s.Root != "" {
		dirs = append(dirs, filepath.Dir(s.Plugins))
	}
	if old := os.Getenv("LD_LIBRARY_PATH"); old != "" {
		dirs = append(dirs, old)
	}
	return strings.Join(dirs, string(os.PathListSeparator))
}
