//go:build !unix

package peer

import (
	"os"
	"os/exec"
)

// peakMemory is not known here.
func peakMemory(*os.ProcessState) int64 { return 0 }

func endWithChildren(*exec.Cmd) {}

// ProcessorTime is not known here.
func ProcessorTime() float64 { return 0 }
