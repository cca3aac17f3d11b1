//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package dataset

func largePages([]byte) {}
