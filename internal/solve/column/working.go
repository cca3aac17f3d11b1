package column

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/problem"
)

// penalised reports whether the penalty sees column j.
func (s *cd) penalised(j int) bool { return j < s.p.Penalised() }

// violation returns the distance of 0 from the subdifferential of P along j,
// when the losses have slope g there.
func (s *cd) violation(j int, w, g float64) float64 {
	if !s.penalised(j) {
		return math.Abs(g)
	}
	t := float64(s.p.Lambda * s.corner)
	g += float64(s.p.Lambda * s.mu * w)
	switch {
	case w > 0:
		return math.Abs(g + t)
	case w < 0:
		return math.Abs(g - t)
	case s.nonnegative:
		return max(0, -g-t)
	}
	return max(0, math.Abs(g)-t)
}

// choose makes the working set and returns the largest violation.
func (s *cd) choose() (worst float64) {
	type candidate struct {
		column    int
		violation float64
	}
	var others []candidate
	s.working = s.working[:0]
	for j, w := range s.w {
		if j == len(s.w)-1 && s.p.Bias == problem.None {
			break
		}
		v := s.violation(j, w, s.g[j])
		worst = max(worst, v)
		if w != 0 || !s.penalised(j) {
			s.working = append(s.working, j)
		} else if v > 0 {
			others = append(others, candidate{j, v})
		}
	}
	s.use = len(s.working)
	slices.SortFunc(others, func(a, b candidate) int {
		switch {
		case a.violation > b.violation:
			return -1
		case a.violation < b.violation:
			return 1
		}
		return a.column - b.column
	})
	for _, c := range others[:min(len(others), max(30, 2*len(s.working)))] {
		s.working = append(s.working, c.column)
	}
	slices.Sort(s.working)
	return worst
}
