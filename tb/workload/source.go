package workload

import "embed"

// Source is the code of this package, for a fingerprint of what a simulation depends on.
//
//go:embed *.go
var Source embed.FS
