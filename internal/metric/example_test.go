package metric_test

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/metric"
)

// Judge the predictions of any program: how many are right, and which class is missed.
func ExampleConfusion() {
	c := metric.NewConfusion([]string{"ham", "spam"})
	truth, predicted := []int{0, 0, 0, 1, 1}, []int{0, 0, 1, 1, 0}
	for i := range truth {
		c.Add(truth[i], predicted[i], 1)
	}
	fmt.Printf("accuracy %.2f\n", c.Accuracy())
	for _, s := range c.Scores() {
		fmt.Printf("%s: precision %.2f, recall %.2f\n", s.Class, s.Precision, s.Recall)
	}
	// Output:
	// accuracy 0.60
	// ham: precision 0.67, recall 0.67
	// spam: precision 0.50, recall 0.50
}
