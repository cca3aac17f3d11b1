// Package penalty holds convex functions of the weights.
//
// A [Penalty] says what weights cost. Each file holds one penalty: its
// type, its methods, and the row that registers its name. Adding one is a new
// file and a new row in the table of penalty_test.go; the examiner
// conform.Penalty then checks every law below. What a penalty can do beyond the
// four methods it declares in its file by the interfaces of capability.go, which
// conform.Penalty examines too: no solver names a penalty, and a capability that is not
// declared is not used. A program's own penalty needs no
// name here: Spec.CustomPenalty of package fenchel takes its value.
//
// The factor lambda in front and the bias, which no penalty sees, belong to
// package problem.
package penalty

import (
	"errors"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Penalty is a closed convex function Omega >= 0 of the weights with
// Omega(0) = 0 that depends on their magnitudes alone, and does not fall where one of
// these grows: a sum of functions of single weights, or of groups of them. One in which signs
// matter says so, see [Coupled] and [Nonnegative].
//
// Laws, with Omega* the conjugate:
//
//	Prox(dst, v, s) minimises Omega(x) + |x-v|^2/(2s); dst may be v
//	scale, value = Conjugate(u): scale in (0, 1] is the largest that makes
//	    scale*u feasible, and value = Omega*(scale*u)
//	Omega(w) + Omega*(u) >= <u, w>                     Fenchel and Young
//	Omega - StrongConvexity()/2 |.|^2 is convex
type Penalty interface {
	Value(w []float64) float64
	Prox(dst, v []float64, step float64)
	Conjugate(u []float64) (scale, value float64)
	StrongConvexity() float64
}

var penalties = registry.New[Penalty]("penalty")

// New makes the penalty that spec describes: a name, or "name:key=value".
func New(spec string) (Penalty, error) {
	if spec == "none" {
		return nil, errors.New(`penalty "none": without a penalty no bound can be proved: expected l2, with a small weight (lambda 1e-9) to come close to none`)
	}
	return penalties.New(spec)
}

// Name returns the name of the kind of p, without parameters, for messages.
func Name(p Penalty) string { return penalties.NameOf(p) }

// Entries lists the penalties by name.
func Entries() []registry.Entry[Penalty] { return penalties.Entries() }
