package generate

import (
	"math"
	"testing"
)

// The tables of Cotter's thesis, chapter 6, to the digits given.
func TestThesisTables(t *testing.T) {
	for _, c := range []struct {
		spec     string
		first    []float64 // and the one after the first k
		top, gap float64
	}{
		{"pca-gaussian:k=1", []float64{.54771, .04338}, .54771, .50434},
		{"pca-gaussian:k=2", []float64{.29771, .29338, .03943}, .59109, .25394},
		{"pca-gaussian:k=4", []float64{.17271, .16838, .16443, .16085, .03259}, .66637, .12826},
		{"pca-orthogonal:k=1", []float64{.17646}, .17646, .12680},
		{"pca-orthogonal:k=2", []float64{.12593}, math.NaN(), .07918},
		{"pca-orthogonal:k=4", []float64{.09256}, math.NaN(), .04912},
		{"pca-orthogonal:k=4,kind=exact", []float64{.17271, .16838, .16443, .16085, .03259}, .66637, .12826},
		{"pca-orthogonal:k=4,kind=scaled", []float64{.17271, .16838, .16443, .16085, .03259}, .66637, .12826},
	} {
		m, err := SecondMomentOf(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		s := m.Diagonal
		near := func(what string, got, want float64) {
			if !math.IsNaN(want) && math.Abs(got-want) > .500001e-5 {
				t.Errorf("%s: %s: found %.7f, expected %.5f", c.spec, what, got, want)
			}
		}
		for i, want := range c.first {
			near("eigenvalue", s[i], want)
		}
		k := int(c.spec[len("pca-gaussian:k=")] - '0')
		if c.spec[4] == 'o' {
			k = int(c.spec[len("pca-orthogonal:k=")] - '0')
		}
		top := 0.0
		for _, v := range s[:k] {
			top += v
		}
		near("top-k sum", top, c.top)
		near("gap", s[k-1]-s[k], c.gap)
		if got := m.Trace(); math.Abs(got-1) > 1e-14 {
			t.Errorf("%s: found trace %v, expected 1", c.spec, got)
		}
	}
	want, sum, power := 9.526376, 0.0, 1.0
	for range 32 {
		power /= 1.1
		sum += power
	}
	if math.Abs(sum-want) > .5e-6 {
		t.Errorf("found sum %v of powers, expected %v", sum, want)
	}
}

// The mean square of the entries' errors of the empirical second moment, times
// n, is the sum of the variances of x_i x_j: 1/n in the square is n^-1/2.
func TestSecondMoments(t *testing.T) {
	for _, spec := range []string{"pca-gaussian:k=2,d=8", "pca-orthogonal:k=2,d=8", "pca-orthogonal:k=2,d=8,kind=exact", "pca-orthogonal:k=2,d=8,kind=scaled",
		"two-point", "two-point:scale=print", "low-rank:d=8,rank=3,noise=0.5", "heavy-tailed:d=8,rank=3,rare=0.2,noise=0.5"} {
		g, err := generators.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		m := g.(Known).SecondMoment()
		d, want := g.Info().Cols, m.Dense()
		sum, squares, error2 := make([]float64, d*d), 0.0, map[int]float64{}
		var row Row
		const n = 1 << 16
		for i := range n {
			g.Row(&row, i)
			x := make([]float64, d)
			row.X.AddTo(x, 1)
			for a := range d {
				for b := range d {
					p := x[a] * x[b]
					sum[a*d+b] += p
					squares += (p - want[a*d+b]) * (p - want[a*d+b])
				}
			}
			if i+1 == n/64 || i+1 == n {
				for j, s := range sum {
					miss := s/float64(i+1) - want[j]
					error2[i+1] += miss * miss
				}
			}
		}
		for _, at := range []int{n / 64, n} {
			if ratio := error2[at] * float64(at) / (squares / n); ratio > 4 || ratio < 1e-3 {
				t.Errorf("%s: %d rows: squared error %g, that is %.3g of what the variance allows, expected about 1", spec, at, error2[at], ratio)
			}
		}
		if trace := m.Trace(); math.Abs(trace-traceOf(want, d)) > 1e-12*trace {
			t.Errorf("%s: found trace %v, expected %v", spec, trace, traceOf(want, d))
		}
		u, captured := []float64{3, -1, 2, 5, 1, 1, -4, 2}[:d], 0.0
		for a := range d {
			for b := range d {
				captured += u[a] * want[a*d+b] * u[b]
			}
		}
		if got := m.Captured(u); math.Abs(got-captured) > 1e-12*captured {
			t.Errorf("%s: found %v captured, expected %v", spec, got, captured)
		}
	}
	if m, err := SecondMomentOf("@toy"); m != nil || err != nil {
		t.Errorf("toy: found %v, %v, expected nothing", m, err)
	}
}

func traceOf(m []float64, d int) (trace float64) {
	for i := range d {
		trace += m[i*d+i]
	}
	return trace
}

// The factor of low-rank has orthogonal columns with the squares l_i, and the
// share of a row in the subspace is what its documentation says.
func TestLowRankFactor(t *testing.T) {
	g, err := generators.New("low-rank:d=50,rank=5,decay=0.5,noise=0.2")
	if err != nil {
		t.Fatal(err)
	}
	m := g.(Known).SecondMoment()
	total := 1 + .5 + .25 + .125 + .0625
	for a := range 5 {
		for b := range 5 {
			got, want := 0.0, 0.0
			for j := range 50 {
				got += m.Factor[j*5+a] * m.Factor[j*5+b]
			}
			if a == b {
				want = math.Pow(.5, float64(a)) / total
			}
			if math.Abs(got-want) > 1e-15 {
				t.Errorf("columns %d and %d: found %v, expected %v", a, b, got, want)
			}
		}
	}
	if got := m.Trace(); math.Abs(got-1.04) > 1e-14 {
		t.Errorf("found trace %v, expected 1.04", got)
	}
}

// What scaled images have: some features in nearly no row, a mean fourth power
// of the norm far above that of a Gaussian, and one value in seven not zero.
func TestHeavyTails(t *testing.T) {
	rows, info := collect(t, "@heavy-tailed:n=4000")
	stored, second, fourth := 0, 0.0, 0.0
	for _, r := range rows {
		q := r.X.SquaredNorm()
		stored += r.X.Nonzeros()
		second += q / 4000
		fourth += q * q / 4000
	}
	if density := float64(stored) / float64(4000*info.Cols); density < .12 || density > .17 {
		t.Errorf("found density %v, expected 0.145", density)
	}
	if math.Abs(second-1.01) > .1 || fourth < 2*second*second {
		t.Errorf("found mean |x|^2 %v and |x|^4 %v, expected 1.01 and several times as much", second, fourth)
	}
}
