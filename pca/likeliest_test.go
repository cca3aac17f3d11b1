package pca

import (
	"context"
	"strings"
	"testing"
)

func TestMostLikelyNumber(t *testing.T) {
	set, _ := lowRank(1000, 20, 5, 0.1)
	m := fitKernel(t, set, Spec{Likeliest: true})
	if m.Statement.K != 5 {
		t.Errorf("found %d components, expected the 5 that the rows have", m.Statement.K)
	}
	few, _ := lowRank(10, 20, 5, 0.1)
	for expected, spec := range map[string]Spec{
		"at least as many rows": {Likeliest: true},
		"expected it alone":     {Likeliest: true, K: 2},
	} {
		if _, err := Fit(context.Background(), few, spec); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%+v: %v, expected %s", spec, err, expected)
		}
	}
	if _, err := NewStream(set.X, nil, Spec{Likeliest: true}); err == nil {
		t.Error("a stream was begun, of which not all variances are known")
	}
}
