//go:build unix

// Package processtest is for tests that judge how long something takes: by the time of the
// processor, which other programs on a busy machine do not change.
package processtest

import (
	"syscall"
	"time"
)

// Processor returns the time of the processor that this process has had on all cores.
func Processor() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // which has no way to fail
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
