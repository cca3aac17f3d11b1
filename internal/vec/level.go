package vec

import "os"

// A level is a set of instructions that the kernels use. All levels compute the
// same bits.
type level string

const (
	portable level = "portable" // plain Go
	avx2     level = "avx2"     // AVX2 and FMA
	avx512   level = "avx512"   // AVX-512 F, DQ, BW and VL
	neon     level = "neon"
)

// Level returns the name of the instructions in use: portable, avx2, avx512 or
// neon. It is the best that the processor has, unless the environment variable
// FENCHEL_VEC names another that it has as well; any other value of the variable
// is ignored. Results do not depend on it.
func Level() string { return string(chosen()) }

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
