package fenchel_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// BenchmarkScores scores all rows of a set in memory; MB/s counts the eight
// bytes of a stored value. More outputs read a row once for each.
func BenchmarkScores(b *testing.B) {
	for _, classes := range []int{2, 20} {
		source := fmt.Sprintf("@text:n=20000,classes=%d", classes)
		set, err := data.Read(context.Background(), []string{source}, data.Options{})
		if err != nil {
			b.Fatal(err)
		}
		r, err := fenchel.Train(context.Background(), set, fenchel.Spec{Run: fenchel.Run{Epochs: 1}})
		if err != nil {
			b.Fatal(err)
		}
		for _, threads := range []int{1, 0} {
			b.Run(fmt.Sprintf("classes=%d/threads=%d", classes, threads), func(b *testing.B) {
				b.SetBytes(8 * matrix.Nonzeros(set.X))
				for b.Loop() {
					model.Scores(r.Model, set.X, threads)
				}
				b.ReportMetric(float64(set.Rows()*b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}
