package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
)

// What partitions say of their rows without remembering anything: such a request may go to any executor at any time.

// lookups are the requests that change nothing.
var lookups = map[string]func(p looker, v *View) (*Answer, error){
	"moments": looker.momentsOf, "second": looker.secondOf, "sizes": looker.sizesOf, "power": looker.powerOf, "couple": looker.coupleOf, "columns": looker.columnsOf,
}

// A looker is what lookups see of a partition.
type looker struct {
	set     *data.Set
	threads int
	seen    **seen // rows laid out before
}

// momentsOf answers with the moments of the rows, or with their largest distance from an offset.
func (p looker) momentsOf(v *View) (*Answer, error) {
	if v.Offset == nil {
		return &Answer{Moments: scaling.NewMoments(p.set.X, p.threads)}, nil
	}
	m := &scaling.Moments{Mean: v.Offset}
	m.MeasureCentred(p.set.X, p.threads)
	return &Answer{Moments: m}, nil
}

// rows returns the rows as they are to be seen.
func (p looker) rows(v *View) view.Rows {
	return view.Rows{X: p.set.X, Offset: v.Offset, Factor: v.Factor}
}

// secondOf answers with the lower triangle of X'^T X', by rows.
func (p looker) secondOf(v *View) (*Answer, error) {
	n, d := p.set.X.Dims()
	if d > mostSecond {
		return nil, pose.DataError{Reason: fmt.Sprintf("found %d features, expected at most %d of a second moment that is formed", d, mostSecond)}
	}
	s, err := view.SecondMoment(context.Background(), p.rows(v), p.threads)
	if err != nil {
		return nil, err
	}
	packed := make([]float64, 0, d*(d+1)/2)
	for i := range d {
		packed = append(packed, s[i*d:i*d+i+1]...)
	}
	algebra.Scale(packed, float64(n))
	return &Answer{Sum: packed}, nil
}

// sizesOf answers with the sums of a [certificate.Size].
func (p looker) sizesOf(v *View) (*Answer, error) {
	s, n := certificate.SizeOf(p.rows(v), p.threads), float64(p.set.Rows())
	return &Answer{Sum: []float64{s.Total * n, s.Upper * n, s.Raw * n}}, nil
}

// mostSecond is up to how many columns a second moment is formed: 64 MB go to the coordinator from each partition.
const mostSecond = 4000

// seen is rows laid out for products, which takes as long as some of these.
type seen struct {
	as   View
	rows *view.LaidOut
}

func (p looker) laidOut(v *View) *view.LaidOut {
	before := *p.seen
	if before == nil || !slices.Equal(before.as.Offset, v.Offset) || !slices.Equal(before.as.Factor, v.Factor) {
		before = &seen{View{Offset: v.Offset, Factor: v.Factor}, view.NewLaidOut(p.rows(v), p.threads)}
		*p.seen = before
	}
	return before.rows
}

// powerOf answers with Q X'^T X'.
func (p looker) powerOf(v *View) (*Answer, error) {
	sum := make([]float64, len(v.Q))
	p.laidOut(v).Apply(sum, v.Q, v.M)
	return &Answer{Sum: sum}, nil
}

// coupleOf answers with Q X'^T X', with that times Q^T, and with the sum of |Q x|^2.
func (p looker) coupleOf(v *View) (*Answer, error) {
	n, d := p.set.X.Dims()
	y, sum := make([]float64, n*v.M), make([]float64, v.M*(d+v.M)+1)
	p.laidOut(v).Both(y, sum[:v.M*d], v.Q, v.M)
	blas.SyrkCols64(algebra.Block(sum[v.M*d:v.M*(d+v.M)], v.M, v.M), algebra.Block(y, n, v.M), p.threads)
	var squares vec.Sum
	for i := range n {
		squares.Add(vec.SquaredNorm64(y[i*v.M : (i+1)*v.M]))
	}
	sum[len(sum)-1] = squares.Value()
	return &Answer{Sum: sum}, nil
}

// columnsOf answers with sums of the columns, or of their squared distances from an offset.
func (p looker) columnsOf(v *View) (*Answer, error) {
	return &Answer{Columns: scaling.NewColumns(p.set.X, v.Offset)}, nil
}

// scaled returns the rows as a view scales them, in single precision; nil: as they are.
func (p looker) scaled(v *View) (matrix.Matrix, error) {
	if v == nil {
		return p.set.X, nil
	}
	d := p.set.Cols()
	if err := cmp.Or(vectorOf("offsets", v.Offset, d), vectorOf("factors", v.Factor, d)); err != nil {
		return nil, err
	}
	s, err := scaling.Restore("", v.Offset, v.Factor)
	if err == nil {
		err = s.Range(p.set.X, p.threads)
	}
	if err != nil {
		return nil, err
	}
	return s.Matrix(p.set.X), nil
}
