package linear

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
)

// Choose returns the solver that should prove the relative gap first, and why. The
// rules look at counts, never at a clock; they were measured on 60 sets, real, deformed
// and generated ones, with lambda = 100/n to 1/(100n).
//
// Newton's matrix costs the squares of the rows' lengths and the cube of the columns.
// Where that is little it wins, but for losses with corners on a rare class (of whose
// rows few matter, and dual ascent lets the others sleep) unless the gap or lambda is
// small. Hinge to 1e-3, ms of dual ascent : Newton's steps, lambda = 1/n: w8a (3 % of a
// class) 25:35, ijcnn1 (10 %) 20:13, a9a (24 %) 57:14; w8a with 1/(10n) 112:56.
//
// Where it is dear, it wins once single dual steps are short: see dearSteps.
func Choose(p *problem.Linear, gap float64) (name, why string) {
	switch p.Penalty.(type) {
	case penalty.L1:
		return "cd", "the penalty l1 is solved by columns"
	case penalty.L2:
	default:
		if _, curved := p.Loss.(loss.Curved); curved && secondOrder(p) {
			return "cd", "a curved loss, many more rows than features"
		}
		return "sdca", "for this penalty"
	}
	n, d := p.Dims()
	_, cornered := p.Loss.(loss.Cornered)
	switch {
	case cornered && d > mostColumns:
		return "sdca", fmt.Sprintf("%d features are too many for second-order steps", d)
	case cornered && n > mostRamps:
		return "sdca", "too many rows to keep the state of second-order steps for this loss"
	case n >= 4*d && matrixTime(p) <= cheapTime:
		if cornered && gap > 1e-4 && p.Lambda*p.N > 0.1 && rare(p) {
			return "sdca", "a loss with corners and a rare class, neither the gap nor lambda is small"
		}
		if cornered && denseEnough(p) && longSteps(p) {
			return "sdca", "a loss with corners, large lambda: dual steps are long"
		}
		return "newton", "many more rows than features"
	case sparse(p) && suitsSmoothing(p):
		return "sdca", "hinge, small lambda: it begins with a smoothed one"
	case shortness(p) > dearSteps(p) && manyRows(p):
		return "newton", "small lambda, more rows than features"
	}
	return "sdca", "second-order steps cost more than dual ascent here"
}

// secondOrder reports whether steps with the curvatures of a curved loss win against dual
// ascent, as they do with elastic-net, too. Seconds of coordinate descent : dual ascent,
// lambda = 1/n: a table of house prices 0.2:>8, 50 columns from 1e-3 to 1e3 0.2:>8, money-fx
// 0.06:0.05, 10,000 texts of 50,000 words 0.5:0.1 of cpu; 1/(100n): a1a 0.04:0.9.
func secondOrder(p *problem.Linear) bool {
	n, d := p.Dims()
	return n >= 4*d && matrixTime(p) <= cheapTime || shortness(p) > dearSteps(p) && manyRows(p)
}

// cheapTime is how many passes over the data a matrix may cost to be worth it however
// long dual steps are. 20,000 rows of 600 cosines (19), hinge with lambda = 1/n: dual
// ascent 0.2 s, Newton's steps 0.9.
const cheapTime = 16

// dearSteps returns how short dual steps must be for Newton's method with a matrix that
// is dear. Seconds of Newton's method : dual ascent to 1e-3 on both sides of the rule,
// with the passes of matrixTime in brackets and the shortness:
//
//	curved, sparse    (conjugate gradients) rcv1's shape, logistic 2.5 0.95:0.76,
//	                  25 1.0:27; squared hinge 2 1.03:0.58, 20 0.95:3.5
//	curved, dense     MNIST's 8, 6000 rows (163), squared hinge 9 0.10:0.01, 176 0.14:0.49
//	corners, classes  of rows far from the corner few are visited: MNIST's 8 (84), hinge
//	                  88 1.4:1.3, 8800 2.3:2.8; 20,000 x 600 (19) 1 0.9:0.2, 100 0.8:2.2
//	corners, numbers  all rows matter: 30,000 x 2000 (2620), tube 1.7 1.2:0.2; 10,000 x
//	                  1500 (2370), Huber 180 0.2:3.4; 30,000 x 3000 (6100), absolute 18 4.2:1.3
func dearSteps(p *problem.Linear) float64 {
	_, cornered := p.Loss.(loss.Cornered)
	switch {
	case cornered && forClasses(p):
		return 2 * matrixTime(p)
	case cornered:
		return matrixTime(p) / 128
	case sparse(p):
		return 3
	}
	return max(3, matrixTime(p)/4)
}

// longSteps reports whether single dual steps are so long that dual ascent wins, for a
// loss with corners on dense rows, though a matrix is cheap. Newton's method : dual
// ascent in seconds of one core, by shortness over matrixTime, lambda = 100/n to 3/n:
//
//	hinge  20,000 x 100 of rank 60  0.32 0.12:0.06, 1.1 0.15:0.07, 11 0.15:0.26
//	       40,000 x 200             0.32 0.55:0.15, 1.1 0.55:0.56, 11 0.43:0.57
//	       10,000 x 454 monomials   0.32 0.60:0.25, to 1e-6 0.70:0.40
//	       25,000 x 275 of ijcnn1   0.32 0.53:0.12, 1.1 0.56:0.77; to 1e-6 0.32 0.50:0.25
//	       30,000 x 200 correlated  0.50 0.42:0.71
//	its corner rounded: 12,000 x 400  0.32 0.45:0.10, 1.1 0.42:0.25
//	tube   4000 x 350 monomials     0.31 0.22:0.08; Huber 0.31 0.10:0.03
//	       5000 x 300 of low rank   0.31 0.17:0.08, 1.0 0.13:0.15, 3.1 0.15:0.46
//	       20,000 x 200 correlated  0.52 0.26:0.44
//
// and where a matrix costs nearly nothing it depends on the set: hinge, 100,000 x 50
// (1.6) 0.18 0.17:0.52, 100,000 x 30 (0.9) 0.32 0.24:0.14. Curved losses take few of
// Newton's steps: logistic, 40,000 x 200, 0.13 0.12:0.14.
func longSteps(p *problem.Linear) bool {
	passes := matrixTime(p)
	return passes > 2 && shortness(p) < 0.4*passes
}

// shortness returns the mean of L |x_i|^2/(lambda N), where the loss is curved by L at
// most, 1 for kinks: 3 means that one step moves a dual variable by a quarter of the way
// at most.
func shortness(p *problem.Linear) float64 {
	curved := p.Loss.Smoothness()
	if math.IsInf(curved, 1) {
		curved = 1
	}
	var total vec.Sum
	for _, norm := range p.SquaredNorm {
		total.Add(norm)
	}
	return curved * total.Value() / (p.Lambda * p.N * float64(len(p.Y)))
}

// manyRows reports whether rows are so many that they get into each other's way: more
// than the columns, or four times as many if they are of classes, which fewer rows let
// one tell apart by chance. With fewer dual ascent wins at any lambda (imdb; 500 x 1000
// numbers 0.02 s against 0.1, 1500 x 1000 >3 against 0.3). Columns that hardly count are left
// out: those that few rows use, for curved losses, and of dense rows those of small numbers.
func manyRows(p *problem.Linear) bool {
	n, d := p.Dims()
	_, cornered := p.Loss.(loss.Cornered)
	switch {
	case n >= 4*d || n >= d && !forClasses(p):
		return true
	case sparse(p):
		return !cornered && 2*n >= d && n >= 3*commonColumns(p)
	}
	return float64(n) >= 4*evenColumns(p)
}

// evenColumns returns how many columns of one size would be as uneven as those there are,
// (sum_j c_j)^2 / sum_j c_j^2 of their squares c_j over some rows. Seconds of dual ascent :
// Newton's method, lambda = 1/n: columns from 1e-2 to 1e2 2000 x 600, 53 even ones, squared
// hinge >3:0.7, hinge >3:1.8, 300 x 500 numbers >6:0.02; all even 500 x 2000 0.13:>0.5.
func evenColumns(p *problem.Linear) float64 {
	n, d := p.Dims()
	square, total, squares := make([]float64, d), 0.0, 0.0
	for i := 0; i < n; i += n/512 + 1 {
		row := p.X.Row(i)
		for k, v := range row.Value {
			square[row.Column(k)] += float64(float64(v) * float64(v))
		}
	}
	for _, c := range square {
		total += c
		squares += float64(c * c)
	}
	if squares == 0 {
		return float64(d)
	}
	return total / squares * total
}

// commonColumns returns how many columns every fourth row uses, about those that more than
// a few rows do: of fields with ever rarer values most columns are of a row or two. Seconds
// of dual ascent : Newton's method, logistic and squared hinge, lambda = 1/(100n):
//
//	20,000 x 7243, 15 fields  5.1 rows a common column  1.5:0.06, 13:0.21
//	10,000 of them            3.5                       >5:0.8, >5:3.2
//	30,000 x 60,346           3.0                       >5:4.5, >5:>5
//	5000 x 7243               2.5                       0.8:0.7, 2.8:4.1
//	texts, 30,000 x 8000      3.8                       2.4:0.6, >5:1.2
//	7770 x 8315               1.3                       0.23:0.75, 1.1:1.6
func commonColumns(p *problem.Linear) (count int) {
	n, d := p.Dims()
	used := make([]bool, d)
	for i := 0; i < n; i += 4 {
		row := p.X.Row(i)
		if row.Index == nil {
			return d
		}
		for _, j := range row.Index {
			if !used[j] {
				used[j] = true
				count++
			}
		}
	}
	return count
}

// forClasses reports whether targets are classes, not numbers.
func forClasses(p *problem.Linear) bool {
	_, margin := p.Loss.(loss.Margin)
	return margin
}

// sparse reports whether rows use an eighth of the columns at most.
func sparse(p *problem.Linear) bool {
	n, d := p.Dims()
	return p.Nonzeros <= int64(n)*int64(d)/8
}

// rare reports whether one of two classes has less than a sixteenth of the rows, by
// weight: covtype's class 4 (0.5 %) with weights that balance it takes dual ascent
// 0.87 s, Newton's steps 0.04.
func rare(p *problem.Linear) bool {
	if !forClasses(p) {
		return false
	}
	positive := 0.0
	for i, y := range p.Y {
		if y > 0 {
			positive += p.S[i]
		}
	}
	return 16*min(positive, p.N-positive) < p.N
}

// mostRamps bounds the rows of an interior-point method, which keeps up to 110
// bytes for each, besides a copy of two fifths of the rows: 4 GB.
const mostRamps = 1 << 25

// matrixTime is matrixPasses where the products of dense rows, which are products of
// matrices, take a sixteenth of the time of others.
func matrixTime(p *problem.Linear) float64 {
	n, d := p.Dims()
	passes := matrixPasses(n, d, p.Nonzeros)
	if denseEnough(p) {
		passes /= 16
	}
	return passes
}

// matrixPasses is about how many passes over the data forming and factoring
// Newton's matrix cost, number by number.
func matrixPasses(n, d int, nonzeros int64) float64 {
	size := float64(nonzeros)
	form := size * size / (2 * float64(n))
	factor := float64(d) * float64(d) * float64(d) / 6
	return (form + factor) / max(size, 1)
}
