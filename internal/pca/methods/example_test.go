package methods_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/learner"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
)

// Components of a stream: each block of rows is seen once and then forgotten, and the
// components so far can be asked for at any time.
func Example_stream() {
	rows, err := data.Blocks(context.Background(), []string{"@low-rank:n=4000,d=20,rank=2"}, data.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	algorithm, err := methods.New("history")
	if err != nil {
		log.Fatal(err)
	}
	stream := learner.NewLearner(algorithm.(method.Streaming), method.Problem{Cols: rows.Cols(), K: 2, Seed: 1}, false, "none")
	for block, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		if err := stream.Learn(block); err != nil {
			log.Fatal(err)
		}
	}
	answer, err := stream.Answer()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d directions of %d features from %d rows\n", answer.Basis.K, answer.Basis.Cols, stream.Taken())
	// Output: 2 directions of 20 features from 4000 rows
}

// Prove how much of the variance components capture, whatever program found them.
func Example_certify() {
	set, err := data.FromDense([][]float32{{2, 0}, {-2, 0}, {0, 1}, {0, -1}}, data.Target{})
	if err != nil {
		log.Fatal(err)
	}
	for _, direction := range [][]float64{{0, 1}, {0.6, 0.8}, {1, 0}} {
		basis := method.Basis{K: 1, Cols: 2, Component: direction}
		c, err := certificate.Certify(context.Background(), view.Rows{X: set.X}, basis, 0, 1)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v captures %.2f, at most %.2f can be\n", direction, c.Captured, c.Upper)
	}
	// Output:
	// [0 1] captures 0.50, at most 2.00 can be
	// [0.6 0.8] captures 1.04, at most 2.00 can be
	// [1 0] captures 2.00, at most 2.00 can be
}
