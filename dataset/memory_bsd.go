//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package dataset

const populate = 0
