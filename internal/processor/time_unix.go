//go:build unix

// Package processor has the clock of the work that is done: the time of the processor, which other
// programs on a busy machine do not change.
package processor

import (
	"syscall"
	"time"
)

// Time returns the time of the processor that this process has had on all cores.
func Time() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // which has no way to fail
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
