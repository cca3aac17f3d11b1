package metric

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// Three classes, eight rows, one of them of a class the model has never seen:
//
//	true \ predicted   a  b  c
//	a                  2  1  0      a: precision 2/3, recall 2/3, F1 4/6
//	b                  1  1  0      b: precision 1/3, recall 1/2, F1 2/5
//	c                  0  0  2      c: precision 1,   recall 1,   F1 1
//	(unknown)          0  1  0         precision 0/0, recall 0,   F1 0
func example() *Confusion {
	c := NewConfusion([]string{"a", "b", "c"})
	for _, pair := range [][2]int{{0, 0}, {0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 2}, {2, 2}, {Unknown, 1}} {
		c.Add(pair[0], pair[1], 1)
	}
	return c
}

func TestConfusion(t *testing.T) {
	c := example()
	want(t, "accuracy", c.Accuracy(), 5.0/8)
	want(t, "error", c.ErrorRate(), 3.0/8)
	want(t, "macro F1", c.MacroF1(), (2.0/3+2.0/5+1+0)/4)
	want(t, "balanced accuracy", c.BalancedAccuracy(), (2.0/3+1.0/2+1+0)/4)

	names, count := c.Matrix()
	if !reflect.DeepEqual(names, []string{"a", "b", "c", "(unknown)"}) ||
		!reflect.DeepEqual(count, [][]float64{{2, 1, 0}, {1, 1, 0}, {0, 0, 2}, {0, 1, 0}}) {
		t.Errorf("found %v %v", names, count)
	}
	b := c.Scores()[1]
	want(t, "precision of b", b.Precision, 1.0/3)
	want(t, "recall of b", b.Recall, 1.0/2)
	want(t, "F1 of b", b.F1, 2.0/5)
	want(t, "support of b", b.Support, 2)
	if last := c.Scores()[3]; !last.NoPrediction || last.NoSupport || last.Recall != 0 {
		t.Errorf("found %+v", last)
	}
}

func TestConfusionUndefined(t *testing.T) {
	c := NewConfusion([]string{"a", "b", "c"})
	for name, f := range map[string]func() float64{
		"Accuracy": c.Accuracy, "ErrorRate": c.ErrorRate, "MacroF1": c.MacroF1,
		"BalancedAccuracy": c.BalancedAccuracy,
	} {
		if x := f(); !math.IsNaN(x) {
			t.Errorf("%s without rows: found %v, expected NaN", name, x)
		}
	}
	c.Add(0, 1, 1) // a is missed, b is wrongly predicted, c does not occur
	scores := c.Scores()
	if len(scores) != 3 {
		t.Fatalf("found %d classes, expected 3: no label was unknown", len(scores))
	}
	for i, expected := range []ClassScore{
		{Class: "a", Support: 1, NoPrediction: true},
		{Class: "b", Predicted: 1, NoSupport: true},
		{Class: "c", NoPrediction: true, NoSupport: true},
	} {
		if scores[i] != expected {
			t.Errorf("found %+v, expected %+v", scores[i], expected)
		}
	}
	c.Add(0, 0, 1)
	// a: precision 1, recall 1/2, F1 2/3; b: F1 0; c is not counted.
	want(t, "macro F1", c.MacroF1(), (2.0/3+0)/2)
	want(t, "balanced accuracy", c.BalancedAccuracy(), 1.0/2)
}

// The ratios of the matrix against counting rows one by one.
func TestConfusionBrute(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		k, n := 1+r.IntN(4), 1+r.IntN(30)
		c := NewConfusion(make([]string, k))
		truth, predicted := make([]int, n), make([]int, n)
		for i := range n {
			truth[i], predicted[i] = r.IntN(k+1)-1, r.IntN(k)
			c.Add(truth[i], predicted[i], 1)
		}
		right := 0.0
		for i := range n {
			right += indicator(truth[i] == predicted[i])
		}
		want(t, "accuracy", c.Accuracy(), right/float64(n))
		want(t, "error", c.ErrorRate(), 1-right/float64(n))
		for class := range k {
			var hit, miss, alarm float64
			for i := range n {
				hit += indicator(truth[i] == class && predicted[i] == class)
				miss += indicator(truth[i] == class && predicted[i] != class)
				alarm += indicator(truth[i] != class && predicted[i] == class)
			}
			s := c.Scores()[class]
			want(t, "precision", s.Precision, orZero(hit, hit+alarm))
			want(t, "recall", s.Recall, orZero(hit, hit+miss))
			want(t, "F1", s.F1, orZero(2*s.Precision*s.Recall, s.Precision+s.Recall))
		}
	}
}
