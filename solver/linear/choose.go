package linear

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
)

// Choose returns the solver that should prove the relative gap first, and why.
// The rules were measured on a9a, w8a, ijcnn1, covtype and imdb with lambda =
// 1/n and 1/(100n), gaps 1e-3 and 1e-6; they look at counts, never at a clock.
//
// Newton's matrix costs the squares of the rows' lengths and the cube of the
// columns: worth it while that is at most thirty passes over the data. It then
// wins wherever the loss is curved. Where the loss has corners it wins for a small
// gap or a small lambda (of its ten to thirty epochs few see all rows; dual ascent
// needs ten thousand on a9a at 1/(100n)), and else where the classes are of like
// size: of a rare class few rows matter, and dual ascent lets the others sleep.
// Hinge, lambda = 1/n, two cores, dual ascent against Newton's steps to 1e-3: w8a (3 %
// of a class) 25 ms against 35, a9a (24 %) 57 against 14, covtype (49 %) 115 against
// 21; ijcnn1 (10 %) 20 against 13, and to 1e-2 17 against 13. With 4 % of a class left
// a9a 28 against 15, covtype 39 against 19, but ijcnn1 28 against 80; w8a with lambda =
// 1/(2n), 1/(3n), 1/(10n) 73 against 70, 86 against 56, 112 against 56.
func Choose(p *problem.Linear, gap float64) (name, why string) {
	switch p.Penalty.(type) {
	case penalty.L1:
		return "cd", "the penalty l1 is solved by columns"
	case penalty.L2:
	default:
		return "sdca", "for this penalty"
	}
	n, d := p.Dims()
	_, cornered := p.Loss.(loss.Cornered)
	if !cornered && shortSteps(p) {
		return "newton", "curved loss, small lambda, rows many times the features"
	}
	if !fewColumns(n, d, p.Nonzeros) {
		return "sdca", fmt.Sprintf("%d features are too many for second-order steps", d)
	}
	if !cornered {
		return "newton", "curved loss, many more rows than features"
	}
	if n > mostRamps {
		return "sdca", "too many rows to keep the state of second-order steps for this loss"
	}
	if gap <= 1e-4 || p.Lambda*p.N <= 0.1 {
		return "newton", "small gap or small lambda, many more rows than features"
	}
	if rare(p) {
		return "sdca", "a loss with corners and a rare class, neither the gap nor lambda is small"
	}
	return "newton", "many more rows than features"
}

// shortSteps reports whether single dual steps are short in a problem worth it: rows
// are many times the columns, and L |x_i|^2/(lambda N) is above 3 on average, where the
// loss is curved by L at most, so that one step moves a dual variable by a quarter of the
// way at most. What takes all rows at once is then faster. rcv1's shape, to gap 1e-3 on two
// cores, conjugate gradients in Newton's method : dual ascent, in seconds, with that number
//
//	logistic       0.25 0.71:0.43, 2.5 0.95:0.76, 5 1.15:1.31, 8 0.95:1.65, 25 1.0:27
//	squared        1 1.07:0.76, 3 1.12:1.41, 10 0.98:3.4
//	squared hinge  0.8 1.14:0.41, 2 1.03:0.58, 4 0.96:1.11, 20 0.95:3.5
//
// and MNIST's 8 (784 dense columns, |x_i|^2 about 100), logistic, with 2.5 0.22:0.07, 25
// 0.29:0.56. For corners, which are smoothed then, L is taken for 1. With fewer rows dual
// ascent wins at any lambda (imdb), and with fewer than 4 million nonzeros where rows are
// dense (8000 of 300 columns, logistic: 34 to 69 ms against 10 to 30). Curved losses on
// few sparse rows are Newton's, with 3 and 20, in ms:
//
//	n, d, nonzeros     logistic         squared hinge  squared
//	2000, 200, 17k     0.8:3.9 1.3:19   1.3:3.1        0.6:2.4
//	16000, 600, 149k   4.9:28  7.7:132  5.7:22         2.8:20
//	30000, 3000, 846k  26:56   41:225   24:34          26:49
//	60000, 2000, 2.2M  47:87   76:395   51:92          71:94
func shortSteps(p *problem.Linear) bool {
	n, d := p.Dims()
	curved := p.Loss.Smoothness()
	few, sparse := int64(1<<22), p.Nonzeros <= int64(n)*int64(d)/8
	switch {
	case math.IsInf(curved, 1):
		curved = 1
	case sparse:
		few = 1 << 14
	}
	if n < 8*d || p.Nonzeros < few {
		return false
	}
	var total vec.Sum
	for _, norm := range p.SquaredNorm {
		total.Add(norm)
	}
	return curved*total.Value() > 3*p.Lambda*p.N*float64(n)
}

// rare reports whether one of two classes has less than a sixteenth of the rows.
func rare(p *problem.Linear) bool {
	if _, margin := p.Loss.(loss.Margin); !margin {
		return false
	}
	positive := 0
	for _, y := range p.Y {
		if y > 0 {
			positive++
		}
	}
	return 16*min(positive, len(p.Y)-positive) < len(p.Y)
}

// mostRamps bounds the rows of an interior-point method, which keeps up to 110
// bytes for each, besides a copy of two fifths of the rows: 4 GB.
const mostRamps = 1 << 25

// fewColumns reports whether forming and factoring Newton's matrix costs little
// enough.
func fewColumns(n, d int, nonzeros int64) bool {
	if n < 4*d || d > 2000 {
		return false
	}
	return d <= 64 || matrixPasses(n, d, nonzeros) <= 30
}

// matrixPasses is about how many passes over the data forming and factoring
// Newton's matrix cost.
func matrixPasses(n, d int, nonzeros int64) float64 {
	size := float64(nonzeros)
	form := size * size / (2 * float64(n))
	factor := float64(d) * float64(d) * float64(d) / 6
	return (form + factor) / max(size, 1)
}
