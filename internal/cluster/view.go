package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// What places say of their rows without remembering anything: such a request may go to any executor at any time.

// A View is rows as [view.Rows] has them, and M vectors to multiply them with.
type View struct {
	Offset, Factor []float64
	Q              []float64
	M              int
}

// lookups are the requests that change nothing.
var lookups = map[string]func(p *Place, v *View) (*Answer, error){
	"moments": (*Place).momentsOf, "second": (*Place).secondOf, "sizes": (*Place).sizesOf, "power": (*Place).powerOf, "couple": (*Place).coupleOf,
	"columns": (*Place).columnsOf,
}

// look answers such a request.
func (p *Place) look(q *Request) (*Answer, error) {
	_, d := p.set.X.Dims()
	if err := q.View.check(d); err != nil {
		return nil, fmt.Errorf("%s: %w", q.Verb, err)
	}
	if q.Verb != "moments" && q.Verb != "columns" && slices.ContainsFunc(p.set.Weight, func(w float64) bool { return w != 1 }) {
		return nil, pose.DataError{Reason: "found row weights, which components have no use for"}
	}
	return lookups[q.Verb](p, q.View)
}

// check says why a view is none of rows of d features.
func (v *View) check(d int) error {
	switch {
	case v == nil:
		return errors.New("found no view of the rows, expected one")
	case v.M < 0 || v.M > d+8: // a search has eight starts

		return fmt.Errorf("found %d vectors, expected at most %d", v.M, d+8)
	}
	err := vectorOf("numbers of vectors", v.Q, v.M*d)
	if v.Offset != nil {
		err = cmp.Or(err, vectorOf("offsets", v.Offset, d))
	}
	if v.Factor != nil {
		err = cmp.Or(err, vectorOf("factors", v.Factor, d))
	}
	return err
}

// checkAnswer says why an answer is none to a request for such a view.
func (v *View) checkAnswer(verb string, a *Answer, d int) error {
	size := map[string]int{"second": d * (d + 1) / 2, "sizes": 3, "power": v.M * d, "couple": v.M*(d+v.M) + 1}[verb]
	switch verb {
	case "columns":
		return v.checkColumns(a.Columns, d)
	case "moments":
		return v.checkMoments(a.Moments, d)
	}
	return vectorOf("sums over rows", a.Sum, size)
}

// checkColumns says why sums of columns are none.
func (v *View) checkColumns(c *scaling.Columns, d int) error {
	switch {
	case c == nil:
		return errors.New("found no sums of columns, expected them")
	case v.Offset != nil && c.Sum == nil && c.Rest == nil:
		return vectorOf("squares", c.Squares, d)
	case c.Rows < 1 || len(c.Stored) != d || c.Squares != nil || slices.ContainsFunc(c.Stored, func(n int64) bool { return n < 0 || n > c.Rows }):
		return fmt.Errorf("found the sums of %d columns of %d rows, expected those of %d columns", len(c.Stored), c.Rows, d)
	}
	return cmp.Or(vectorOf("sums", c.Sum, d), vectorOf("sums", c.Rest, d), vectorOf("magnitudes", c.Largest, d))
}

// checkMoments says why moments are none.
func (v *View) checkMoments(m *scaling.Moments, d int) error {
	switch {
	case m == nil:
		return errors.New("found no moments, expected them")
	case v.Offset != nil:
		return vectorOf("distances", []float64{m.MaxCentred}, 1)
	case m.Rows < 1 || len(m.Low) != d || len(m.High) != d || len(m.Squares) != d || !(m.Second >= 0) || !(m.MaxNorm >= 0):
		return fmt.Errorf("found moments of %d rows and %d features, expected those of %d features", m.Rows, len(m.Mean), d)
	}
	return cmp.Or(vectorOf("means", m.Mean, d), vectorOf("squares", m.Squares, d))
}

// momentsOf answers with the moments of the rows, or with their largest distance from an offset.
func (p *Place) momentsOf(v *View) (*Answer, error) {
	if v.Offset == nil {
		return &Answer{Moments: scaling.NewMoments(p.set.X, p.threads)}, nil
	}
	m := &scaling.Moments{Mean: v.Offset}
	m.MeasureCentred(p.set.X, p.threads)
	return &Answer{Moments: m}, nil
}

// rows returns the rows as they are to be seen.
func (p *Place) rows(v *View) view.Rows {
	return view.Rows{X: p.set.X, Offset: v.Offset, Factor: v.Factor}
}

// secondOf answers with the lower triangle of X'^T X', by rows.
func (p *Place) secondOf(v *View) (*Answer, error) {
	n, d := p.set.X.Dims()
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
func (p *Place) sizesOf(v *View) (*Answer, error) {
	s, n := certificate.SizeOf(p.rows(v), p.threads), float64(p.set.Rows())
	return &Answer{Sum: []float64{s.Total * n, s.Upper * n, s.Raw * n}}, nil
}

// seen is rows laid out for products, which takes as long as some of these.
type seen struct {
	as   View
	rows *view.LaidOut
}

func (p *Place) laidOut(v *View) *view.LaidOut {
	if p.seen == nil || !slices.Equal(p.seen.as.Offset, v.Offset) || !slices.Equal(p.seen.as.Factor, v.Factor) {
		p.seen = &seen{View{Offset: v.Offset, Factor: v.Factor}, view.NewLaidOut(p.rows(v), p.threads)}
	}
	return p.seen.rows
}

// powerOf answers with Q X'^T X'.
func (p *Place) powerOf(v *View) (*Answer, error) {
	sum := make([]float64, len(v.Q))
	p.laidOut(v).Apply(sum, v.Q, v.M)
	return &Answer{Sum: sum}, nil
}

// coupleOf answers with Q X'^T X', with that times Q^T, and with the sum of |Q x|^2.
func (p *Place) coupleOf(v *View) (*Answer, error) {
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
