//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks a file until it is closed, or its process ends; an error says that
// another has it locked, or that the file system knows no locks.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// isRunning reports whether there is a process of that number, whoever's it is.
func isRunning(pid int) bool { return unix.Kill(pid, 0) != unix.ESRCH }
