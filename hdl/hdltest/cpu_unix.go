//go:build unix

package hdltest

import (
	"syscall"
	"time"
)

// cpuTime is what this process and its ended children have used.
func cpuTime() time.Duration {
	total := time.Duration(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return total
}
