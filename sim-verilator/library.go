package verilator

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"gornic/hdl/sim"
)

// never stands for no clock, no port, no instant: kNever64 of the shim.
const never = ^uint64(0)

// A library is a loaded shared library: the functions of shim/abi.cpp. Arguments are 64-bit words, and pointers to them
// are to memory that outlives the call; what C++ keeps is pinned by the caller.
type library struct {
	handle uintptr

	create, destroy, settle, run           uintptr
	addSource, addSink, setPattern         uintptr
	push, take, peek, readCovers, readText uintptr
	countEvents, takeEvents, readActivity  uintptr
}

func load(path string) (*library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	lib := &library{handle: handle}
	for name, at := range map[string]*uintptr{
		"gornic_new": &lib.create, "gornic_delete": &lib.destroy, "gornic_settle": &lib.settle, "gornic_run": &lib.run,
		"gornic_add_source": &lib.addSource, "gornic_add_sink": &lib.addSink, "gornic_set_pattern": &lib.setPattern,
		"gornic_push": &lib.push, "gornic_take": &lib.take, "gornic_peek": &lib.peek, "gornic_covers": &lib.readCovers,
		"gornic_text": &lib.readText, "gornic_count_events": &lib.countEvents, "gornic_take_events": &lib.takeEvents,
		"gornic_activity": &lib.readActivity,
	} {
		if *at, err = purego.Dlsym(handle, name); err != nil {
			return nil, fmt.Errorf("load %s: %w", path, err)
		}
	}
	return lib, nil
}

func (l *library) close() error { return purego.Dlclose(l.handle) }

// call is the one way into C++. It costs about 110 ns. The directive makes the compiler keep the memory behind arguments
// of the form uintptr(pointer) on the heap and alive until C++ returns.
//
//go:uintptrescapes
func call(function uintptr, args ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, args...)
	return result
}

// at returns the address of a slice for a call; nil where it is nil.
func at[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// A simulation is one running copy: the handle of C++ and the memory that both sides use.
type simulation struct {
	*library
	handle uintptr
	shared []uint64 // see the constructor of Simulation in shim/simulation.h
	pins   runtime.Pinner
	pinned [][]uint64 // keeps what C++ points at
}

// newSimulation makes a copy whose clocks have the given timings.
func newSimulation(lib *library, words int, timings []sim.Timing, seed uint64, waves string) *simulation {
	s := &simulation{library: lib}
	s.shared = s.keep(words)
	var timing []uint64
	for _, t := range timings {
		timing = append(timing, t.Period, t.FirstEdge())
	}
	var path []byte
	if waves != "" {
		path = append([]byte(waves), 0)
	}
	s.handle = call(lib.create, uintptr(at(s.shared)), uintptr(at(timing)), uintptr(seed), uintptr(at(path)))
	return s
}

// keep returns memory that C++ may hold on to.
func (s *simulation) keep(words int) []uint64 {
	memory := make([]uint64, max(words, 1))
	s.pins.Pin(unsafe.SliceData(memory))
	s.pinned = append(s.pinned, memory)
	return memory
}

// free ends the copy and unloads the library.
func (s *simulation) free() error {
	call(s.destroy, s.handle)
	s.handle = 0
	s.pins.Unpin()
	return s.close()
}

// text returns what the design printed.
func (s *simulation) text() string {
	buffer := make([]byte, 1<<16)
	n := call(s.readText, s.handle, uintptr(at(buffer)), uintptr(len(buffer)))
	return string(buffer[:min(int(n), len(buffer))])
}

func patternWords(p sim.Pattern) []uint64 {
	return []uint64{uint64(p.Kind), uint64(p.Percent), uint64(p.On), uint64(p.Off), p.Seed}
}
