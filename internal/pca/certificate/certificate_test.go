package certificate

import (
	"context"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// An instance is rows and a basis for them.
type instance struct {
	name string
	x    view.Rows
	u    method.Basis
}

var bases = []string{"random", "exact", "near", "wrong", "dependent", "scaled"}

// newInstance returns instance number i: one of every kind in 384.
func newInstance(i int) instance {
	rng := rand.New(rand.NewPCG(11, uint64(i)))
	spectrum, base, move := pcatest.Spectra[i%8], bases[i/8%6], pcatest.Moves[i/48%8]
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
	x := pcatest.Tilted(rng, pcatest.Table(rng, n, d, spectrum), n, d, move)
	name := fmt.Sprintf("%d: %s spectrum, %s basis, %s, n=%d d=%d k=%d", i, spectrum, base, move, n, d, k)
	return instance{name, x, basisFor(rng, x, k, base)}
}

func basisFor(rng *rand.Rand, x view.Rows, k int, kind string) method.Basis {
	_, d := x.Dims()
	u := method.Basis{K: k, Cols: d, Component: algebra.RandomBasis(rng.Uint64(), k, d)}
	if kind == "random" {
		return u
	}
	s, err := view.SecondMoment(context.Background(), x, 1)
	if err != nil {
		panic(err)
	}
	values, vectors := make([]float64, d), make([]float64, d*d)
	lapack.Eigen(values, vectors, s, d, 1)
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
	x := pcatest.BigRows(c.x)
	t := truth{pcatest.ExactCaptured(x, pcatest.BigOf(c.u.Component, c.u.K, c.u.Cols)), pcatest.Number(0), pcatest.Number(0)}
	for i, v := range pcatest.ExactEigenvalues(x) {
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
	if optimum, holds := pcatest.Over(t.optimum, n, got.Upper); !holds {
		return fmt.Sprintf("upper bound %.17g is below the optimum %.17g by a part of %.3g", got.Upper, optimum, 1-got.Upper/optimum)
	}
	if next, holds := pcatest.Over(t.next, n, got.Nu); !holds {
		return fmt.Sprintf("nu %.17g is below eigenvalue k+1 %.17g", got.Nu, next)
	}
	captured, _ := pcatest.Over(t.captured, n, 0)
	if t.captured.Cmp(pcatest.Number(0).Mul(pcatest.Number(got.Captured), pcatest.Number(float64(n)))) < 0 {
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

var long = flag.Bool("long", false, "examine thousands of problems, and larger real data")

// nightly returns how much of something is tested: all with -long. Of every 384 problems one
// is of each kind.
func nightly(all, daily int) int {
	if *long {
		return all
	}
	return daily
}

// Never below the truth, of both routes, on problems of every kind.
func TestCertificateIsATheorem(t *testing.T) {
	t.Parallel()
	count := nightly(5376, 768)
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
