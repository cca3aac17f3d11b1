package scaling

import (
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// MomentScalings returns the names that [Moments.Scaling] takes.
func MomentScalings() []string { return []string{"none", "std", "thesis", "norm", "max-norm"} }

// Scaling returns what brings rows with these moments to a common size, as
// (x_j - Offset_j) Factor_j:
//
//	none      nothing
//	std       each feature has variance 1
//	thesis    each feature has variance 1/d', with d' the features that are not
//	          constant, so that the mean of |x|^2 is 1 (Cotter 2013, chapter 6, who
//	          prints std times d); always centred
//	norm      the mean of |x|^2 is 1
//	max-norm  the largest |x| is 1; if centred, MeasureCentred is to be called first
//
// If centred, Offset is the mean, else 0. Where each feature has a factor of its
// own, or is centred, a constant one has the factor 0: it is 0 in all rows, and
// the inverse is its mean. Rows that are all zero stay so.
//
// Nothing is asked of the rows themselves: sparse ones need not be made dense to
// be used as scaled.
func (m *Moments) Scaling(kind string, centred bool) (*Scaling, error) {
	centred = centred || kind == "thesis"
	varying := len(m.Mean) - m.Constants()
	common, each := 1.0, false
	switch kind {
	case "none":
	case "std":
		each = true
	case "thesis":
		common, each = 1/math.Sqrt(float64(max(varying, 1))), true
	case "norm":
		common = inverse(math.Sqrt(m.size(centred)))
	case "max-norm":
		if centred && m.MaxCentred == 0 && varying > 0 {
			return nil, errors.New("scaling \"max-norm\": found no largest distance from the mean, expected MeasureCentred before")
		}
		common = inverse(m.MaxNorm)
		if centred {
			common = inverse(m.MaxCentred)
		}
	default:
		return nil, registry.Unknown("scaling", kind, MomentScalings())
	}
	offset, factor := make([]float64, len(m.Mean)), make([]float64, len(m.Mean))
	for j := range factor {
		factor[j] = common
		if centred {
			offset[j] = m.Mean[j]
		}
		switch {
		case m.Constant(j) && (each || centred):
			factor[j] = 0
		case each:
			factor[j] *= inverse(math.Sqrt(m.Squares[j] / float64(m.Rows)))
		}
	}
	return newScaling(kind, offset, factor), nil
}

// size is the mean of |x|^2, or of |x - Mean|^2.
func (m *Moments) size(centred bool) float64 {
	if !centred {
		return m.SquaredNorm()
	}
	var sum vec.Sum
	for _, s := range m.Squares {
		sum.Add(s)
	}
	return sum.Value() / float64(max(m.Rows, 1))
}

// inverse is 1/x, and 1 where that is nothing to divide by.
func inverse(x float64) float64 {
	if x > 0 {
		return 1 / x
	}
	return 1
}

// MeasureCentred finds the largest distance of a row of x from the mean, which
// takes a second pass; called for several matrices, that of all. Sparse rows
// stay sparse.
func (m *Moments) MeasureCentred(x matrix.Matrix, threads int) {
	rows, _ := x.Dims()
	var all vec.Sum // of the squares of the mean
	for _, v := range m.Mean {
		all.Add(float64(v * v))
	}
	largest := make([]float64, (rows+momentRows-1)/momentRows)
	parallel.Blocks(rows, momentRows, threads, func(block, lo, hi int) {
		for i := lo; i < hi; i++ {
			largest[block] = max(largest[block], m.distance(x.Row(i), all))
		}
	})
	for _, q := range largest {
		m.MaxCentred = max(m.MaxCentred, math.Sqrt(q))
	}
}

// distance is |x - Mean|^2, given |Mean|^2. What the stored values are not to
// add to it is taken from that sum as it was put in, so that nothing cancels.
func (m *Moments) distance(x matrix.Vector, all vec.Sum) float64 {
	if x.Index == nil {
		all = vec.Sum{}
	}
	for k, v := range x.Value {
		mean := m.Mean[x.Column(k)]
		if x.Index != nil {
			all.Add(-float64(mean * mean))
		}
		apart := float64(v) - mean
		all.Add(float64(apart * apart))
	}
	return max(all.Value(), 0)
}
