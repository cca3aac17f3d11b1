package pca

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/pca/internal/algebra"
	"github.com/fenchel-ml/fenchel/vec"
)

// An instance is rows and a basis for them.
type instance struct {
	name string
	x    Rows
	u    Basis
}

var (
	spectra = []string{"random", "deficient", "tied", "clustered", "steep", "zero", "axes", "equal"}
	bases   = []string{"random", "exact", "near", "wrong", "dependent", "scaled"}
	moves   = []string{"none", "means", "factors", "both", "huge", "tiny", "sparse", "sparse means"}
)

// newInstance returns instance number i: one of every kind in 384.
func newInstance(i int) instance {
	rng := rand.New(rand.NewPCG(11, uint64(i)))
	spectrum, base, move := spectra[i%8], bases[i/8%6], moves[i/48%8]
	most := 12
	if i%97 == 0 {
		most = 40
	}
	d, n := 1+rng.IntN(most), 1+rng.IntN(2*most)
	if i%89 == 0 {
		n = 200
	}
	k := 1 + rng.IntN(d)
	if i%7 == 0 {
		k = d
	} else if i%7 == 1 {
		k = 1
	}
	x := tilted(rng, table(rng, n, d, spectrum), n, d, move)
	name := fmt.Sprintf("%d: %s spectrum, %s basis, %s, n=%d d=%d k=%d", i, spectrum, base, move, n, d, k)
	return instance{name, x, basisFor(rng, x, k, base)}
}

// table returns n x d numbers.
func table(rng *rand.Rand, n, d int, spectrum string) []float32 {
	x := make([]float64, n*d)
	rank := d
	if spectrum == "deficient" {
		rank = 1 + rng.IntN(d)
	}
	directions := algebra.RandomBasis(rng.Uint64(), rank, d)
	for i := range n {
		for l := range rank {
			size := rng.NormFloat64()
			switch spectrum {
			case "clustered":
				size *= 1 + 1e-6*float64(l)
			case "steep":
				size *= math.Pow(10, -float64(l))
			}
			vec.Axpy64(x[i*d:(i+1)*d], size, directions[l*d:(l+1)*d])
		}
		switch spectrum {
		case "tied": // equal numbers of plus and minus each axis
			clear(x[i*d : (i+1)*d])
			x[i*d+i%d] = 1 - 2*float64(i/d%2)
		case "axes":
			clear(x[i*d : (i+1)*d])
			x[i*d+rng.IntN(d)] = float64(1 + rng.IntN(2))
		case "equal":
			copy(x[i*d:(i+1)*d], x[:d])
		case "zero":
			clear(x)
		}
	}
	out := make([]float32, n*d)
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// tilted returns rows with an offset and the like.
func tilted(rng *rand.Rand, value []float32, n, d int, move string) Rows {
	x := Rows{X: &matrix.Dense{Rows: n, Cols: d, Value: value}}
	offset, factor := make([]float64, d), make([]float64, d)
	for j := range d {
		factor[j] = math.Exp(rng.NormFloat64())
		for i := range n {
			if move == "means" || move == "both" || move == "sparse means" {
				value[i*d+j] += float32(1000 * float64(j+1))
			}
			offset[j] += float64(value[i*d+j]) / float64(n)
		}
	}
	switch move {
	case "means", "sparse means":
		x.Offset = offset
	case "both":
		x.Offset, x.Factor = offset, factor
	case "factors":
		x.Factor = factor
	case "huge", "tiny":
		by := math.Pow(10, 18)
		if move == "tiny" {
			by = math.Pow(10, -18)
		}
		for i := range value {
			value[i] *= float32(by)
		}
	}
	if move == "sparse" || move == "sparse means" {
		for i := range value {
			if rng.IntN(2) == 0 {
				value[i] = 0
			}
		}
		x.X = matrix.Transpose(matrix.Transpose(x.X))
	}
	return x
}

func basisFor(rng *rand.Rand, x Rows, k int, kind string) Basis {
	_, d := x.Dims()
	u := Basis{K: k, Cols: d, Component: algebra.RandomBasis(rng.Uint64(), k, d)}
	if kind == "random" {
		return u
	}
	s, err := secondMoment(context.Background(), x, 1)
	if err != nil {
		panic(err)
	}
	values, vectors := make([]float64, d), make([]float64, d*d)
	vec.Eigen(values, vectors, s, d, 1)
	if kind == "wrong" {
		slices.Reverse(vectors)
	}
	copy(u.Component, vectors)
	for i := range u.Component {
		switch kind {
		case "near":
			u.Component[i] += 1e-4 * rng.NormFloat64()
		case "scaled":
			u.Component[i] *= 1 + 1e-9
		}
	}
	if kind == "dependent" && k > 1 {
		copy(u.Row(k-1), u.Row(0))
	}
	return u
}

// truth is what is exact, times the number of rows.
type truth struct{ captured, optimum, next *big.Float }

func truthOf(c instance) truth {
	x := bigRows(c.x)
	t := truth{exactCaptured(x, bigOf(c.u.Component, c.u.K, c.u.Cols)), number(0), number(0)}
	for i, v := range exactEigenvalues(x) {
		if i < c.u.K {
			t.optimum.Add(t.optimum, v)
		} else if i == c.u.K {
			t.next = v
		}
	}
	return t
}

// violation returns in what the certificate is not a theorem, or "".
func (t truth) violation(c instance, got Certificate) string {
	n, _ := c.x.Dims()
	if optimum, holds := over(t.optimum, n, got.Upper); !holds {
		return fmt.Sprintf("upper bound %.17g is below the optimum %.17g by a part of %.3g", got.Upper, optimum, 1-got.Upper/optimum)
	}
	if next, holds := over(t.next, n, got.Nu); !holds {
		return fmt.Sprintf("nu %.17g is below eigenvalue k+1 %.17g", got.Nu, next)
	}
	captured, _ := over(t.captured, n, 0)
	if t.captured.Cmp(number(0).Mul(number(got.Captured), number(float64(n)))) < 0 {
		return fmt.Sprintf("captured %.17g exceeds the true %.17g by a part of %.3g", got.Captured, captured, got.Captured/captured-1)
	}
	return ""
}

// each runs do for instances from 0 to count on two goroutines.
func each(count int, do func(i int)) {
	var done sync.WaitGroup
	for first := range 2 {
		done.Go(func() {
			for i := first; i < count; i += 2 {
				do(i)
			}
		})
	}
	done.Wait()
}

// Never below the truth, of both routes, on problems of every kind.
func TestCertificateIsATheorem(t *testing.T) {
	t.Parallel()
	count := 5376
	if testing.Short() {
		count = 384
	}
	each(count, func(i int) {
		c := newInstance(i)
		truth := truthOf(c)
		for seed := range uint64(3) {
			got, err := certify(context.Background(), c.x, c.u, 1, seed, seed == 0)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if v := truth.violation(c, got); v != "" {
				t.Errorf("%s: %s: %s", c.name, got.Route, v)
			}
		}
	})
}
