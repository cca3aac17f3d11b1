//go:build unix

package peer

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// peakMemory returns the largest resident memory of an ended process.
func peakMemory(s *os.ProcessState) int64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) // bytes
	}
	return int64(usage.Maxrss) << 10 // kilobytes
}

// endWithChildren makes the end of a context end the command's children too.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// ProcessorTime returns the seconds of processor time that this process has taken.
func ProcessorTime() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
