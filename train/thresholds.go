package train

import (
	"cmp"
	"slices"

	"github.com/fenchel-ml/fenchel/metric"
	"github.com/fenchel-ml/fenchel/model"
)

// ThresholdEvaluation is what comes of predicting the second of two classes above a score.
type ThresholdEvaluation struct {
	Score       float64  `json:"score"`
	Probability *float64 `json:"probability,omitempty"` // of the second class at that score, where the model has any
	Precision   *float64 `json:"precision,omitempty"`   // absent: no row is flagged
	Recall      float64  `json:"recall"`
	Flagged     float64  `json:"flagged"` // share of the rows that score above
	Cost        *float64 `json:"cost,omitempty"`
	Used        bool     `json:"used,omitempty"` // the model predicts by it
}

// flagged are the shares of the rows that the table of thresholds flags, beside that of the model.
var flagged = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75}

// threshold adds the table of thresholds, of the model's and of those that flag usual shares, and
// the mean cost where the model has costs.
func (e *Evaluation) threshold(m *model.Model, margin []float64, truth []int, weight []float64) {
	order := make([]int, len(margin))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(margin[j], margin[i]) })
	at := func(i int) float64 {
		if weight == nil {
			return 1
		}
		return weight[i]
	}
	var all, positive float64
	for i, c := range truth {
		all += at(i)
		if c == 1 {
			positive += at(i)
		}
	}
	own := 0.0
	if m.Threshold != nil {
		own = m.Threshold.Score
	}
	var taken, right float64
	share := 0
	note := func(score float64, used bool) {
		row := ThresholdEvaluation{Score: score, Recall: right / positive, Flagged: taken / all, Precision: metric.Present(right / taken), Used: used}
		if m.HasProbabilities() {
			scores := []float64{score}
			if len(m.Outputs) == 2 {
				scores = []float64{0, score}
			}
			row.Probability = &m.Probabilities(nil, scores)[1]
		}
		if m.Threshold.Chosen() {
			cost := ((positive-right)*m.Threshold.Costs[1] + (taken-right)*m.Threshold.Costs[0]) / all
			if row.Cost = &cost; used {
				e.Cost = &cost
			}
		}
		e.Thresholds = append(e.Thresholds, row)
	}
	noted := false
	for k, i := range order {
		if !noted && margin[i] <= own {
			note(own, true)
			noted = true
		}
		if taken += at(i); truth[i] == 1 {
			right += at(i)
		}
		last := k+1 == len(order)
		for share < len(flagged) && taken >= flagged[share]*all && !last && margin[order[k+1]] < margin[i] {
			note(margin[order[k+1]]+(margin[i]-margin[order[k+1]])/2, false)
			for share++; share < len(flagged) && taken >= flagged[share]*all; share++ {
			}
		}
	}
	if !noted {
		note(own, true)
	}
}
