package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/train"
)

// TestUnproved checks that only a finite bound that suffices is called true.
func TestUnproved(t *testing.T) {
	m := &model.Model{Statement: model.Statement{Gap: 1e-3}}
	for _, c := range []struct {
		name         string
		primal, dual float64
		rebuilt      bool
		worst        float64
		want         string
	}{
		{"proved", 1, 0.9995, false, 5e-4, "true"},
		{"rebuilt and enough", 1, 0.9995, true, 5e-4, "true"},
		{"rebuilt and too weak", 1, 0.5, true, 0.5, "unproved"},
		{"no bound", 1, math.Inf(-1), false, math.Inf(1), "unproved"},
		{"no objective", math.Inf(1), 0, false, math.Inf(1), "unproved"},
		{"not a number", math.NaN(), 0, false, math.NaN(), "unproved"},
	} {
		v := &train.Verification{Rebuilt: c.rebuilt, Found: train.Summary{Primal: c.primal, Dual: c.dual, Worst: c.worst}}
		var out bytes.Buffer
		printVerification(report{&out}, m, v)
		if got, _, _ := strings.Cut(out.String(), " "); got != c.want {
			t.Errorf("%s: printed %q, want %q", c.name, got, c.want)
		}
		if valid := verificationJSON(m, v)["valid"]; (valid == true) != (c.want == "true") || valid == false {
			t.Errorf("%s: JSON says valid %v, want %s", c.name, valid, c.want)
		}
	}
}
