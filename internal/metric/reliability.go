package metric

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Reliability compares the probabilities that were said with how often what they are of happened, in
// ten bins of them, and takes the Brier score apart by these bins.
//
//	Brier = Reliability - Resolution + Uncertainty + Within
//
// f is the mean probability of a bin, o the share of its rows that are of the class, o' that of all rows:
//
//	Reliability  mean over rows of (f - o)^2: 0 where probabilities are true
//	Resolution   mean over rows of (o - o')^2: what they tell apart
//	Uncertainty  o' (1 - o'): the Brier score of saying o' of every row
//	Within       the rest, of probabilities of one bin that differ (Stephenson, Coelho, Jolliffe 2008)
//
// Of two classes it is about the second; of more the parts are summed over the classes, as the Brier
// score is, and the bins hold all of them. (Murphy, A New Vector Partition of the Probability Score, 1973.)
type Reliability struct {
	Bins             []Bin   `json:"bins"`              // those with rows, from the lowest on
	CalibrationError float64 `json:"calibration_error"` // mean distance of the mean probability of a bin from the share, by the weight of bins (expected calibration error)
	Reliability      float64 `json:"reliability"`
	Resolution       float64 `json:"resolution"`
	Uncertainty      float64 `json:"uncertainty"`
	Within           float64 `json:"within"`
}

// Bin is the probabilities from Lower on and below Upper, the last one with 1.
type Bin struct {
	Lower  float64 `json:"lower"`
	Upper  float64 `json:"upper"`
	Weight float64 `json:"weight"` // of rows, of more than two classes once for each class
	Mean   float64 `json:"mean"`   // mean probability
	Share  float64 `json:"share"`  // share that is of the class
}

// bins of probabilities.
const bins = 10

// tally is what is summed of a bin.
type tally struct{ weight, said, hit vec.Sum }

// MeasureReliability takes the arguments of [LogLoss]. nil without rows of a weight, or when a probability is NaN.
func MeasureReliability(probability [][]float64, truth []int, weight []float64) *Reliability {
	check(len(probability), len(truth), weight)
	brier := Brier(probability, truth, weight)
	if math.IsNaN(brier) {
		return nil
	}
	var r Reliability
	var all [bins]tally
	classes := len(probability[0])
	for c := range classes {
		if classes == 2 && c == 0 {
			continue
		}
		var one [bins]tally
		for i, p := range probability {
			b, w := max(0, min(bins-1, int(p[c]*bins))), at(weight, i)
			for _, t := range []*tally{&one[b], &all[b]} {
				t.weight.Add(w)
				t.said.Add(float64(w * p[c]))
				if truth[i] == c {
					t.hit.Add(w)
				}
			}
		}
		r.add(one)
	}
	r.Within = brier - (r.Reliability - r.Resolution + r.Uncertainty)
	total := 0.0
	for b := range all {
		t := &all[b]
		w := t.weight.Value()
		if w == 0 {
			continue
		}
		bin := Bin{float64(b) / bins, float64(b+1) / bins, w, t.said.Value() / w, t.hit.Value() / w}
		r.Bins = append(r.Bins, bin)
		r.CalibrationError += float64(w * math.Abs(bin.Mean-bin.Share))
		total += w
	}
	r.CalibrationError /= total
	return &r
}

// add adds the parts of one class.
func (r *Reliability) add(class [bins]tally) {
	total, hits := 0.0, 0.0
	for b := range class {
		total, hits = total+class[b].weight.Value(), hits+class[b].hit.Value()
	}
	base := hits / total
	r.Uncertainty += float64(base * (1 - base))
	for b := range class {
		w := class[b].weight.Value()
		if w == 0 {
			continue
		}
		said, share := class[b].said.Value()/w, class[b].hit.Value()/w
		r.Reliability += float64(w / total * float64((said-share)*(said-share)))
		r.Resolution += float64(w / total * float64((share-base)*(share-base)))
	}
}
