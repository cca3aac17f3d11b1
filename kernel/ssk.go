package kernel

import (
	"math"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// SSK is the gap-weighted subsequence kernel of strings (Lodhi et al., Text
// Classification using String Kernels, 2002): the inner product of the features
//
//	phi_u(s) = sum over the places i_1 < ... < i_p with s_i = u of lambda^(i_p - i_1 + 1)
//
// for all strings u of p symbols. Small lambda counts substrings, lambda = 1 all
// subsequences. What is a string is said at [structure.Symbols]. With 1-based places, empty
// sums being 0 and K'_0 = 1,
//
//	K''_l(i,j) = lambda K''_l(i,j-1) + [s_i = t_j] lambda^2 K'_(l-1)(i-1,j-1)
//	K'_l(i,j)  = lambda K'_l(i-1,j) + K''_l(i,j)                     for l < p
//	K_p(s,t)   = sum of lambda^2 K'_(p-1)(i-1,j-1) where s_i = t_j
//
// K' keeps one row for each l, that of i-1 until it is overwritten, highest l
// first; K” is one number. Cost: p |s| |t| steps, p |t| numbers.
type SSK struct {
	P      int
	Lambda float64
}

var (
	_ Sized      = SSK{}
	_ structured = SSK{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "ssk", Summary: "common subsequences of p symbols, each gap costs a factor lambda; p=3, lambda=0.8; rows are strings",
		New: func(p *registry.Params) (Kernel, error) {
			return SSK{
				P:      p.Int("p", 3, 1, 1000),
				Lambda: p.Float("lambda", 0.8, "a number > 0 and <= 1", func(x float64) bool { return x > 0 && x <= 1 }),
			}, nil
		}})
}

// Structure is that of sequences.
func (SSK) Structure() structure.Kind { return structure.Sequences }

// Prepare refuses values that are no symbols.
func (SSK) Prepare(x matrix.Matrix, _ int) (matrix.Matrix, error) { return wholeNumbers("ssk", x) }

var sskLevels sync.Pool // *[]float64

// Eval returns K_p(x,y), 0 if one of the strings is shorter than p.
func (k SSK) Eval(x, y matrix.Vector) float64 {
	s, t := ordered(structure.Symbols(x), structure.Symbols(y))
	if len(t) < k.P {
		return 0
	}
	stride := len(t) + 1
	scratch, ok := sskLevels.Get().(*[]float64)
	if !ok || cap(*scratch) < k.P*stride {
		levels := make([]float64, k.P*stride)
		scratch = &levels
	}
	defer sskLevels.Put(scratch)
	levels := (*scratch)[:k.P*stride]
	fill(levels[:stride], 1)
	clear(levels[stride:])
	square, total := k.Lambda*k.Lambda, 0.0
	for _, symbol := range s {
		sum := 0.0
		for j, previous := range levels[(k.P-1)*stride:][:len(t)] {
			if t[j] == symbol {
				sum = math.FMA(square, previous, sum)
			}
		}
		total += sum
		for l := k.P - 1; l > 0; l-- {
			k.advance(levels[l*stride+1:(l+1)*stride], levels[(l-1)*stride:][:len(t)], t, symbol, square)
		}
	}
	return total
}

// advance makes K'_l(i,1..) of K'_l(i-1,1..), given K'_(l-1)(i-1,0..).
func (k SSK) advance(level, lower []float64, t []float32, symbol float32, square float64) {
	running := 0.0
	level, lower = level[:len(t)], lower[:len(t)]
	for j, other := range t {
		running *= k.Lambda
		if other == symbol {
			running = math.FMA(square, lower[j], running)
		}
		level[j] = math.FMA(k.Lambda, level[j], running)
	}
}

// Size is the square of the sum of all features: of at most binom(m,p) places
// lambda^p, or of m last places lambda for each and lambda + lambda^2 + ... for
// each gap.
func (k SSK) Size(terms int, _ float64) float64 {
	m := float64(terms)
	all, gaps := 1.0, m*k.Lambda
	for i := range k.P {
		all *= max(0, m-float64(i)) / float64(i+1) * k.Lambda
		if i > 0 {
			gaps *= k.Lambda / (1 - k.Lambda) // +Inf for lambda = 1
		}
	}
	if all == 0 {
		return 0
	}
	sum := min(all, gaps) * (1 + compounded(float64(k.P), 8*unit))
	return sum * sum
}

// Relative is that of a sum without negative terms, each of which goes through
// at most two roundings a place and three a symbol, and the additions.
func (k SSK) Relative(terms int, _, _ float64) float64 {
	return compounded(float64(5*float64(terms))+float64(3*float64(k.P))+8, unit)
}

// Error is Relative times the sizes.
func (k SSK) Error(terms int, xx, yy float64) float64 { return errorOf(k, terms, xx, yy) }
