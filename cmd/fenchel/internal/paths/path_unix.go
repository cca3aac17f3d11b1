//go:build unix

package paths

import "golang.org/x/sys/unix"

// writable returns why no file can be made in a folder, nil if it seems that one can.
func writable(folder string) error { return unix.Access(folder, unix.W_OK) }
