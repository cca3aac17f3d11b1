package reduce

import (
	"context"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// ZhanShen removes those rows that bend the boundary most, trains again without them, and
// approximates that machine by [OsunaGirosi] (Zhan, Shen 2005). The thesis does not say how
// bent the boundary is at a row; here it is how far the row is on the wrong side of its margin,
// as the boundary bends around such rows alone. Share of the rows that have a loss are
// removed, those of the largest first.
type ZhanShen struct{ Share float64 } // 0: 0.5

func init() {
	register("zhan-shen", "rows of large losses left out, trained again, then osuna-girosi; share=0.5 of them", func(p *registry.Params) (Method, error) {
		share := p.Float("share", 0.5, "a number from 0 to 1", func(v float64) bool { return v >= 0 && v <= 1 })
		return ZhanShen{share}, p.Err()
	})
}

// Choose implements Method.
func (m ZhanShen) Choose(ctx context.Context, t *Target, opt Options) (*Choice, error) {
	if err := t.check(opt); err != nil {
		return nil, err
	}
	if t.Risks == nil {
		return nil, errNoRisk
	}
	again := *t
	again.Outputs = slices.Clone(t.Outputs)
	for o, risk := range t.Risks {
		w, b, err := m.train(ctx, t, o, risk)
		if err != nil {
			return nil, err
		}
		out := &again.Outputs[o]
		response := make([]float64, t.Gram.Len())
		rows, by := []int{}, []float64{}
		for i, v := range w {
			if v != 0 {
				rows, by = append(rows, i), append(by, v)
			}
		}
		t.Gram.Update(response, rows, by)
		for i := range response {
			response[i] += b
		}
		out.Response, out.Bias = response, b
	}
	return OsunaGirosi{}.Choose(ctx, &again, opt)
}

// train trains an output without the rows that are left out. It returns coefficients of all
// rows, and the bias.
func (m ZhanShen) train(ctx context.Context, t *Target, o int, risk Risk) ([]float64, float64, error) {
	rows := firsts(t.Rows)
	if risk.Rows != nil {
		rows = rows[:0]
		for _, i := range risk.Rows {
			rows = append(rows, int(i))
		}
	}
	losses := make([]float64, len(rows))
	order, bad := firsts(len(rows)), 0
	for k, i := range rows {
		if losses[k] = risk.Loss.Value(t.Outputs[o].Response[i], risk.Y[k]); losses[k] > 0 {
			bad++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case losses[a] > losses[b]:
			return -1
		case losses[a] < losses[b]:
			return 1
		}
		return 0
	})
	left := order[int(math.Floor(m.Share*float64(bad))):]
	slices.Sort(left)
	part, some := make([]int, len(left)), risk
	some.Y, some.Weight = make([]float64, len(left)), make([]float64, len(left))
	for k, at := range left {
		part[k], some.Y[k], some.Weight[k] = rows[at], risk.Y[at], 1
		if risk.Weight != nil {
			some.Weight[k] = risk.Weight[at]
		}
	}
	some.Lambda *= total(risk.Weight, len(risk.Y)) / total(some.Weight, len(part)) // the same C
	w, err := some.machine(ctx, t.Gram, part)
	if err != nil {
		return nil, 0, err
	}
	all := make([]float64, t.Rows)
	for k, i := range part {
		all[i] = w[k]
	}
	return all, w[len(part)], nil
}
