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
	c := thresholdCounts{model: m}
	of := Truth{truth, nil, weight}
	for i := range truth {
		c.all += of.weight(i)
		if truth[i] == 1 {
			c.positive += of.weight(i)
		}
	}
	used, noted, share := 0.0, false, 0
	if m.Threshold != nil {
		used = m.Threshold.Score
	}
	for k, i := range order {
		if !noted && margin[i] <= used {
			e.Thresholds, noted = append(e.Thresholds, c.at(used, true)), true
		}
		if c.flagged += of.weight(i); truth[i] == 1 {
			c.right += of.weight(i)
		}
		if k+1 == len(order) || margin[order[k+1]] == margin[i] {
			continue
		}
		for reached := false; share < len(flagged) && c.flagged >= flagged[share]*c.all; share++ {
			if !reached {
				below := margin[order[k+1]]
				e.Thresholds, reached = append(e.Thresholds, c.at(below+(margin[i]-below)/2, false)), true
			}
		}
	}
	if !noted {
		e.Thresholds = append(e.Thresholds, c.at(used, true))
	}
	for _, t := range e.Thresholds {
		if t.Used {
			e.Cost = t.Cost
		}
	}
}

// thresholdCounts are the weights of all rows, of those of the second class, of those that score
// above a threshold, and of those of them that are of the second class.
type thresholdCounts struct {
	model                         *model.Model
	all, positive, flagged, right float64
}

// at is what the counts say of the threshold that they are of.
func (c *thresholdCounts) at(score float64, used bool) ThresholdEvaluation {
	t := ThresholdEvaluation{Score: score, Recall: c.right / c.positive, Flagged: c.flagged / c.all, Precision: metric.Present(c.right / c.flagged), Used: used}
	if c.model.HasProbabilities() {
		scores := []float64{score}
		if len(c.model.Outputs) == 2 {
			scores = []float64{0, score}
		}
		t.Probability = &c.model.Probabilities(nil, scores)[1]
	}
	if c.model.Threshold.Chosen() {
		costs := c.model.Threshold.Costs
		cost := (float64((c.positive-c.right)*costs[1]) + float64((c.flagged-c.right)*costs[0])) / c.all
		t.Cost = &cost
	}
	return t
}
