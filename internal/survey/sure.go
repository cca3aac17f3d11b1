package survey

import (
	"math"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

// Sure is what is proved of the predictions that every exact optimum of a model's problem makes for some rows.
type Sure struct {
	Rows    int     `json:"rows"`
	Classes int     `json:"sure_rows"` // rows of which the class is the same; 0 of numbers
	Widest  float64 `json:"widest"`    // the widest interval of a score
	Mean    float64 `json:"mean_width"`

	// Error is between which two numbers the error is, RMSE the root of the mean squared error of numbers; nil: rows have
	// no targets that are known.
	Error *[2]float64 `json:"error,omitempty"`
	RMSE  *[2]float64 `json:"rmse,omitempty"`
}

// SureOf bounds what optima predict for the rows of a set.
func SureOf(m *model.Model, set *data.Set, threads int) (*Sure, error) {
	if err := pose.CheckPair(m, set); err != nil {
		return nil, err
	}
	proved, err := m.Proved()
	if err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	truth, err := pose.MatchTargets(m.Classes, set.Target)
	if err != nil {
		return nil, err
	}
	x, err := m.Prepare(set.X)
	if err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	n, k := set.Rows(), len(m.Outputs)
	bounds, sure, class := make([]model.Interval, n*k), make([]bool, n), make([]int, n)
	parallel.Blocks(n, 1024, threads, func(_, lo, hi int) {
		scores := make([]float64, k*(hi-lo))
		proved.ScoreRows(scores, bounds[k*lo:k*hi], x, lo, hi)
		for i := lo; i < hi && m.Classes != nil; i++ {
			sure[i], class[i] = proved.Sure(bounds[k*i:k*(i+1)]), m.Decide(scores[k*(i-lo):k*(i-lo+1)])
		}
	})
	out := &Sure{Rows: n}
	for _, b := range bounds {
		out.Widest = max(out.Widest, b.High-b.Low)
		out.Mean += (b.High - b.Low) / float64(len(bounds))
	}
	if weights := pose.OrOnes(set.Weight, n); m.Classes != nil {
		out.count(sure, class, truth, weights)
	} else if k == 1 && set.Target.Number != nil {
		out.RMSE = rmseOf(m, bounds, set.Target.Number, weights)
	}
	return out, nil
}

// count bounds the error by the rows of which the class is sure.
func (s *Sure) count(sure []bool, class, truth []int, weights []float64) {
	wrong, open := 0.0, 0.0
	for i, w := range weights {
		switch {
		case sure[i] && truth[i] != class[i], truth[i] == metric.Unknown: // no class is right
			wrong += w
		case !sure[i]:
			open += w
		}
		if sure[i] {
			s.Classes++
		}
	}
	if all := pose.Sum(weights); all > 0 {
		s.Error = &[2]float64{wrong / all, min(1, (wrong+open)/all)}
	}
}

// rmseOf bounds the root mean squared error of numbers between those of intervals of the scores.
func rmseOf(m *model.Model, bounds []model.Interval, truth, weights []float64) *[2]float64 {
	least, most, all := 0.0, 0.0, pose.Sum(weights)
	for i, b := range bounds {
		lo, hi := m.Number(b.Low)-truth[i], m.Number(b.High)-truth[i]
		near := max(0, lo, -hi)
		far := max(math.Abs(lo), math.Abs(hi))
		least, most = least+weights[i]*near*near/all, most+weights[i]*far*far/all
	}
	return &[2]float64{math.Sqrt(least), math.Sqrt(most)}
}
