package vm

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// boot boots the image in the folder INTEROP_IMAGE (vmlinux, initramfs.cpio).
func boot(t *testing.T) *VM {
	t.Helper()
	image := os.Getenv("INTEROP_IMAGE")
	if image == "" {
		t.Skip("INTEROP_IMAGE names no folder with a guest's image")
	}
	if _, err := exec.LookPath(Program); err != nil {
		t.Skip(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	v, err := Boot(ctx, Config{Kernel: filepath.Join(image, "vmlinux"), Initramfs: filepath.Join(image, "initramfs.cpio"),
		MAC: "52:54:00:00:00:01", Address: "192.0.2.1/24", MTU: 4200})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

func TestGuest(t *testing.T) {
	v := boot(t)
	r, err := v.Command("open")
	if err != nil || r["dev"] != "rxe0" {
		t.Fatalf("open: %v, %v", r, err)
	}
	if _, err := v.Command("nothing"); err == nil {
		t.Error("an unknown command is no error")
	}
	if err := errors.Join(v.Stop(), v.Continue()); err != nil {
		t.Error(err)
	}
	if f, err := v.ReadFrame(); err != nil || len(f) < 14 {
		t.Errorf("first frame %x, %v", f, err)
	}

	v.process.Process.Kill()
	if _, err := v.Command("time"); !errors.Is(err, ErrGone) {
		t.Errorf("command to a killed guest: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(v.folder); !os.IsNotExist(err) {
		t.Errorf("folder stays: %v", err)
	}
}

func TestNoKernel(t *testing.T) {
	if _, err := exec.LookPath(Program); err != nil {
		t.Skip(err)
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	if _, err := Boot(context.Background(), Config{Kernel: filepath.Join(temporary, "none"), MAC: "52:54:00:00:00:01"}); !errors.Is(err, ErrGone) {
		t.Errorf("boot of nothing: %v", err)
	}
	if left, _ := os.ReadDir(temporary); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
