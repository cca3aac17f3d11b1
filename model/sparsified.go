package model

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/safetensors"
)

// Sparsified is the status of an output that was made from one of more support vectors: its
// gap is that of the problem that the larger one was trained for, whatever gap was asked for.
const Sparsified = "sparsified"

// Sparse says what a machine of fewer support vectors was made from, and how it compares on the
// rows; package sparsify has the losses. It is stored as JSON.
type Sparse struct {
	Method   string  `json:"method"`
	Vectors  int     `json:"vectors"`          // number of support vectors of the machine that this one was made from
	Model    string  `json:"model"`            // digest of the numbers of that
	Accuracy float64 `json:"accuracy"`         // E, how far a prediction may be outside its band
	Margin   float64 `json:"margin,omitempty"` // classes only: the margin that the machine was trained for
	Tube     float64 `json:"tube,omitempty"`   // numbers only: the error that counts as none
	Loss     Bound   `json:"loss"`             // mean of the slant losses of this machine
	Full     Bound   `json:"full_loss"`        // mean of the losses of that machine which bound them
	// Goal is what the method minimises; nil: not known.
	Goal      *SparseGoal `json:"goal,omitempty"`
	Elsewhere string      `json:"elsewhere,omitempty"` // digest of the rows that that one was trained on, if others
}

// SparseGoal is an objective of a method for fewer support vectors, by its number in the thesis,
// and what no machine of a norm up to the radius has less of (null: of any norm).
type SparseGoal struct {
	Name   string `json:"name"`
	Value  Bound  `json:"value"`
	Below  Bound  `json:"lower_bound"`
	Radius Bound  `json:"radius"`
}

// Digest returns a digest of the model's numbers, as its file has it.
func (m *Model) Digest() string { return safetensors.Digest(m.tensors()) }

// checkSparse refuses parts that no smaller machine has.
func (m *Model) checkSparse() error {
	made := 0
	for _, o := range m.Outputs {
		if o.Certificate.Status == Sparsified {
			made++
		}
	}
	s := m.Sparse
	switch {
	case s == nil && made == 0:
		return nil
	case s == nil || made != len(m.Outputs) && !m.IsImported():
		return fmt.Errorf("found %d of %d predictors with the status %s, expected all together with what they were made from", made, len(m.Outputs), Sparsified)
	case m.Support == nil:
		return fmt.Errorf("found what a smaller machine was made from in a linear model, expected support vectors")
	case s.Vectors < m.Support.Len() && m.Support.Index != nil:
		return fmt.Errorf("found %d support vectors made from %d, expected at most as many", m.Support.Len(), s.Vectors)
	}
	if classes := m.Classes != nil; classes != (s.Margin > 0) || classes && s.Tube != 0 {
		return fmt.Errorf("found the margin %g and the tube %g of a smaller machine, expected a margin of classes, a tube of numbers", s.Margin, s.Tube)
	}
	for _, v := range []float64{s.Accuracy, s.Margin, s.Tube} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("found the number %g in what a smaller machine was made from, expected a finite one >= 0", v)
		}
	}
	return nil
}
