package race

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/vec"
)

// productShapes are a square product, and the second moment of as many images as
// mnist has.
func (o *options) productShapes() []task.ProductShape {
	if o.quick {
		return []task.ProductShape{{M: 256, N: 256, K: 256}, {M: 200, N: 200, K: 4000, Gram: true}}
	}
	return []task.ProductShape{{M: 2048, N: 2048, K: 2048}, {M: 784, N: 784, K: 60000, Gram: true}}
}

// products times kernels of package vec against those of the peer.
func (l *lab) products(ctx context.Context) error {
	if len(l.reducers) == 0 {
		return nil
	}
	theirs, err := l.reducers[0].Load(ctx, &l.opt.Config, nil, 0, true)
	if err != nil {
		return err
	}
	defer theirs.Close()
	for _, s := range l.opt.productShapes() {
		l.progress("product %s", s)
		ways := kernelsOf(s)
		for _, threads := range slices.Compact([]int{1, l.opt.Threads}) {
			for repeat := range l.opt.repeats + 1 { // the first warms up
				for _, w := range ways {
					begin := time.Now()
					w.do(threads)
					l.product(s, measure.OwnName, w.name, threads, repeat, time.Since(begin).Seconds())
				}
				took, err := theirs.Multiply(ctx, s, threads)
				if err != nil {
					return err
				}
				l.product(s, l.reducers[0].Name(), "BLAS of numpy", threads, repeat, took)
			}
		}
	}
	return nil
}

// product notes one run, but for the first.
func (l *lab) product(s task.ProductShape, contender, setting string, threads, repeat int, took float64) {
	if repeat > 0 {
		l.log.Add(measure.Measurement{Race: "pca", Kind: "product", Set: s.String(), Contender: contender, Setting: setting, Threads: threads,
			Repeat: repeat, Seconds: took, Evaluations: s.Work()})
	}
}

// productKernel is a kernel of package vec on given matrices.
type productKernel struct {
	name string
	do   func(threads int)
}

// kernelsOf are those for the shape.
func kernelsOf(s task.ProductShape) []productKernel {
	if !s.Gram {
		a, b, c := uniform(s.M, s.K), uniform(s.N, s.K), uniform(s.M, s.N)
		return []productKernel{{"Gemm32", func(threads int) { vec.Gemm32(c, a, b, threads) }}}
	}
	x, c := uniform(s.K, s.M), uniform(s.M, s.M)
	double := vec.Block[float64]{Value: make([]float64, s.M*s.M), Rows: s.M, Cols: s.M, Stride: s.M}
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
