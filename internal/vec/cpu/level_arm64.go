//go:build !purego

package cpu

// HasNEON is true but in tests: every arm64 processor has NEON.
var HasNEON bool

// Levels returns what there is, the best last.
func Levels() []Level { return []Level{Portable, NEON} }

// Use chooses a level: tests go through all.
func Use(l Level) { HasNEON = l == NEON }

// Chosen returns the level in use.
func Chosen() Level {
	if HasNEON {
		return NEON
	}
	return Portable
}
