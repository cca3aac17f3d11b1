package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/vec"
)

// productShapes are a square product, and the second moment of as many images as
// mnist has.
func (o *options) productShapes() []productShape {
	if o.quick {
		return []productShape{{256, 256, 256, false}, {m: 200, n: 200, k: 4000, gram: true}}
	}
	return []productShape{{2048, 2048, 2048, false}, {m: 784, n: 784, k: 60000, gram: true}}
}

// products times kernels of package vec against those of the peer.
func (l *lab) products(ctx context.Context) error {
	if len(l.reducers) == 0 {
		return nil
	}
	theirs, err := l.reducers[0].load(ctx, &l.opt.config, nil, 0, true)
	if err != nil {
		return err
	}
	defer theirs.close()
	for _, s := range l.opt.productShapes() {
		l.progress("product %s", s)
		ways := kernelsOf(s)
		for _, threads := range slices.Compact([]int{1, l.opt.threads}) {
			for repeat := range l.opt.repeats + 1 { // the first warms up
				for _, w := range ways {
					begin := time.Now()
					w.do(threads)
					l.product(s, ownName, w.name, threads, repeat, time.Since(begin).Seconds())
				}
				took, err := theirs.multiply(ctx, s, threads)
				if err != nil {
					return err
				}
				l.product(s, l.reducers[0].name(), "BLAS of numpy", threads, repeat, took)
			}
		}
	}
	return nil
}

// product notes one run, but for the first.
func (l *lab) product(s productShape, contender, setting string, threads, repeat int, took float64) {
	if repeat > 0 {
		l.log.add(measurement{Race: "pca", Kind: "product", Set: s.String(), Contender: contender, Setting: setting, Threads: threads,
			Repeat: repeat, Seconds: took, Evaluations: s.work()})
	}
}

// productKernel is a kernel of package vec on given matrices.
type productKernel struct {
	name string
	do   func(threads int)
}

// kernelsOf are those for the shape.
func kernelsOf(s productShape) []productKernel {
	if !s.gram {
		a, b, c := uniform(s.m, s.k), uniform(s.n, s.k), uniform(s.m, s.n)
		return []productKernel{{"Gemm32", func(threads int) { vec.Gemm32(c, a, b, threads) }}}
	}
	x, c := uniform(s.k, s.m), uniform(s.m, s.m)
	double := vec.Block[float64]{Value: make([]float64, s.m*s.m), Rows: s.m, Cols: s.m, Stride: s.m}
	return []productKernel{{"SyrkCols32", func(threads int) { vec.SyrkCols32(c, x, threads) }},
		{"GramSingle", func(threads int) { vec.GramSingle(double, x, threads) }}}
}

// uniform is a matrix of numbers from 0 to 1.
func uniform(rows, cols int) vec.Block[float32] {
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float32, rows*cols)
	for i := range x {
		x[i] = r.Float32()
	}
	return vec.Block[float32]{Value: x, Rows: rows, Cols: cols, Stride: cols}
}
