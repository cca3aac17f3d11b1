package dataset_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestMisuse: what breaks a law of what is asked for is an error, whatever comes first.
// Package train has the table of sets that are none.
func TestMisuse(t *testing.T) {
	ctx := context.Background()
	first := func(opt dataset.Options) error {
		for _, err := range dataset.Arriving(ctx, opt) {
			return err
		}
		return nil
	}
	odd := &dataset.Schema{Columns: []dataset.Column{{Name: "a", Kind: "?"}, {Name: "b"}}, Header: true, Target: 1, Weight: -1}
	text := func() io.Reader { return strings.NewReader("a,b\n1,2\n") }
	none := &dataset.RowStream{}
	_, ended := none.Next()
	for name, err := range map[string]error{
		"codes without labels":   failure(dataset.FromDense([][]float32{{1}}, dataset.Target{Code: []uint32{0}})),
		"negative columns":       failure(dataset.FromSparse([]matrix.Vector{{}}, -1, dataset.Target{})),
		"Arriving from nothing":  first(dataset.Options{}),
		"Arriving with a schema": first(dataset.Options{Stdin: text(), Schema: odd}),
		"Read with a schema":     failure(dataset.Read(ctx, []string{"-"}, dataset.Options{Stdin: text(), Schema: odd})),
		"Blocks with a schema":   failure(dataset.Blocks(ctx, []string{"-"}, dataset.Options{Stdin: text(), Schema: odd})),
		"ReadFrom nothing":       failure(dataset.ReadFrom(ctx, nil, "x.csv", dataset.Options{})),
		"a stream of nothing":    ended,
	} {
		if err == nil {
			t.Errorf("%s: found no error", name)
		}
	}
	if err := none.Close(); err != nil {
		t.Error(err)
	}
	if found := (&dataset.Schema{Target: 4, Weight: 9}).Summary(); found != "0: " {
		t.Errorf("found the summary %q", found)
	}
}

func failure[T any](_ T, err error) error { return err }
