package data_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestMisuse: what breaks a law of what is asked for is an error, whatever comes first.
// Package train has the table of sets that are none.
func TestMisuse(t *testing.T) {
	ctx := context.Background()
	first := func(opt data.Options) error {
		for _, err := range data.Arriving(ctx, opt) {
			return err
		}
		return nil
	}
	odd := &data.Schema{Columns: []data.Column{{Name: "a", Kind: "?"}, {Name: "b"}}, Header: true, Target: 1, Weight: -1}
	text := func() io.Reader { return strings.NewReader("a,b\n1,2\n") }
	none := &data.RowStream{}
	_, ended := none.Next()
	for name, err := range map[string]error{
		"codes without labels":   failure(data.FromDense([][]float32{{1}}, data.Target{Code: []uint32{0}})),
		"negative columns":       failure(data.FromSparse([]matrix.Vector{{}}, -1, data.Target{})),
		"Arriving from nothing":  first(data.Options{}),
		"Arriving with a schema": first(data.Options{Source: data.Source{Stdin: text()}, Schema: odd}),
		"Read with a schema":     failure(data.Read(ctx, []string{"-"}, data.Options{Source: data.Source{Stdin: text()}, Schema: odd})),
		"Blocks with a schema":   failure(data.Blocks(ctx, []string{"-"}, data.Options{Source: data.Source{Stdin: text()}, Schema: odd})),
		"ReadFrom nothing":       failure(data.ReadFrom(ctx, nil, "x.csv", data.Options{})),
		"a stream of nothing":    ended,
	} {
		if err == nil {
			t.Errorf("%s: found no error", name)
		}
	}
	if err := none.Close(); err != nil {
		t.Error(err)
	}
	if found := (&data.Schema{Target: 4, Weight: 9}).Summary(); found != "0: " {
		t.Errorf("found the summary %q", found)
	}
}

func failure[T any](_ T, err error) error { return err }
