package data_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/matrix"
)

func TestGeneratorErrors(t *testing.T) {
	for spec, expected := range map[string]string{
		"@tex":                       `unknown generator "tex": did you mean "text"? known: blobs, chords, documents, heavy-tailed, linear, low-rank, pca-gaussian, pca-orthogonal, spirals, text, toy, two-point`,
		"@":                          `unknown generator "": known: blobs, chords, documents, heavy-tailed, linear, low-rank, pca-gaussian, pca-orthogonal, spirals, text, toy, two-point`,
		"@toy:n=0":                   `generator "toy": n=0: expected a whole number from 1 to 1099511627776`,
		"@toy:d=x":                   `generator "toy": d=x: expected a whole number from 1 to 1048576`,
		"@toy:seed=-1":               `generator "toy": seed=-1: expected a whole number from 0 to 9223372036854775807`,
		"@toy:nn=3":                  `generator "toy": unknown parameter "nn": did you mean "n"? known: n, skip, seed, d`,
		"@toy:n":                     `generator "toy": found "n", expected key=value`,
		"@text:nnz=40,d=50":          `generator "text": nnz=40: expected a whole number from 1 to 25`,
		"@text:signal=2":             `generator "text": signal=2: expected a number from 0 to 1`,
		"@text:noise=nan":            `generator "text": noise=nan: expected a number from 0 to 1`,
		"@text:classes=1":            `generator "text": classes=1: expected a whole number from 2 to 10000`,
		"@text:d=1000000000000":      `generator "text": d=1000000000000: expected a whole number from 10 to 16777216`,
		"@blobs:spread=-1":           `generator "blobs": spread=-1: expected a number from 0 to 1e+06`,
		"@blobs:d=100000,skip=-1":    `generator "blobs": skip=-1: expected a whole number from 0 to 1099511627776`,
		"@blobs:d=9999,classes=9999": `generator "blobs": classes=9999: expected classes times d at most 67108864, found d=9999`,
		"@spirals:classes=101":       `generator "spirals": classes=101: expected a whole number from 2 to 100`,
		"@linear:density=0":          `generator "linear": density=0: expected a number above 0 and at most 1`,
		"@linear:d=5,support=6":      `generator "linear": support=6: expected a whole number from 1 to 5`,
		"@linear:noise=inf":          `generator "linear": noise=inf: expected a number from 0 to 1e+06`,
	} {
		_, err := data.Read(context.Background(), []string{spec}, data.Options{})
		if err == nil || err.Error() != expected {
			t.Errorf("%s: found %v\nexpected %s", spec, err, expected)
		}
	}
}

func TestGenerate(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	s, err := data.Read(ctx, []string{"@text:n=30,d=100,nnz=10,classes=3"}, data.Options{})
	if err != nil || s.Rows() != 30 || s.Cols() != 100 || len(s.Target.Label) != 3 || len(s.Target.Number) != 30 {
		t.Fatalf("found %+v, %v", s, err)
	}
	if _, sparse := s.X.(*matrix.CSR); !sparse {
		t.Error("documents are not sparse")
	}
	s, err = data.Read(ctx, []string{"@linear:n=7,d=4"}, data.Options{Columns: 3})
	if err != nil || s.Rows() != 7 || s.Cols() != 3 || len(s.Warnings) != 1 || len(s.Target.Number) != 7 {
		t.Fatalf("found %+v, %v", s, err)
	}
	s, err = data.Read(ctx, []string{"@toy:n=5"}, data.Options{})
	if err != nil || len(s.Target.Label) != 2 || math.Abs(s.Target.Number[0]) != 1 {
		t.Fatalf("found %+v, %v", s, err)
	}
	for i, c := range s.Target.Code {
		if fmt.Sprintf("%+g", s.Target.Number[i]) != s.Target.Label[c] {
			t.Errorf("row %d: number %v, label %s", i, s.Target.Number[i], s.Target.Label[c])
		}
	}
	stop()
	if _, err := data.Read(ctx, []string{"@toy"}, data.Options{}); err != context.Canceled {
		t.Errorf("found %v, expected %v", err, context.Canceled)
	}
}

func TestGeneratorsWithoutTargets(t *testing.T) {
	for _, spec := range []string{"@pca-gaussian:n=9", "@two-point:n=9"} {
		s, err := data.Read(t.Context(), []string{spec}, data.Options{})
		if err != nil || !s.Target.Absent() || s.Rows() != 9 || s.Target.Label != nil {
			t.Errorf("%s: found %+v, %v", spec, s, err)
		}
	}
	for spec, want := range map[string]string{
		"@pca-gaussian:k=32":          `generator "pca-gaussian": k=32: expected a whole number from 1 to 31`,
		"@pca-orthogonal:kind=x":      `generator "pca-orthogonal": kind=x: expected one of sqrt, exact, scaled`,
		"@pca-gaussian:d=1":           `generator "pca-gaussian": d=1: expected a whole number from 2 to 1048576`,
		"@two-point:scale=1":          `generator "two-point": scale=1: expected one of unit, print`,
		"@low-rank:rank=101":          `generator "low-rank": rank=101: expected a whole number from 1 to 100`,
		"@low-rank:decay=0":           `generator "low-rank": decay=0: expected a number above 0 and at most 1`,
		"@low-rank:d=1048576,rank=99": `generator "low-rank": rank=99: expected d times rank at most 67108864, found d=1048576`,
		"@heavy-tailed:rare=0":        `generator "heavy-tailed": rare=0: expected a number from 1e-9 to 1`,
	} {
		if _, _, err := generate.Stream(spec); err == nil || err.Error() != want {
			t.Errorf("%s: found %v\nexpected %s", spec, err, want)
		}
	}
}
