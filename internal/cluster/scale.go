package cluster

import (
	"cmp"
	"context"

	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/matrix"
)

// scale measures the columns, and describes the rows anew with the scaling that was asked for: of rows that are all sparse without means, as one machine does.
func (t *trainer) scale(ctx context.Context, kind string) error {
	if kind == "" || kind == "none" {
		return nil
	}
	c, err := t.columns(ctx, nil)
	if err == nil && kind == "std" {
		var about *scaling.Columns
		if about, err = t.columns(ctx, c.Mean()); err == nil {
			c.Squares = about.Squares
		}
	}
	if err != nil {
		return err
	}
	s, err := c.Scaling(kind, !t.summary.Sparse)
	if err != nil {
		return err
	}
	t.view = &View{Offset: s.Offset, Factor: s.Factor}
	return t.describe(ctx)
}

// columns adds up those of the places.
func (t *trainer) columns(ctx context.Context, mean []float64) (*scaling.Columns, error) {
	answers, err := t.ask(ctx, &Request{Verb: "columns", View: &View{Offset: mean}})
	if err != nil {
		return nil, err
	}
	parts := make([]*scaling.Columns, len(answers))
	for k, a := range answers {
		parts[k] = a.Columns
	}
	return scaling.Total(parts), nil
}

// columnsOf answers with sums of the columns, or of their squared distances from an offset.
func (p *Place) columnsOf(v *View) (*Answer, error) {
	return &Answer{Columns: scaling.NewColumns(p.set.X, v.Offset)}, nil
}

// scaled returns the rows as a view scales them, in single precision; nil: as they are.
func (p *Place) scaled(v *View) (matrix.Matrix, error) {
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

// scaling returns that of a draft; nil: columns are as they are.
func (d *Draft) scaling(cols int) (*scaling.Scaling, error) {
	if d.Scale == "" {
		return nil, nil
	}
	if err := cmp.Or(vectorOf("offsets", d.Offset, cols), vectorOf("factors", d.Factor, cols)); err != nil {
		return nil, err
	}
	return scaling.Restore(d.Scale, d.Offset, d.Factor)
}

// Scaling returns that of the columns of a result; nil: they are as they are.
func (r *Result) Scaling() (*scaling.Scaling, error) { return r.Draft.scaling(r.Summary.Cols) }
