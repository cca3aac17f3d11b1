package race

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/spectral"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// stepCost is one size at which the time of a row of capped MSG is measured.
type stepCost struct {
	kind string // what grows
	d, k int
}

// stepCosts are sizes of which d grows, and sizes of which k grows.
func (o *options) stepSizes() []stepCost {
	most, wide := 16384, 2048
	if o.quick {
		most, wide = 512, 128
	}
	var all []stepCost
	for d := most / 32; d <= most; d *= 2 {
		all = append(all, stepCost{"d", d, 8})
	}
	for k := 4; k <= 64; k *= 2 {
		all = append(all, stepCost{"k", wide, k})
	}
	return all
}

// stepCosts times rows of capped MSG with K = k+1 directions. The sizes take turns.
func (l *lab) stepCosts(ctx context.Context) error {
	rows := 1500
	if l.opt.quick {
		rows = 300
	}
	l.progress("the cost of a row of capped MSG")
	for repeat := range l.opt.repeats {
		for _, s := range l.opt.stepSizes() {
			if err := ctx.Err(); err != nil {
				return err
			}
			took, operations, err := s.measure(rows)
			if err != nil {
				return err
			}
			l.log.Add(measure.Measurement{Race: "pca", Kind: s.kind, Set: fmt.Sprintf("%s=%d", s.kind, map[string]int{"d": s.d, "k": s.k}[s.kind]), Size: measure.Size{Rows: int64(rows), Columns: int64(s.d)}, Components: int64(s.k), Contender: measure.OwnName, Setting: "capped-msg", Threads: 1, Repeat: repeat + 1, Seconds: took,
				Evaluations: int64(operations)})
		}
	}
	return nil
}

// measure returns the seconds and the operations of a row, once the first third
// was learned.
func (s stepCost) measure(rows int) (took, operations float64, err error) {
	x := view.Rows{X: normalRows(rows, s.d)}
	algorithm, err := methods.New("capped-msg")
	if err != nil {
		return 0, 0, err
	}
	p := method.Problem{Cols: s.d, K: s.k, Seed: 1, Threads: 1}
	p.Squared, p.Fourth = x.Sizes(1)
	state := algorithm.(method.Streaming).Start(p)
	count := func() float64 { return state.(spectral.Spectrum).Cost().Flops }
	state.Learn(x.Part(0, rows/3))
	before, begin := count(), time.Now()
	state.Learn(x.Part(rows/3, rows))
	took = time.Since(begin).Seconds()
	learned := float64(rows - rows/3)
	return took / learned, (count() - before) / learned, nil
}

// normalRows are rows of independent normal numbers, whose deviations fall from 1
// to 1/2 with the column.
func normalRows(n, d int) *matrix.Dense {
	r := rand.New(rand.NewPCG(1, 2))
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range x.Value {
		x.Value[i] = float32(r.NormFloat64() / (1 + float64(i%d)/float64(d)))
	}
	return x
}
