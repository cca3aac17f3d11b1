package pca_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/pca"
	"github.com/fenchel-ml/fenchel/solver"
)

// Components of rows in memory, with the proof of how much they capture, and the
// coordinates of one row along them.
func ExampleFit() {
	rows := [][]float32{{1, 2, 0}, {2, 4, 0}, {3, 6, 0}, {4, 8, 1}, {5, 10, 0}}
	set, err := data.FromDense(rows, data.Target{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := pca.Fit(context.Background(), set, pca.Spec{K: 1})
	if err != nil {
		log.Fatal(err)
	}
	proof := r.Model.Proof
	fmt.Printf("%s: %.4g of %.4g captured, at most %.4g can be\n", r.Status, proof.Captured, proof.Total, proof.Upper)
	score := make([]float64, 1)
	r.Model.Transform(score, set.X.Row(0))
	fmt.Printf("first row: %.4g\n", score[0])
	// Output:
	// converged: 10.02 of 10.16 captured, at most 10.02 can be
	// first row: -4.477
}

// A stream of rows, block after block; what was learned can be kept and taken up
// again.
func ExampleNewStream() {
	blocks, err := data.Blocks(context.Background(), []string{"@low-rank:n=5000,d=20,rank=2"}, data.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer blocks.Close()
	var stream *pca.Stream
	for x, err := range blocks.All() {
		if err != nil {
			log.Fatal(err)
		}
		if stream == nil {
			if stream, err = pca.NewStream(x, blocks.Feature, pca.Spec{K: 2}); err != nil {
				log.Fatal(err)
			}
		}
		if err := stream.Learn(x); err != nil {
			log.Fatal(err)
		}
	}
	r, err := stream.Result(solver.EpochLimit)
	if err != nil {
		log.Fatal(err)
	}
	h := r.Model.Proof.HeldOut
	fmt.Printf("%d rows, %.0f %% of the variance of %d others captured\n", r.Model.Data.Rows-h.Rows, 100*h.Captured/h.Total, h.Rows)
	again, err := pca.Resume(r.Model, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Rows(), "rows before the next")
	// Output:
	// 4733 rows, 99 % of the variance of 267 others captured
	// 5000 rows before the next
}
