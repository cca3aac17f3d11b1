package certificate

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// momentOf knows rows by sums over three partitions.
func momentOf(x view.Rows) Moment {
	n, d := x.Dims()
	var parts []view.Rows
	for lo := 0; lo < n; lo += (n + 2) / 3 {
		parts = append(parts, x.Part(lo, min(lo+(n+2)/3, n)))
	}
	m := Moment{Rows: n, Cols: d}
	for _, p := range parts {
		rows, _ := p.Dims()
		s, share := SizeOf(p, 1), float64(rows)/float64(n)
		m.Size.Total += s.Total * share
		m.Size.Upper += s.Upper * share * (1 + 1e-15)
		m.Size.Raw += s.Raw * share * (1 + 1e-15)
	}
	m.Couple = func(_ context.Context, q []float64, r int) (image, inner []float64, squares float64, err error) {
		image, inner = make([]float64, r*d), make([]float64, r*r)
		for _, p := range parts {
			rows, _ := p.Dims()
			y, one := make([]float64, rows*r), make([]float64, r*d)
			view.NewLaidOut(p, 1).Both(y, one, q, r)
			vec.Axpy64(image, 1, one)
			for i := range rows {
				for a := range r {
					vec.Axpy64(inner[a*r:(a+1)*r], y[i*r+a], y[i*r:(i+1)*r])
				}
				squares += vec.SquaredNorm64(y[i*r : (i+1)*r])
			}
		}
		return image, inner, squares, nil
	}
	m.Power = func(_ context.Context, q []float64, r int) ([]float64, error) {
		image, _, _, err := m.Couple(context.Background(), q, r)
		return image, err
	}
	return m
}

// Never below the truth, of rows in several partitions; the bound is as good as that of one partition where as many steps are made.
func TestCertificateOfMoment(t *testing.T) {
	t.Parallel()
	each(nightly(1920, 384), func(i int) {
		c := newInstance(i)
		m := momentOf(c.x)
		if m.Size.Raw < 0x1p-300 || m.Size.Raw > 0x1p300 {
			return
		}
		truth := truthOf(c)
		got, err := OfMoment(context.Background(), m, c.u, 1, func() uint64 { return 3 }, func(Certificate) bool { return false })
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if v := truth.violation(c, got); v != "" {
			t.Errorf("%s: %s", c.name, v)
		} else if one, err := certify(context.Background(), c.x, c.u, 1, 3, false); err != nil || got.Captured < one.Captured*(1-1e-9) || got.Upper > one.Upper*(1+2*tightness) && one.Loss() < worthwhile {
			t.Errorf("%s: found %+v, of one partition %+v, %v", c.name, got, one, err)
		}
	})
}

// Steps end where they are enough, go on beyond the usual ones where these are not, and do not where none would be.
func TestStepsUntilEnough(t *testing.T) {
	x := pcatest.SomeRows(rand.New(rand.NewPCG(12, 5)), 3000, 200, false, false)
	u := basisFor(rand.New(rand.NewPCG(12, 6)), x, 5, "exact")
	upTo := func(loss float64) func(Certificate) bool {
		return func(c Certificate) bool { return c.Loss() <= loss }
	}
	one := func(enough func(Certificate) bool) Certificate {
		c, err := newCertifier(x, u, 1, func() uint64 { return 1 }, false)
		if err == nil {
			c.enough = enough
			err = c.run(context.Background())
		}
		found, err := c.done(err)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	far := func(loss float64) Certificate {
		found, err := OfMoment(context.Background(), momentOf(x), u, 1, func() uint64 { return 1 }, upTo(loss))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	usual, more, none := one(nil), one(upTo(2e-6)), one(upTo(-1))
	if !(usual.Loss() > 2e-6 && more.Loss() <= 2e-6 && more.Steps > usual.Steps && none.Steps == usual.Steps) {
		t.Errorf("found the losses %.3g, %.3g and %.3g after %d, %d and %d steps", usual.Loss(), more.Loss(), none.Loss(), usual.Steps, more.Steps, none.Steps)
	}
	if rough, close := far(0.1), far(2e-6); !(rough.Loss() <= 0.1 && close.Loss() <= 2e-6 && rough.Steps < usual.Steps && close.Steps <= more.Steps) {
		t.Errorf("of partitions: found the losses %.3g and %.3g after %d and %d steps", rough.Loss(), close.Loss(), rough.Steps, close.Steps)
	}
	t.Logf("%d usual steps to %.3g, %d to %.3g", usual.Steps, usual.Loss(), more.Steps, more.Loss())
}

// An error of a partition ends the search, and is returned; numbers out of range are refused.
func TestMomentRefused(t *testing.T) {
	x := pcatest.SomeRows(rand.New(rand.NewPCG(12, 7)), 300, 20, false, false)
	u := basisFor(rand.New(rand.NewPCG(12, 8)), x, 2, "near")
	gone, asked := errors.New("gone"), 0
	m := momentOf(x)
	power := m.Power
	m.Power = func(ctx context.Context, q []float64, r int) ([]float64, error) {
		if asked++; asked == 3 {
			return nil, gone
		}
		return power(ctx, q, r)
	}
	never := func(Certificate) bool { return false }
	if _, err := OfMoment(context.Background(), m, u, 1, func() uint64 { return 1 }, never); err != gone || asked != 3 {
		t.Errorf("found %v after %d products, expected the error of the third", err, asked)
	}
	for _, raw := range []float64{0, 1e-130, 1e130} {
		m.Size.Raw = raw
		if _, err := OfMoment(context.Background(), m, u, 1, func() uint64 { return 1 }, never); err == nil {
			t.Errorf("rows of the squared length %g: found no error", raw)
		}
	}
}
