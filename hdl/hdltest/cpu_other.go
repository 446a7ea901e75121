//go:build !unix

package hdltest

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
