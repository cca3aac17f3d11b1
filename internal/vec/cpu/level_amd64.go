//go:build !purego

package cpu

import "golang.org/x/sys/cpu"

// The branches on these always go the same way, so that the processor predicts
// them; a call through a variable would cost more and hide the slices from
// escape analysis.
// AVX-512 includes AVX2.
var HasAVX512, HasAVX2 bool

// Levels returns what the processor and the operating system support, the best
// last.
func Levels() []Level {
	l := []Level{Portable}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2 {
		l = append(l, AVX2)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL {
			l = append(l, AVX512)
		}
	}
	return l
}

// Use chooses a level: tests go through all.
func Use(l Level) { HasAVX512, HasAVX2 = l == AVX512, l == AVX2 || l == AVX512 }

// Chosen returns the level in use.
func Chosen() Level {
	switch {
	case HasAVX512:
		return AVX512
	case HasAVX2:
		return AVX2
	}
	return Portable
}
