package online

import (
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/loss"
)

// Sums are what is known of the rows so far.
type Sums struct {
	Steps int64   `json:"steps"`              // rows that had a loss, and moved weights
	Norm  float64 `json:"norm"`               // sum over these of the squares of their values, each divided by the largest of its feature
	Least float64 `json:"least"`              // prediction: of targets the least so far, or 0
	Most  float64 `json:"most"`               // likewise
	All   Sum     `json:"all"`                // of all rows, each judged before it was learned from
	Parts []Sum   `json:"parts"`              // of as many rows each, one after another; the last may have fewer
	Size  int64   `json:"rows_a_part"`        // rows of these
	Held  *Sum    `json:"held_out,omitempty"` // of rows that were judged alone; nil: none
}

// A Sum adds up losses.
type Sum struct {
	Rows    int64   `json:"rows"`
	Losses  float64 `json:"losses"`
	Squares float64 `json:"squares"` // of losses
}

func (s *Sum) add(loss float64) {
	s.Rows++
	s.Losses += loss
	s.Squares += float64(loss * loss)
}

func (s *Sum) join(o Sum) {
	s.Rows, s.Losses, s.Squares = s.Rows+o.Rows, s.Losses+o.Losses, s.Squares+o.Squares
}

// Mean returns the mean loss, NaN of no rows.
func (s Sum) Mean() float64 { return s.Losses / float64(s.Rows) }

// Error returns the standard error of the mean, as if rows had come independently of each other; NaN of fewer than two.
func (s Sum) Error() float64 {
	n, mean := float64(s.Rows), s.Mean()
	if s.Rows < 2 {
		return math.NaN()
	}
	return math.Sqrt(max(0, s.Squares/n-float64(mean*mean)) / (n - 1))
}

// mostParts is how many parts there are before two neighbours become one; windowParts of them, and the one that is being
// filled, are the last rows: an eighth of all to three tenths.
const (
	mostParts   = 32
	windowParts = 4
)

// add counts the loss of a row.
func (s *Sums) add(loss float64) {
	s.All.add(loss)
	if s.Size = max(s.Size, 1); len(s.Parts) == 0 || s.Parts[len(s.Parts)-1].Rows == s.Size {
		if len(s.Parts) == mostParts {
			for k := range mostParts / 2 {
				s.Parts[k] = s.Parts[2*k]
				s.Parts[k].join(s.Parts[2*k+1])
			}
			s.Parts, s.Size = s.Parts[:mostParts/2], 2*s.Size
		}
		s.Parts = append(s.Parts, Sum{})
	}
	s.Parts[len(s.Parts)-1].add(loss)
}

// Window is of the last rows, an eighth to three tenths of all; of none where there are fewer than 32.
func (s *Sums) Window() (w Sum) {
	if s.All.Rows < mostParts {
		return w
	}
	for _, p := range s.Parts[len(s.Parts)-1-windowParts:] {
		w.join(p)
	}
	return w
}

// State is what a run goes on from.
type State struct {
	Sums
	// Index are the features that were seen, increasing: as many as there are columns is the constant. Squares and Scale are what
	// their steps depend on.
	Index   []uint32  `json:"-"`
	Squares []float64 `json:"-"`
	Scale   []float32 `json:"-"`
}

// State returns a copy of the state, and the weights.
func (n *Learner) State() (s *State, weights []float64, bias float64) {
	s, weights = &State{Sums: n.sums}, make([]float64, len(n.feature))
	s.Parts = append([]Sum(nil), n.sums.Parts...)
	if n.sums.Held != nil {
		held := *n.sums.Held
		s.Held = &held
	}
	keep := func(j int, f feature) {
		if f.scale > 0 {
			s.Index, s.Squares, s.Scale = append(s.Index, uint32(j)), append(s.Squares, f.squares), append(s.Scale, f.scale)
		}
	}
	for j, f := range n.feature {
		keep(j, f)
		weights[j] = f.weight
	}
	keep(len(weights), n.constant)
	return s, weights, n.constant.weight
}

// Restore makes a learner that goes on where another has ended. Rows held out are counted anew.
func Restore(l loss.Loss, s *State, weights []float64, bias float64) (*Learner, error) {
	n, err := NewLearner(l, len(weights))
	if err != nil {
		return nil, err
	}
	if err := s.Check(l, weights, bias); err != nil {
		return nil, err
	}
	n.sums = s.Sums
	n.sums.Parts, n.sums.Held = append([]Sum(nil), s.Parts...), nil
	for j, w := range weights {
		n.feature[j].weight = w
	}
	n.constant.weight = bias
	for k, j := range s.Index {
		f := &n.constant
		if int(j) < len(weights) {
			f = &n.feature[j]
		}
		f.squares, f.scale = s.Squares[k], s.Scale[k]
	}
	return n, nil
}

// Check returns why a state that was read from a file cannot be one of a loss and these weights.
func (s *State) Check(l loss.Loss, weights []float64, bias float64) error {
	_, known := l.(loss.Flowing)
	if _, bounded := l.(loss.Probabilistic); !known || bounded && (s.Least != -mostOdds || s.Most != mostOdds) {
		return fmt.Errorf("found predictions from %g to %g of a loss, expected a loss whose gradient flow is known, with predictions from %d to %d", s.Least, s.Most, -mostOdds, mostOdds)
	}
	if len(s.Squares) != len(s.Index) || len(s.Scale) != len(s.Index) {
		return fmt.Errorf("found %d features with %d sums and %d scales, expected as many", len(s.Index), len(s.Squares), len(s.Scale))
	}
	next := 0 // features before it are those of the state, or have no weight
	for k, j := range s.Index {
		if int64(j) > int64(len(weights)) || k > 0 && j <= s.Index[k-1] {
			return fmt.Errorf("found the state of feature %d, expected increasing ones up to %d", j, len(weights))
		}
		if !(s.Squares[k] >= 0 && s.Squares[k] <= math.MaxFloat64 && s.Scale[k] > 0 && s.Scale[k] <= math.MaxFloat32) {
			return fmt.Errorf("feature %d: found the sum %g and the scale %g, expected numbers >= 0 and > 0", j, s.Squares[k], s.Scale[k])
		}
		if err := unseen(weights, next, int(j)); err != nil {
			return err
		}
		next = int(j) + 1
	}
	if err := unseen(weights, next, len(weights)); err != nil {
		return err
	}
	if last := len(s.Index) - 1; bias != 0 && (last < 0 || int(s.Index[last]) != len(weights)) {
		return errors.New("found a bias, which no row has moved")
	}
	return s.Sums.check()
}

// unseen refuses weights of features from lo up to hi.
func unseen(weights []float64, lo, hi int) error {
	for j := lo; j < hi; j++ {
		if weights[j] != 0 {
			return fmt.Errorf("found a weight of feature %d, which no row had", j)
		}
	}
	return nil
}

// check returns why sums cannot be those of rows.
func (s *Sums) check() error {
	if len(s.Parts) > mostParts || s.Size < 1 || s.Size > math.MaxInt64/(2*mostParts) {
		return fmt.Errorf("found %d parts of %d rows, expected at most %d of at least one", len(s.Parts), s.Size, mostParts)
	}
	rows := int64(0)
	for k, p := range s.Parts {
		if p.Rows < 1 || p.Rows > s.Size || k < len(s.Parts)-1 && p.Rows != s.Size || !p.sound() {
			return fmt.Errorf("found a part of %d rows, the sum %g and the squares %g, expected %d rows, the last perhaps fewer, and numbers >= 0", p.Rows, p.Losses, p.Squares, s.Size)
		}
		rows += p.Rows
	}
	switch {
	case rows != s.All.Rows || rows < 1 || !s.All.sound():
		return fmt.Errorf("found parts of %d rows, and sums of %d, expected as many, at least one, and numbers >= 0", rows, s.All.Rows)
	case s.Held != nil && (s.Held.Rows < 1 || !s.Held.sound()):
		return fmt.Errorf("found %d rows held out, the sum %g, expected at least one, and a number >= 0", s.Held.Rows, s.Held.Losses)
	case s.Steps < 0 || s.Steps > rows || !(s.Norm >= float64(s.Steps) && s.Norm <= math.MaxFloat64):
		return fmt.Errorf("found %d steps and the norm %g of %d rows, expected as many steps at most, and a norm of that size", s.Steps, s.Norm, rows)
	case !(s.Least <= 0 && s.Most >= 0 && s.Least >= -MostTarget && s.Most <= MostTarget):
		return fmt.Errorf("found predictions from %g to %g, expected 0 between them", s.Least, s.Most)
	}
	return nil
}

// sound reports whether sums are numbers >= 0.
func (s Sum) sound() bool {
	return s.Losses >= 0 && s.Losses <= math.MaxFloat64 && s.Squares >= 0 && s.Squares <= math.MaxFloat64
}
