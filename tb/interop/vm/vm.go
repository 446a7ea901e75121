// Package vm runs a guest with soft-RoCE in QEMU, always with TCG: a control line of
// commands and JSON answers, a socket of Ethernet frames, and QMP to stop its clock.
package vm

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Program is the emulator that [Boot] runs.
const Program = "qemu-system-x86_64"

// ErrGone is the error of a guest whose QEMU has ended.
var ErrGone = errors.New("the guest is gone")

// Config says what to boot. Kernel is an unpacked ELF, Initramfs a cpio archive whose
// init runs the control program; Address is IPv4 with its prefix length.
type Config struct {
	Kernel, Initramfs string
	MAC, Address      string
	MTU               int
	Console           io.Writer // what the guest's serial port says; nil: nothing
}

// VM is a running guest. Its methods may be called from one goroutine, Frame reads
// from another.
type VM struct {
	process *exec.Cmd
	folder  string
	frames  net.Conn
	control *bufio.ReadWriter
	monitor *bufio.ReadWriter
	conns   []net.Conn
	ended   chan struct{}
	once    sync.Once
}

// Boot starts a guest and waits until its control program says hello. Whatever fails,
// no process and no folder stays.
func Boot(ctx context.Context, c Config) (v *VM, err error) {
	folder, err := os.MkdirTemp("", "interop")
	if err != nil {
		return nil, err
	}
	v = &VM{folder: folder, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			v.Close()
			v = nil
		}
	}()
	var sockets []net.Listener
	for _, name := range []string{"frames", "control", "monitor"} {
		l, err := net.Listen("unix", filepath.Join(folder, name))
		if err != nil {
			return v, err
		}
		defer l.Close()
		sockets = append(sockets, l)
	}
	v.process = exec.Command(Program, arguments(c, folder)...)
	v.process.Stdout, v.process.Stderr = c.Console, c.Console
	v.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := v.process.Start(); err != nil {
		v.process = nil
		return v, err
	}
	go func() { v.process.Wait(); close(v.ended) }()
	stop := context.AfterFunc(ctx, func() { v.process.Process.Kill() })
	defer stop()
	go func() { // a QEMU that ends before it connects must not leave Accept waiting
		<-v.ended
		for _, l := range sockets {
			l.Close()
		}
	}()
	for _, l := range sockets {
		conn, err := l.Accept()
		if err != nil {
			return v, v.gone(err)
		}
		v.conns = append(v.conns, conn)
	}
	v.frames = v.conns[0]
	v.control, v.monitor = buffered(v.conns[1]), buffered(v.conns[2])
	if _, err := v.monitor.ReadString('\n'); err != nil {
		return v, v.gone(err)
	}
	if err := v.qmp("qmp_capabilities"); err != nil {
		return v, err
	}
	if _, err := v.answer(); err != nil {
		return v, err
	}
	return v, nil
}

func buffered(c net.Conn) *bufio.ReadWriter {
	return bufio.NewReadWriter(bufio.NewReaderSize(c, 1<<20), bufio.NewWriter(c))
}

func arguments(c Config, folder string) []string {
	socket := func(name string) string { return filepath.Join(folder, name) }
	return []string{"-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-M", "pc", "-nodefaults",
		"-serial", "stdio", "-m", "384", "-display", "none", "-no-reboot",
		"-kernel", c.Kernel, "-initrd", c.Initramfs,
		"-netdev", "stream,id=n0,server=off,addr.type=unix,addr.path=" + socket("frames"),
		"-device", "virtio-net-pci,netdev=n0,romfile=,mac=" + c.MAC,
		"-chardev", "socket,id=c0,path=" + socket("control"),
		"-device", "virtio-serial-pci", "-device", "virtserialport,chardev=c0,name=rdma",
		"-chardev", "socket,id=q0,path=" + socket("monitor"), "-mon", "chardev=q0,mode=control",
		"-append", fmt.Sprintf("console=ttyS0 panic=-1 quiet nokaslr mitigations=off ip4=%s mtu=%d", c.Address, c.MTU)}
}

// Command sends a line to the guest's control program and decodes its answer; an
// answer that is not "ok" is an error with the guest's own words.
func (v *VM) Command(format string, a ...any) (map[string]any, error) {
	line := fmt.Sprintf(format, a...)
	if strings.ContainsAny(line, "\n\r") {
		return nil, fmt.Errorf("a command is one line: %q", line)
	}
	if _, err := v.control.WriteString(line + "\n"); err != nil {
		return nil, v.gone(err)
	}
	if err := v.control.Flush(); err != nil {
		return nil, v.gone(err)
	}
	r, err := v.answer()
	if err != nil {
		return r, fmt.Errorf("%s: %w", line, err)
	}
	return r, nil
}

func (v *VM) answer() (map[string]any, error) {
	line, err := v.control.ReadString('\n')
	if err != nil {
		return nil, v.gone(err)
	}
	var r map[string]any
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("answer %q: %w", line, err)
	}
	if r["ok"] != true {
		return r, fmt.Errorf("%v: %v", r["where"], r["err"])
	}
	return r, nil
}

// Stop freezes the guest's processors and clock; Continue lets them go on.
func (v *VM) Stop() error     { return v.qmp("stop") }
func (v *VM) Continue() error { return v.qmp("cont") }

func (v *VM) qmp(command string) error {
	fmt.Fprintf(v.monitor, "{\"execute\":%q}\n", command)
	if err := v.monitor.Flush(); err != nil {
		return v.gone(err)
	}
	for {
		line, err := v.monitor.ReadString('\n')
		switch {
		case err != nil:
			return v.gone(err)
		case strings.HasPrefix(line, `{"return"`):
			return nil
		case strings.HasPrefix(line, `{"error"`):
			return fmt.Errorf("%s: %s", command, strings.TrimSpace(line))
		} // else an event
	}
}

// ReadFrame waits for the guest's next Ethernet frame, without FCS.
func (v *VM) ReadFrame() ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(v.frames, length[:]); err != nil {
		return nil, v.gone(err)
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > 1<<16 {
		return nil, fmt.Errorf("frame of %d bytes", n)
	}
	frame := make([]byte, n)
	if _, err := io.ReadFull(v.frames, frame); err != nil {
		return nil, v.gone(err)
	}
	return frame, nil
}

// WriteFrame sends the guest an Ethernet frame, without FCS.
func (v *VM) WriteFrame(frame []byte) error {
	b := append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
	if _, err := v.frames.Write(b); err != nil {
		return v.gone(err)
	}
	return nil
}

// gone gives an error of a socket its cause, where that is the end of QEMU. A socket
// closes a little before its process has been waited for.
func (v *VM) gone(err error) error {
	select {
	case <-v.ended:
		return fmt.Errorf("%w (%v): %v", ErrGone, v.process.ProcessState, err)
	case <-time.After(2 * time.Second):
		return err
	}
}

// Close ends the guest and removes its sockets and folder; a second call does nothing.
func (v *VM) Close() error {
	var err error
	v.once.Do(func() {
		if v.process != nil {
			v.process.Process.Kill()
			<-v.ended
		}
		for _, c := range v.conns {
			c.Close()
		}
		err = os.RemoveAll(v.folder)
	})
	return err
}
