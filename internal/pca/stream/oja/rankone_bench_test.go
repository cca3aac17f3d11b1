package oja

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// The cost of a row of 784 numbers, of one of 47000 of which 75 are not zero, and of
// all methods that keep k d numbers.
func BenchmarkRow(b *testing.B) {
	const rows, k = 500, 8
	methods := []string{"oja", "oja:normalise=polar", "oja:normalise=qr", "grouse", "krasulina", "subspace-rule", "gha", "adaoja", "ccipca"}
	dense := pcatest.NewGaussian(1, rows, 784).Rows
	sparse := view.Rows{X: benchSparse(rows, 47000, 75)}
	centred := dense
	centred.Offset = algebra.RandomBasis(1, 1, 784)
	for kind, x := range map[string]view.Rows{"dense": dense, "centred": centred, "sparse": sparse} {
		p := pcatest.ProblemOf(x, k)
		for _, spec := range methods {
			b.Run("rows="+kind+"/method="+strings.ReplaceAll(spec, "=", ":"), func(b *testing.B) {
				m, err := method.New(spec)
				if err != nil {
					b.Fatal(err)
				}
				s := m.(method.Streaming).Start(p)
				s.Learn(x)
				for b.Loop() {
					s.Learn(x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
	}
}

func benchSparse(rows, cols, nonzeros int) *matrix.CSR {
	rng := rand.New(rand.NewPCG(1, 9))
	m := &matrix.CSR{Cols: cols, Start: []int64{0}}
	for range rows {
		at := 0
		for range nonzeros {
			at += 1 + rng.IntN(2*cols/nonzeros-2)
			if at < cols {
				m.Index, m.Value = append(m.Index, uint32(at)), append(m.Value, float32(rng.NormFloat64()))
			}
		}
		m.Start = append(m.Start, int64(len(m.Value)))
	}
	return m
}
