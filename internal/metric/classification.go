package metric

import (
	"fmt"
	"math"
)

// Unknown is the true code of a row whose label the model has never seen. No
// prediction can be right there.
const Unknown = -1

// UnknownClass names the row of the confusion matrix that counts such rows.
const UnknownClass = "(unknown)"

// Confusion counts (true, predicted) pairs of classes by row weight.
//
// With c[t][p] the weight of the rows of class t predicted as p:
//
//	accuracy    = sum_t c[t][t] / sum_tp c[t][p]
//	precision_k = c[k][k] / sum_t c[t][k]      recall_k = c[k][k] / sum_p c[k][p]
//	F1_k        = 2 c[k][k] / (sum_t c[t][k] + sum_p c[k][p])
//
// Rows with an unknown true label form one more class, which is never
// predicted: they lower every average just as any class that is always missed.
type Confusion struct {
	classes []string
	count   []float64 // (k+1) x k, row-major; the last row is UnknownClass
}

// NewConfusion returns an empty matrix for the k classes a model can predict.
func NewConfusion(classes []string) *Confusion {
	k := len(classes)
	return &Confusion{classes: classes, count: make([]float64, (k+1)*k)}
}

// Add counts one row: truth is a class code or Unknown, predicted a class code.
func (c *Confusion) Add(truth, predicted int, weight float64) {
	k := len(c.classes)
	if truth == Unknown {
		truth = k
	}
	if truth < 0 || truth > k || predicted < 0 || predicted >= k {
		panic(fmt.Sprintf("metric: true class %d, predicted class %d, of %d classes", truth, predicted, k))
	}
	c.count[truth*k+predicted] += weight
}

// Matrix returns the names of the rows and the weights counted in them: one
// row a true class, one column a predicted class in the order of NewConfusion.
// The row UnknownClass is last, and there only if it counted something.
func (c *Confusion) Matrix() (truth []string, count [][]float64) {
	for t, s := range c.Scores() {
		truth = append(truth, s.Class)
		count = append(count, c.row(t))
	}
	return truth, count
}

func (c *Confusion) row(t int) []float64 {
	k := len(c.classes)
	return c.count[t*k : (t+1)*k : (t+1)*k]
}

// Accuracy is the share of right predictions; NaN without rows. It is also
// the micro-averaged precision, recall and F1, because every row has exactly
// one true and one predicted class.
func (c *Confusion) Accuracy() float64 {
	right, total := c.totals()
	return right / total
}

// ErrorRate is the share of wrong predictions, 1 - Accuracy computed without
// cancellation; NaN without rows.
func (c *Confusion) ErrorRate() float64 {
	right, total := c.totals()
	return (total - right) / total
}

func (c *Confusion) totals() (right, total float64) {
	k := len(c.classes)
	for i, x := range c.count {
		total += x
		if i/k == i%k {
			right += x
		}
	}
	return right, total
}

// ClassScore judges one class. A ratio 0/0 counts as 0 and is flagged.
type ClassScore struct {
	Class                 string
	Support, Predicted    float64 // weight of the rows truly of the class, and predicted to be
	Precision, Recall, F1 float64
	NoPrediction          bool // Precision is 0/0: the class was never predicted
	NoSupport             bool // Recall is 0/0: no row is of the class
}

// Scores judges every class in the order of NewConfusion, and UnknownClass
// last if rows with an unknown label were counted.
func (c *Confusion) Scores() []ClassScore {
	k := len(c.classes)
	scores := make([]ClassScore, 0, k+1)
	for t := range k + 1 {
		s := ClassScore{Class: UnknownClass}
		right := 0.0
		for _, x := range c.row(t) {
			s.Support += x
		}
		if t < k {
			s.Class, right = c.classes[t], c.count[t*k+t]
			for r := range k + 1 {
				s.Predicted += c.count[r*k+t]
			}
		} else if s.Support == 0 {
			break
		}
		s.NoPrediction, s.NoSupport = s.Predicted == 0, s.Support == 0
		s.Precision = orZero(right, s.Predicted)
		s.Recall = orZero(right, s.Support)
		s.F1 = orZero(2*right, s.Predicted+s.Support)
		scores = append(scores, s)
	}
	return scores
}

// orZero is a/b with 0/0 = 0.
func orZero(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// MacroF1 is the plain mean of F1 over the classes that occur, as true or as
// predicted class; a class the model knows but these rows neither have nor
// get is not counted (scikit-learn's convention). NaN without rows.
func (c *Confusion) MacroF1() float64 {
	return c.average(func(s ClassScore) (value, weight float64) {
		return s.F1, indicator(!s.NoPrediction || !s.NoSupport)
	})
}

// BalancedAccuracy is the plain mean of recall over the classes that have
// rows; NaN without rows.
func (c *Confusion) BalancedAccuracy() float64 {
	return c.average(func(s ClassScore) (value, weight float64) { return s.Recall, indicator(!s.NoSupport) })
}

func (c *Confusion) average(f func(ClassScore) (value, weight float64)) float64 {
	sum, total := 0.0, 0.0
	for _, s := range c.Scores() {
		value, weight := f(s)
		sum += weight * value
		total += weight
	}
	if total == 0 {
		return math.NaN()
	}
	return sum / total
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
