package flow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A store is a folder with what steps made, each in a folder of its own.
type store struct{ dir string }

// kept is how many results of a step stay: a netlist takes a hundred megabytes.
const kept = 6

// tookFile holds how long a step took, in seconds. It is written last.
const tookFile = "took"

// do returns the folder that a step makes of its inputs. Two processes that want the same one make it once. What a step
// leaves behind where it fails is kept in a folder with the tail .part, to be looked at.
func (s store) do(ctx context.Context, step string, inputs []byte, make func(dir string) error) (string, error) {
	sum := sha256.Sum256(inputs)
	dir := filepath.Join(s.dir, step+"-"+hex.EncodeToString(sum[:])[:20])
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(ctx, dir+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(filepath.Join(dir, tookFile)); err == nil {
		now := time.Now()
		_ = os.Chtimes(dir, now, now) // for prune; it only forgets sooner without
		return dir, nil
	}
	part := dir + ".part"
	if err := errors.Join(os.RemoveAll(part), os.MkdirAll(part, 0o755)); err != nil {
		return "", err
	}
	start := time.Now()
	if err := make(part); err != nil {
		return "", err
	}
	took := strconv.FormatFloat(time.Since(start).Seconds(), 'f', 1, 64)
	if err := os.WriteFile(filepath.Join(part, tookFile), []byte(took+"\n"), 0o644); err != nil {
		return "", err
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(part, dir)); err != nil {
		return "", err
	}
	return dir, s.prune(step, dir)
}

// took is how long making a folder took.
func took(dir string) time.Duration {
	text, err := os.ReadFile(filepath.Join(dir, tookFile))
	if err != nil {
		return 0
	}
	seconds, _ := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	return time.Duration(seconds * float64(time.Second))
}

// lately is how long the step took when it was last done; zero where it never was.
func (s store) lately(step string) time.Duration {
	dirs, err := s.newestFirst(step)
	if err != nil || len(dirs) == 0 {
		return 0
	}
	return took(dirs[0])
}

// prune removes the results of a step but the newest, and the one that was just made.
func (s store) prune(step, made string) error {
	dirs, err := s.newestFirst(step)
	if err != nil {
		return err
	}
	for _, dir := range dirs[min(kept, len(dirs)):] {
		if dir != made {
			err = errors.Join(err, os.RemoveAll(dir), os.Remove(dir+".lock"))
		}
	}
	return err
}

func (s store) newestFirst(step string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(s.dir, step+"-*", tookFile))
	if err != nil {
		return nil, err
	}
	at := map[string]time.Time{}
	var dirs []string
	for _, file := range found {
		dir := filepath.Dir(file)
		info, err := os.Stat(dir)
		if err != nil || strings.HasSuffix(dir, ".part") {
			continue
		}
		at[dir] = info.ModTime()
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, func(a, b string) int { return at[b].Compare(at[a]) })
	return dirs, nil
}

// lock makes other processes that want the same folder wait, until ctx ends.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { file.Close() }, nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, ctx.Err()), file.Close())
		case <-time.After(lockPoll):
		}
	}
}

// lockPoll is how often a process looks whether another one is done.
const lockPoll = 100 * time.Millisecond

// publish puts a copy of a file in place, whole or not at all.
func publish(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeWhole(to, text)
}

// writeWhole writes a file beside its place and moves it there.
func writeWhole(path string, text []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".part-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already if it moved
	_, err = f.Write(text)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
