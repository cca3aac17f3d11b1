// Package conform holds examiners: one function per interface, which checks
// the laws that the interface states on any implementation and returns what it
// found broken. Tests of every room call them for each registered thing, and
// the tests of this package show that each examiner rejects a zoo of
// deliberately broken implementations.
//
// An examiner returns errors instead of taking a *testing.T, so that the zoo
// can be examined too.
package conform

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// findings collects broken laws, at most a few of each kind.
type findings struct {
	broken map[string]int
	errs   []error
}

// check records that law is broken unless ok; detail says for which arguments.
func (f *findings) check(ok bool, law, format string, args ...any) {
	if ok {
		return
	}
	if f.broken == nil {
		f.broken = map[string]int{}
	}
	if f.broken[law]++; f.broken[law] <= 2 {
		f.errs = append(f.errs, fmt.Errorf("%s: %s", law, fmt.Sprintf(format, args...)))
	}
}

func (f *findings) err() error { return errors.Join(f.errs...) }

// source is the examiners' fixed stream of random numbers.
func source() *rand.Rand { return rand.New(rand.NewPCG(20091206, 2)) }

// below says that a <= b up to rounding errors of numbers of the given size.
func below(a, b, size float64) bool {
	return a <= b+1e-12*math.Max(1, size) || math.IsInf(b, 1) || math.IsInf(a, -1)
}

// near says that a equals b up to rounding errors of numbers of that size.
func near(a, b, size float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Max(1, size) }
