//go:build purego || (!amd64 && !arm64)

package cpu

// Levels returns plain Go.
func Levels() []Level { return []Level{Portable} }

// Use does nothing.
func Use(Level) {}

// Chosen returns plain Go.
func Chosen() Level { return Portable }
