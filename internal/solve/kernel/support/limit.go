package support

import (
	"math"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Limit is that of all solvers.
type Limit = parts.Limit

// allocate returns so many zeros; nil if the limit is reached before: the system may take
// seconds for gigabytes.
func allocate(numbers int, over Limit) []float64 {
	made := make(chan []float64, 1)
	go func() { made <- make([]float64, numbers) }()
	for {
		select {
		case m := <-made:
			return m
		case <-time.After(10 * time.Millisecond):
			if over.Reached() {
				return nil
			}
		}
	}
}

// SupportOf tells the run how many rows a certificate costs.
func SupportOf(start solver.Start, rows func() (all, spared int)) *solver.Support {
	s := start.Support
	if s == nil {
		s = &solver.Support{}
	}
	s.Rows = rows
	return s
}

// Nonzeros counts the coefficients that are not zero; none of them can be spared.
func Nonzeros(beta []float64) (all, spared int) {
	for _, b := range beta {
		if b != 0 {
			all++
		}
	}
	return all, all
}

// Undone reports whether an update of r was cut short, and sets r to what it was before.
func Undone(p interface{ Cut() bool }, r, before []float64) bool {
	if p.Cut() {
		copy(r, before)
		return true
	}
	return false
}

// Remember copies r, for undone.
func Remember(before *[]float64, r []float64) []float64 {
	*before = append((*before)[:0], r...)
	return *before
}

// Kept is the start for steps of single coefficients, which leave the others as they are: where the
// loss has corners the coefficients stay, whatever C, and not the dual variables.
func Kept(p *problem.Kernel, start solver.Start) *problem.Point {
	if start.From == nil || start.From.A == nil || start.Growth == 0 || !math.IsInf(p.Loss.Smoothness(), 1) {
		return start.From
	}
	a := slices.Clone(start.From.A)
	for i := range a {
		lo, hi := p.Loss.Domain(p.Y[i])
		a[i] = min(max(a[i]/start.Growth, lo), hi)
	}
	return &problem.Point{W: start.From.W, A: a}
}
