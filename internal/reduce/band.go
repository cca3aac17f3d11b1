package reduce

import (
	"math"
	"math/rand/v2"
)

// Band is where the predictions of an output, with bias, are to stay: of row i between Lo and
// Hi, both infinite where they do not matter.
type Band struct{ Lo, Hi []float64 }

func newBand(n int) Band {
	b := Band{make([]float64, n), make([]float64, n)}
	for i := range n {
		b.Lo[i], b.Hi[i] = math.Inf(-1), math.Inf(1)
	}
	return b
}

// Active returns how many rows have a bound.
func (b Band) Active() int {
	count := 0
	for i, lo := range b.Lo {
		if lo > math.Inf(-1) || b.Hi[i] < math.Inf(1) {
			count++
		}
	}
	return count
}

// off returns how far a prediction of row i is outside, at most 0 inside, and the sign of the
// step that brings it back.
func (b Band) off(i int, prediction float64) (by, sign float64) {
	below, above := b.Lo[i]-prediction, prediction-b.Hi[i]
	if above > below {
		return above, -1
	}
	return below, 1
}

// Loss returns f: how far the farthest prediction is outside; -Inf without bounds.
func (b Band) Loss(prediction []float64) float64 {
	worst := math.Inf(-1)
	for i, p := range prediction[:len(b.Lo)] {
		by, _ := b.off(i, p)
		worst = max(worst, by)
	}
	return worst
}

// Classes returns the band of targets -1 and +1 and the predictions of a machine: rows that
// it has right keep the margin that they have, up to 1; those that it has wrong are free
// (thesis 3.1; with a bias 3.6, of which E13 and E14 correct the set of rows). Rows with the
// target 0 are not of this output. unit is the margin that the machine was trained for: 1, but
// for those with nu.
func Classes(y, prediction []float64, unit float64) Band {
	b := newBand(len(y))
	for i, side := range y {
		switch margin := side * prediction[i]; {
		case !(margin > 0):
		case side > 0:
			b.Lo[i] = min(unit, margin)
		default:
			b.Hi[i] = -min(unit, margin)
		}
	}
	return b
}

// Numbers returns the band of targets that are numbers: no error grows, unless it is at most
// tube. A prediction within E of it has
//
//	max(0, |y - v| - tube - E) <= max(0, |y - w| - tube)
func Numbers(y, prediction []float64, tube float64) Band {
	b := newBand(len(y))
	for i, target := range y {
		r := max(tube, math.Abs(target-prediction[i]))
		b.Lo[i], b.Hi[i] = target-r, target+r
	}
	return b
}

// OneClass returns the band of predictions of which those above 0 are of the class, and
// unit below 0 nothing is known of a row: rows keep what they have, up to 0, in a machine
// without bias that is 1 at the boundary. It is that of Classes in the unit of the offset.
func OneClass(prediction []float64, unit float64) Band {
	b := newBand(len(prediction))
	for i, p := range prediction {
		if p > -unit {
			b.Lo[i] = min(0, p)
		}
	}
	return b
}

// Slant is the slant loss of a margin, the hinge that begins E later and ends at 1:
//
//	min(1, max(0, 1 - E - z))
//
// With E = 1/2 it is the share of errors at that margin where a number that is uniform in
// [-1/2, 1/2] is added to each prediction. A machine within E of the band of Classes has, in
// the mean of all rows, at most the slant loss that the trained one has of the hinge.
func Slant(margin, accuracy float64) float64 { return min(1, max(0, 1-accuracy-margin)) }

// Mean returns the mean of a loss of margins, weighted where there are weights, over the rows
// with a target that is not 0.
func Mean(loss func(margin float64) float64, y, prediction, weight []float64) float64 {
	total, sum := 0.0, 0.0
	for i, side := range y {
		if side == 0 {
			continue
		}
		s := 1.0
		if weight != nil {
			s = weight[i]
		}
		total, sum = total+s, sum+float64(s*loss(side*prediction[i]))
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// SmoothSlant is the loss of figure 3.3, 4-smooth, with
//
//	Slant(z, 1/2) <= SmoothSlant(z) <= Slant(z-1/6, 1/2),  SmoothSlant(z-1/3) <= max(0, 1-z)
func SmoothSlant(z float64) float64 {
	switch {
	case z < -0.5:
		return 1
	case z > 2./3:
		return 0
	}
	return 0.5 * (1 + math.Cos(6*math.Pi*(z+0.5)/7))
}

// Randomise returns the score by which the classifier of the guarantee decides (thesis 3.2): a
// number uniform in [-margin/2, margin/2] is added, a new one for each prediction. Its expected
// share of errors is the mean Slant of the margins with accuracy 1/2, in units of margin.
// Predictions without it make fewer errors as a rule, but nothing is proved of them.
func Randomise(score, margin float64, random *rand.Rand) float64 {
	return score + float64(margin*(random.Float64()-0.5))
}
