// Package cpu knows which instructions the kernels of package vec and of its rooms use.
package cpu

import "os"

// A Level is a set of instructions that the kernels use, the best that the processor
// has unless the environment variable FENCHEL_VEC names another that it has as well;
// any other value of the variable is ignored. All levels compute the same bits.
type Level string

const (
	Portable Level = "portable" // plain Go
	AVX2     Level = "avx2"     // AVX2 and FMA
	AVX512   Level = "avx512"   // AVX-512 F, DQ, BW and VL
	NEON     Level = "neon"
)

// choose returns what wanted names, if that is one of the levels, and else the
// last of them.
func choose(levels []Level, wanted string) Level {
	for _, l := range levels {
		if string(l) == wanted {
			return l
		}
	}
	return levels[len(levels)-1]
}

func init() { Use(choose(Levels(), os.Getenv("FENCHEL_VEC"))) }
