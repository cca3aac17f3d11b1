package fenchel_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Train on rows in memory. The answer comes with its proof: no weights
// whatever have an objective below the bound.
func ExampleTrain() {
	rows := [][]float32{{1, 2}, {2, 3}, {2, 1}, {-1, -1}, {-2, -1}, {-1, -3}}
	labels := []string{"spam", "spam", "spam", "ham", "ham", "ham"}

	set, err := data.FromDense(rows, data.Labels(labels))
	if err != nil {
		log.Fatal(err)
	}
	result, err := fenchel.Train(context.Background(), set, fenchel.Spec{Loss: "hinge", C: 10, Gap: 1e-4})
	if err != nil {
		log.Fatal(err)
	}
	proof := result.Summary
	fmt.Println("status:", result.Status)
	fmt.Printf("objective: %.4f\n", proof.Primal)
	fmt.Println("proved to 0.01 %:", proof.Primal-proof.Dual <= 1e-4*proof.Primal)
	fmt.Println("a new row is", result.Model.Class(matrix.Vector{Value: []float32{3, 2}}))
	// Output:
	// status: converged
	// objective: 0.0027
	// proved to 0.01 %: true
	// a new row is spam
}

// Train on a file, save the model, and check its proof as anyone can who has
// the file and the model.
func ExampleVerify() {
	folder, err := os.MkdirTemp("", "fenchel")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "houses.csv")
	table := "rooms,garden,price\n2,no,180\n3,no,240\n3,yes,275\n4,yes,330\n5,yes,390\n"
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	set, err := data.Read(ctx, []string{path}, data.Options{Target: "price"})
	if err != nil {
		log.Fatal(err)
	}
	result, err := fenchel.Train(ctx, set, fenchel.Spec{Task: "regression", Lambda: 0.001})
	if err != nil {
		log.Fatal(err)
	}
	if err := result.Model.WriteFile(filepath.Join(folder, "houses.model")); err != nil {
		log.Fatal(err)
	}
	verification, err := fenchel.Verify(ctx, result.Model, set, fenchel.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("false claims:", len(verification.Problems))
	fmt.Println("features:", result.Model.Features)
	// Output:
	// false claims: 0
	// features: [rooms garden]
}

// Predict one row, by class, score and probability.
func Example_scores() {
	rows := []matrix.Vector{
		{Index: []uint32{0, 7}, Value: []float32{1, 1}},
		{Index: []uint32{0, 3}, Value: []float32{1, 2}},
		{Index: []uint32{5}, Value: []float32{1}},
		{Index: []uint32{5, 6}, Value: []float32{1, 1}},
	}
	set, err := data.FromSparse(rows, 10, data.Labels([]string{"yes", "yes", "no", "no"}))
	if err != nil {
		log.Fatal(err)
	}
	result, err := fenchel.Train(context.Background(), set, fenchel.Spec{Loss: "logistic", Gap: 1e-6})
	if err != nil {
		log.Fatal(err)
	}

	m, row := result.Model, matrix.Vector{Index: []uint32{0, 3}, Value: []float32{1, 1}}
	scores := m.Scores(nil, row)
	fmt.Println("class:", m.Class(row))
	fmt.Printf("score: %+.1f\n", scores[0])
	for c, p := range m.Probabilities(nil, scores) {
		fmt.Printf("%s: %.0f %%\n", m.Classes[c], 100*p)
	}
	// Output:
	// class: yes
	// score: +0.8
	// no: 31 %
	// yes: 69 %
}

// Stop when you like: the result is the best model so far, and its proof says
// how good that is.
func ExampleTrain_stop() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	set, err := data.Read(ctx, []string{"@linear:n=200,d=20"}, data.Options{})
	if err != nil {
		log.Fatal(err)
	}
	result, err := fenchel.Train(ctx, set, fenchel.Spec{
		Gap: 1e-12,
		Run: fenchel.Run{Progress: func(p fenchel.Progress) {
			if p.Certificate.Relative() < 0.01 {
				stop() // good enough
			}
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("status:", result.Status)
	fmt.Println("within 1 % of the best possible:", result.Summary.Gap < 0.01)
	// Output:
	// status: interrupted
	// within 1 % of the best possible: true
}

// A kernel machine finds what no line separates; its proof is of the same kind.
func ExampleTrain_kernel() {
	ctx := context.Background()
	set, err := data.Read(ctx, []string{"@spirals:n=300"}, data.Options{})
	if err != nil {
		log.Fatal(err)
	}
	result, err := fenchel.Train(ctx, set, fenchel.Spec{Kernel: "rbf:gamma=10", C: 10})
	if err != nil {
		log.Fatal(err)
	}
	e, err := fenchel.Evaluate(ctx, result.Model, set, fenchel.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("status:", result.Status)
	fmt.Println("more than 95 % right:", *e.Accuracy > 0.95)
	fmt.Println("support vectors are some of the rows:", result.Model.Support.Len() < set.Rows())
	// Output:
	// status: converged
	// more than 95 % right: true
	// support vectors are some of the rows: true
}
