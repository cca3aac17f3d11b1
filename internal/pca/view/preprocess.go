package view

import (
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Preprocess returns the rows of x as a kind of scaling, one of
// data.MomentScalings, makes them, and centred or not. The kind thesis centres
// always.
func Preprocess(x matrix.Matrix, scale string, center bool, threads int) (Rows, error) {
	r := Rows{X: x}
	if scale == "none" && !center {
		return r, nil
	}
	if n, _ := x.Dims(); scale == "none" && n > 0 {
		return Rows{X: x, Offset: ColumnMeans(x, threads), centred: true}, nil
	}
	moments := scaling.NewMoments(x, threads)
	if scale == "max-norm" && center {
		moments.MeasureCentred(x, threads)
	}
	s, err := moments.Scaling(scale, center)
	if err != nil {
		return r, err
	}
	if center || scale == "thesis" {
		r.Offset = s.Offset
	}
	if scale != "none" {
		r.Factor = s.Factor
	}
	return r, nil
}
