package vec

import "os"

// A level is a set of instructions that the kernels use, the best that the processor
// has unless the environment variable FENCHEL_VEC names another that it has as well;
// any other value of the variable is ignored. All levels compute the same bits.
type level string

const (
	portable level = "portable" // plain Go
	avx2     level = "avx2"     // AVX2 and FMA
	avx512   level = "avx512"   // AVX-512 F, DQ, BW and VL
	neon     level = "neon"
)

// choose returns what wanted names, if that is one of the levels, and else the
// last of them.
func choose(levels []level, wanted string) level {
	for _, l := range levels {
		if string(l) == wanted {
			return l
		}
	}
	return levels[len(levels)-1]
}

func init() { use(choose(levels(), os.Getenv("FENCHEL_VEC"))) }
