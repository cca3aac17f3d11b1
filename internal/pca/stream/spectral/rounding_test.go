package spectral

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// randomInclusion makes a random point of {0 <= p <= 1, sum p = m}, with zeros,
// ones and equal values.
func randomInclusion(r *rand.Rand) (p []float64, m int) {
	n := 2 + r.IntN(20)
	m = 1 + r.IntN(n-1)
	p = make([]float64, n)
	for i := range p {
		p[i] = 2 * r.Float64()
		if i > 0 && r.IntN(4) == 0 {
			p[i] = p[i-1]
		}
	}
	new(fantope).project(p, nil, float64(m))
	return p, m
}

// mean returns what the pieces make of p, the sum of their probabilities and
// whether all choose m different indices, rising.
func mean(pieces []Piece, n, m int) (p []float64, sum float64, valid bool) {
	p, valid = make([]float64, n), true
	for _, piece := range pieces {
		valid = valid && len(piece.Index) == m && slices.IsSorted(piece.Index) && piece.Probability > 0
		valid = valid && len(slices.Compact(slices.Clone(piece.Index))) == m
		for _, i := range piece.Index {
			p[i] += piece.Probability
		}
		sum += piece.Probability
	}
	return p, sum, valid
}

// Row 20 of the checklist.
func TestPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 1))
	var worstDecompose, worstSystematic float64
	for range 5000 {
		p, m := randomInclusion(r)
		for _, c := range []struct {
			name  string
			make  func([]float64, int) ([]Piece, error)
			most  int
			worst *float64
		}{{"Decompose", Decompose, len(p), &worstDecompose}, {"SystematicPieces", SystematicPieces, len(p) + 1, &worstSystematic}} {
			pieces, err := c.make(p, m)
			if err != nil {
				t.Fatal(err)
			}
			q, sum, valid := mean(pieces, len(p), m)
			*c.worst = max(*c.worst, pcatest.LargestDifference(p, q), math.Abs(sum-1))
			if !valid || len(pieces) > c.most {
				t.Fatalf("%s(%v, %d) = %v", c.name, p, m, pieces)
			}
		}
	}
	t.Logf("worst error of the mean: Decompose %.2g, SystematicPieces %.2g", worstDecompose, worstSystematic)
	if worst := max(worstDecompose, worstSystematic); worst > 1e-12 {
		t.Errorf("worst error %g, expected at most 1e-12", worst)
	}
}

// The vector that the algorithm as printed cannot decompose: d = 3, k = 1, W =
// (0.4, 0.35, 0.25) and d-k = 2.
func TestDecomposeErratum(t *testing.T) {
	w := []float64{0.4, 0.35, 0.25}
	p := make([]float64, len(w))
	for i := range w {
		p[i] = 2 * w[i]
	}
	pieces, err := Decompose(p, 2)
	if err != nil {
		t.Fatal(err)
	}
	q, sum, valid := mean(pieces, 3, 2)
	if !valid || len(pieces) > 3 || math.Abs(sum-1) > 1e-15 || pcatest.LargestDifference(p, q) > 1e-15 {
		t.Errorf("found %v", pieces)
	}
	// {0,1} at min(0.7, 1-0.5) = 0.5, then t = 0.5 and the rest (0.3, 0.2, 0.5).
	if want := (Piece{0.5, []int{0, 1}}); pieces[0].Probability != want.Probability || !slices.Equal(pieces[0].Index, want.Index) {
		t.Errorf("first piece %v, expected %v", pieces[0], want)
	}
}

// Systematic agrees with its definition, and with its pieces, for given u.
func TestSystematic(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 2))
	for range 5000 {
		p, m := randomInclusion(r)
		u := 1 - r.Float64()
		got, err := Systematic(p, m, u)
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		before := 0.0
		for i := range p {
			for j := range m {
				if before < float64(j)+u && float64(j)+u <= before+p[i] {
					want = append(want, i)
				}
			}
			before += p[i]
		}
		if !slices.Equal(got, want) && len(want) == m { // the definition loses indices to rounding
			t.Errorf("Systematic(%v, %d, %v) = %v, expected %v", p, m, u, got, want)
		}
	}
	if got, _ := Systematic([]float64{0.1, 0.2, 0.3, 0.4, 0, 0}, 1, 1); !slices.Equal(got, []int{3}) {
		t.Errorf("u = 1 chose %v, expected the last positive one", got)
	}
}

// The marginals of Systematic over a fine grid of u are p.
func TestSystematicMarginals(t *testing.T) {
	p, m, n := []float64{0.5, 1, 0.125, 0.625, 0.75}, 3, 4096
	q := make([]float64, len(p))
	for i := range n {
		index, err := Systematic(p, m, float64(i+1)/float64(n))
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range index {
			q[j] += 1 / float64(n)
		}
	}
	if pcatest.LargestDifference(p, q) != 0 {
		t.Errorf("marginals %v, expected %v", q, p)
	}
}

// The best piece is never worse than the relaxed value, and top-k keeps its
// guarantee loss(top-k) <= loss(M)/(1-p_(k+1)).
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 3))
	for range 5000 {
		p, m := randomInclusion(r)
		gain, relaxed, total := make([]float64, len(p)), 0.0, 0.0
		for i := range gain {
			gain[i] = r.Float64()
			relaxed += gain[i] * p[i]
			total += gain[i]
		}
		value := func(index []int) (v float64) {
			for _, i := range index {
				v += gain[i]
			}
			return v
		}
		best, err := Best(p, m, value)
		if err != nil || value(best) < relaxed-1e-12 {
			t.Fatalf("Best(%v, %d): %v, value %v, relaxed %v, %v", p, m, best, value(best), relaxed, err)
		}
		top := TopK(p, m)
		left := 0.0
		for i, v := range p {
			if !slices.Contains(top, i) {
				left = max(left, v)
			}
		}
		if (total-value(top))*(1-left) > total-relaxed+1e-12 {
			t.Fatalf("TopK(%v, %d): loss %v, relaxed %v, left out %v", p, m, total-value(top), total-relaxed, left)
		}
	}
}

func TestTopK(t *testing.T) {
	for _, c := range []struct {
		values []float64
		k      int
		want   []int
	}{
		{[]float64{1, 3, 2, 3}, 2, []int{1, 3}},
		{[]float64{1, 1, 1}, 2, []int{0, 1}},
		{[]float64{1, 2}, 5, []int{0, 1}},
		{nil, 1, []int{}},
	} {
		if got := TopK(c.values, c.k); !slices.Equal(got, c.want) {
			t.Errorf("TopK(%v, %d) = %v, expected %v", c.values, c.k, got, c.want)
		}
	}
}

func TestRoundingRefuses(t *testing.T) {
	for _, c := range []struct {
		p    []float64
		m    int
		u    float64
		want string
	}{
		{[]float64{0.5, 0.5}, 0, 0.5, "0 directions of 2"},
		{[]float64{0.5, 0.5}, 3, 0.5, "3 directions of 2"},
		{[]float64{0.5, 0.6}, 1, 0.5, "sum to 1.1, expected 1"},
		{[]float64{2, -1}, 1, 0.5, "eigenvalue 0 is 2"},
		{[]float64{math.NaN(), 1}, 1, 0.5, "eigenvalue 0 is NaN"},
		{[]float64{0.5, 0.5}, 1, 0, "u is 0"},
		{[]float64{0.5, 0.5}, 1, math.NaN(), "u is NaN"},
	} {
		if _, err := Systematic(c.p, c.m, c.u); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Systematic(%v, %d, %v): %v, expected %q", c.p, c.m, c.u, err, c.want)
		}
	}
}

// Row 20 on the states: pieces of the eigenvalues that a run ends with are projections
// whose mean is its M, or W; and the best of them captures as much as M.
func TestRoundingOfStates(t *testing.T) {
	t.Parallel()
	const d, k = 10, 3
	for _, spec := range []string{"msg:c=0.3", "capped-msg:cap=6,c=0.3", "warmuth-kuzmin:c=0.5", "warmuth-kuzmin:c=0.5,start=uniform"} {
		for seed := range uint64(20) {
			x := gaussianRows(30, d, 0.5, seed)
			s := pcatest.StartOf(t, spec, method.Problem{Cols: d, K: k, Seed: seed})
			s.Learn(x)
			p := s.(Spectrum).Eigenvalues()
			u, relaxed := directionsOf(s), 0.0
			gain := make([]float64, len(p))
			for i, v := range p {
				gain[i] = pcatest.Quadratic(pcatest.SecondOf(x), u[i*d:(i+1)*d])
				relaxed += v * gain[i]
			}
			for _, cut := range []func([]float64, int) ([]Piece, error){Decompose, SystematicPieces} {
				pieces, err := cut(p, k)
				if err != nil {
					t.Fatalf("%s: %v", spec, err)
				}
				if got, sum, valid := mean(pieces, len(p), k); !valid || len(pieces) > len(p)+1 || math.Abs(sum-1) > 1e-12 || pcatest.LargestDifference(got, p) > 1e-12 {
					t.Fatalf("%s: pieces %v of %v", spec, pieces, p)
				}
			}
			w := slices.Repeat([]float64{1}, d) // times d-k; what is not kept is at the cap
			for i, v := range p {
				w[i] = 1 - v
			}
			pieces, err := Decompose(w, d-k)
			if err != nil {
				t.Fatalf("%s: %v", spec, err)
			}
			if got, sum, valid := mean(pieces, d, d-k); !valid || len(pieces) > d || math.Abs(sum-1) > 1e-12 || pcatest.LargestDifference(got, w) > 1e-12 {
				t.Fatalf("%s: pieces %v of %v", spec, pieces, w)
			}
			best, err := Best(p, k, func(index []int) (v float64) {
				for _, i := range index {
					v += gain[i]
				}
				return v
			})
			captured := 0.0
			for _, i := range best {
				captured += gain[i]
			}
			if err != nil || captured < relaxed-1e-12 {
				t.Errorf("%s: the best piece captures %g, M %g: %v", spec, captured, relaxed, err)
			}
		}
	}
}
