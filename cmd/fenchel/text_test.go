package main

import (
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
)

func TestShort(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 9999: "9999", 10000: "10 k", 61800: "62 k", 789341746: "789 M", 9999499: "9999 k", 9999500: "10 M", 1 << 62: "4612 P"} {
		if got := short(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestEvaluated: more is computed than requested only where it says what was prefetched.
func TestEvaluated(t *testing.T) {
	for want, c := range map[string]kernel.Counts{
		"789 M values computed, cache hits 0 %":                                        {Requested: 789341746, Computed: 789341746},
		"62 k values computed (60 k of them before they were needed), cache hits 96 %": {Requested: 49500, Computed: 61800, Prefetched: 60000},
	} {
		if got := evaluated(c); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}
